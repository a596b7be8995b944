namespace MemPrims.Records.Tests.Log;

// A rule of LOG-FORMAT.md that can be left out on the way to the disk.
public enum LogRule
{
    ZerosAtOpening,
    WritingAgainAtOpening,
    SyncAtOpening,
    FolderSyncAtOpening,
    SyncOfTheFileBeside,
    FolderSyncAfterTheName,
    FolderSyncAfterADelete,
    SyncOfOlderFiles,
    SyncOfTheLastFile,
}

// The log is crashed at every operation, and held to its model.
public class LogCrashTests
{
    private static readonly Fate[] s_crashes = [Fate.CrashBefore, Fate.CrashMidway, Fate.CrashAfter];

    [Fact]
    public void A_crash_at_every_operation_loses_nothing_acknowledged()
    {
        for (int seed = 0; seed < LongRuns.Of(4, 100); seed++)
        {
            foreach (Fate how in s_crashes)
            {
                bool crashed = true;
                for (int at = 0; crashed; at++)
                {
                    Random power = new(seed * 1000 + at);
                    LogHistory history = new(seed);
                    // The first life makes the log, so that the second one's opening has something to put in order.
                    Assert.Null(history.Live(-1, how, out _));
                    history.Disk.LosePower(power);
                    Assert.Null(history.Live(at, how, out crashed));
                    if (power.Next(3) == 0) history.Disk.Kill();
                    else history.Disk.LosePower(power);
                    Assert.Null(history.Live(-1, how, out _));
                }
            }
        }
    }

    [Fact]
    public void No_history_of_crashes_kills_and_failures_breaks_a_claim()
    {
        for (int seed = 0; seed < LongRuns.Of(1500, 30_000); seed++)
            Assert.True(FirstBroken(seed, static _ => false) is not { } broken, $"seed {seed}: {FirstBroken(seed, static _ => false)}");
    }

    [Theory, InlineData(LogRule.ZerosAtOpening), InlineData(LogRule.WritingAgainAtOpening), InlineData(LogRule.SyncAtOpening)]
    [InlineData(LogRule.FolderSyncAtOpening), InlineData(LogRule.SyncOfTheFileBeside), InlineData(LogRule.FolderSyncAfterTheName)]
    [InlineData(LogRule.FolderSyncAfterADelete), InlineData(LogRule.SyncOfOlderFiles), InlineData(LogRule.SyncOfTheLastFile)]
    public void A_rule_that_is_left_out_is_found(LogRule rule)
    {
        for (int seed = 0; seed < 20_000; seed++)
            if (FirstBroken(seed, Without(rule)) is not null) return;
        Assert.Fail($"Nothing was broken without {rule}.");
    }

    [Fact]
    public void Rot_is_told_where_the_model_tells_it_and_never_a_wrong_answer()
    {
        int told = 0, cut = 0;
        Dictionary<LeftOut, int> differences = [];
        for (int seed = 0; seed < LongRuns.Of(1500, 30_000); seed++)
        {
            Random random = new(seed);
            LogHistory history = new(seed);
            for (int life = 0; life < 2; life++)
            {
                Assert.Null(history.Live(random.Next(60), s_crashes[random.Next(3)], out _));
                history.Disk.LosePower(random);
            }
            if (history.Disk.Image().Count == 0) continue;
            (long first, DiskFile file) = history.Disk.Names.Where(n => n.Key >= 0).MaxBy(_ => random.Next());
            int at = random.Next(64, Math.Max(file.View.LastIndexOfAnyExcept((byte)0), 65));
            if (at >= file.Length) continue;
            file.Rot(at, random.Next(8));
            LogModel.Outcome model = LogModel.Recover(history.Disk.Image());
            foreach (LeftOut without in (LeftOut[])[LeftOut.Search, LeftOut.MarksBefore | LeftOut.Search, LeftOut.HeaderCheck])
                if (LogModel.Recover(history.Disk.Image(), without) is var other
                    && (other.IsDamaged != model.IsDamaged || other.Frames.Count != model.Frames.Count))
                    differences[without] = differences.GetValueOrDefault(without) + 1;
            try
            {
                LogFile log = LogHistory.Open(history.Disk);
                Assert.False(model.IsDamaged, $"seed {seed}: rot at {first + at} was not told");
                int i = 0;
                foreach (LogEntry entry in log.ReadFrom())
                {
                    Assert.Equal(model.Frames[i].Position, entry.Position);
                    Assert.True(entry.Payload.SequenceEqual(model.Frames[i++].Payload));
                }
                Assert.Equal(model.Frames.Count, i);
                cut++;
            }
            catch (DamagedDataException e)
            {
                Assert.True(model.IsDamaged, $"seed {seed}: rot was told and the model tells none");
                Assert.Equal(model.End, e.Offset);
                told++;
            }
        }
        // Without teeth the comparison would be worth nothing: some rot is told, some is above all marks, and each rule counts.
        Assert.True(told > 100 && cut > 10, $"{told} told, {cut} cut");
        Assert.True(differences.GetValueOrDefault(LeftOut.Search) > 0 && differences.GetValueOrDefault(LeftOut.HeaderCheck) > 0
            && differences.GetValueOrDefault(LeftOut.MarksBefore | LeftOut.Search) > 50, string.Join(", ", differences));
    }

    private static string? FirstBroken(int seed, Func<DiskOperation, bool> drops)
    {
        Random random = new(seed);
        LogHistory history = new(seed) { Drops = drops, Failures = random.Next(3) == 0 ? 30 : 0 };
        for (int life = 0; life < 4; life++)
        {
            if (history.Live(random.Next(80), s_crashes[random.Next(3)], out _) is { } broken) return broken;
            if (random.Next(3) == 0) history.Disk.Kill();
            else history.Disk.LosePower(random);
        }
        return null;
    }

    private static Func<DiskOperation, bool> Without(LogRule rule)
    {
        DiskCall last = DiskCall.Sync;
        long newest = 0;
        return operation =>
        {
            DiskCall before = last;
            if (operation.Call is DiskCall.Publish or DiskCall.Delete or DiskCall.Write) last = operation.Call;
            if (operation.Call == DiskCall.Publish || operation.First > newest) newest = Math.Max(newest, operation.First);
            bool isSync = operation is { Call: DiskCall.Sync, First: >= 0 }, isFolder = operation.Call == DiskCall.SyncFolder;
            return rule switch
            {
                LogRule.ZerosAtOpening => operation is { Call: DiskCall.Write, Opens: true } && operation.Bytes.All(b => b == 0),
                LogRule.WritingAgainAtOpening =>
                    operation is { Call: DiskCall.Write, Opens: true, First: >= 0 } && operation.Bytes.Any(b => b != 0),
                LogRule.SyncAtOpening => isSync && operation.Opens,
                LogRule.FolderSyncAtOpening => isFolder && operation.Opens && before is not (DiskCall.Publish or DiskCall.Delete),
                LogRule.SyncOfTheFileBeside => operation is { Call: DiskCall.Sync, First: < 0 },
                LogRule.FolderSyncAfterTheName => isFolder && before == DiskCall.Publish,
                LogRule.FolderSyncAfterADelete => isFolder && before == DiskCall.Delete,
                LogRule.SyncOfOlderFiles => isSync && !operation.Opens && operation.First < newest,
                LogRule.SyncOfTheLastFile => isSync && !operation.Opens && operation.First == newest,
                _ => false,
            };
        };
    }
}

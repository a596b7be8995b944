using System.Diagnostics;

namespace MemPrims.Records.Tests.Faults;

// A child process commits and acknowledges each commit by a line; it is killed by kill -9 at a random moment, 200 times.
public class KillTests
{
    private static int Rounds => LongRuns.Of(30, 200) * Seeds.Scale;

    private const int Records = 50;

    // stores: through a writable map, without syncs.
    [Theory, InlineData(false), InlineData(true)]
    public async Task Nothing_acknowledged_is_lost_by_kill_9_and_a_reader_beside_sees_whole_commits_only(bool stores)
    {
        using TempFolder folder = TempFolder.With("stats", out string path);
        using (var file = MappedFile<IndexStats>.Create(path)) file.AppendNew(Records);
        using CancellationTokenSource stop = new();
        Task<long> beside = Task.Run(() => ReadBeside(path, stop.Token));
        Random random = Seeds.Random();
        long acknowledged = 0;
        // One child process per many kills would be no kill: what is saved is the runtime's start, by forking one ahead while another
        // runs.
        Process? next = Start(path, stores);
        for (int round = 0; round < Rounds; round++)
        {
            using Process child = next;
            child.StandardInput.WriteLine("go");
            next = round + 1 < Rounds ? Start(path, stores) : null!;
            string? line = child.StandardOutput.ReadLine();
            long deadline = Stopwatch.GetTimestamp() + random.Next(Stopwatch.Frequency > 0 ? (int)(Stopwatch.Frequency / 100) : 1);
            while (line is not null && Stopwatch.GetTimestamp() < deadline)
            {
                acknowledged = long.Parse(line);
                line = child.StandardOutput.ReadLine();
            }
            child.Kill();
            while (line is not null)
            {
                if (long.TryParse(line, out long number) && number > acknowledged) acknowledged = number;
                line = child.StandardOutput.ReadLine();
            }
            child.WaitForExit();
            using var file = MappedFile<IndexStats>.OpenRead(path);
            file.Verify();
            long etag = file.Read(0, static s => s.LastEtag);
            Assert.InRange(etag, acknowledged, acknowledged + 1);
            for (int i = 0; i < Records; i++) Assert.Equal(etag, file.Read(i, static s => s.LastEtag));
            acknowledged = etag;
        }
        await stop.CancelAsync();
        Assert.Equal(acknowledged, await beside);
        Assert.True(acknowledged > Rounds, $"only {acknowledged} commits");
    }

    // One mapping for all the rounds: neither a death nor the writer after it is noticed, and time never goes backwards.
    private static long ReadBeside(string path, CancellationToken stop)
    {
        using var file = MappedFile<IndexStats>.OpenRead(path);
        long newest = 0;
        for (bool last = false; !last; Thread.Sleep(1))
        {
            last = stop.IsCancellationRequested;
            long etag = file.Read(Records - 1, static s => s.LastEtag);
            Assert.True(etag >= newest, $"{etag} after {newest}");
            using var snapshot = file.Pin();
            newest = snapshot.View(0).LastEtag;
            Assert.True(newest >= etag, $"a pin of {newest} after {etag}");
            foreach (IndexStats.View s in snapshot) Assert.Equal(newest, s.LastEtag);
        }
        return newest;
    }

    private static Process Start(string path, bool stores) => Child.Start(Commit, [path, $"{stores}"]);

    private static void Commit(string[] arguments)
    {
        Console.ReadLine();
        Stream output = Console.OpenStandardOutput();
        bool stores = bool.Parse(arguments[1]);
        using var file = MappedFile<IndexStats>.Open(arguments[0],
            new() { Durability = stores ? Durability.ProcessCrash : Durability.PowerLoss, StoreThroughMap = stores });
        for (long number = file.Read(0, static s => s.LastEtag) + 1; ; number++)
        {
            using var tx = file.BeginWrite();
            for (int i = 0; i < Records; i++)
            {
                IndexStats s = tx[i];
                s.LastEtag = number;
                s.LastError = System.Text.Encoding.ASCII.GetBytes(new string('e', (int)(number % 100)));
            }
            tx.Commit();
            output.Write(System.Text.Encoding.ASCII.GetBytes($"{number}\n"));
        }
    }
}

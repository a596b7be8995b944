namespace MemPrims.Records.Tests;

// What records and logs do where descriptors, threads or room on the disk are short: the process lives, errors are typed, and afterwards
// the files are whole. Each in a process of its own, where nothing was loaded or compiled by another test.
public class ScarcityTests
{
    private const int MostFree = 5;

    private static readonly MappedFileOptions s_slots = new() { MetaSlotBytes = Small.SlotBytes };
    private static readonly LogFileOptions s_small = new() { FileBytes = 4096, WriterTimeout = TimeSpan.Zero };

    // Makes ready, in a folder, what an action needs; gives the action that is done in want.
    private delegate Action Scenario(TempFolder folder, Stack<IDisposable> owned);

    // Each scenario makes a file of its kind first. The very first one of a process has the runtime load assemblies, each of which takes a
    // descriptor: where there is none, the runtime says so itself.
    private static readonly Dictionary<string, Scenario> s_all = new()
    {
        ["create records"] = (folder, _) =>
        {
            Records(folder).Dispose();
            return () => MappedFile<Tiny>.Create(folder.File("new"), s_slots).Dispose();
        },
        ["open records"] = (folder, _) =>
        {
            Records(folder).Dispose();
            return () => MappedFile<Tiny>.Open(folder.File("records"), s_slots).Dispose();
        },
        ["commit records"] = (folder, owned) =>
        {
            MappedFile<Tiny> file = Records(folder);
            owned.Push(file);
            return () =>
            {
                for (int i = 0; i < 20; i++) Add(file, 500);
            };
        },
        ["commit records without a thread"] = (folder, owned) =>
        {
            MappedFile<Tiny> file = Records(folder);
            owned.Push(file);
            return () => CommitAsync(file).AsTask().GetAwaiter().GetResult();
        },
        ["read and verify records"] = (folder, owned) =>
        {
            MappedFile<Tiny> file = Records(folder);
            owned.Push(file);
            return () =>
            {
                using PinnedSnapshot<Tiny> snapshot = file.Pin();
                file.Verify();
            };
        },
        ["the end of records"] = (folder, _) => Records(folder).Dispose,
        ["copy records"] = (folder, owned) =>
        {
            MappedFile<Tiny> file = Records(folder);
            owned.Push(file);
            return () => file.CopyTo(folder.File("copy"));
        },
        ["compact records"] = (folder, _) =>
        {
            Records(folder).Dispose();
            return () => MappedFiles.Compact<Tiny>(folder.File("records"));
        },
        ["salvage records"] = (folder, _) =>
        {
            Records(folder).Dispose();
            return () => MappedFiles.Salvage<Tiny>(folder.File("records"), folder.File("saved"));
        },
        ["create a log"] = (folder, _) =>
        {
            Log(folder).Dispose();
            return () => LogFile.Create(folder.File("new"), s_small).Dispose();
        },
        ["open a log"] = (folder, _) =>
        {
            Log(folder).Dispose();
            return () => LogFile.Open(folder.File("log"), s_small).Dispose();
        },
        ["append to a log"] = (folder, owned) =>
        {
            LogFile log = Log(folder);
            owned.Push(log);
            return () => Append(log);
        },
        ["sync a log without a thread that waits"] = (folder, owned) =>
        {
            LogFile log = Log(folder);
            owned.Push(log);
            return () =>
            {
                for (int i = 0; i < 3; i++)
                {
                    log.Append(new byte[500]);
                    log.SyncAsync().AsTask().GetAwaiter().GetResult();
                    // An assertion loads assemblies, which takes descriptors.
                    if (log.SyncedEnd < log.End) throw new InvalidOperationException("The task ended before the sync.");
                }
            };
        },
        ["the end of records"] = (folder, _) =>
        {
            MappedFile<Tiny> file = Records(folder);
            return () => file.Dispose();
        },
        ["read a log"] = (folder, owned) =>
        {
            LogFile log = Log(folder);
            owned.Push(log);
            return () =>
            {
                using LogFile reader = LogFile.OpenRead(folder.File("log"));
                foreach (LogEntry _ in reader.ReadFrom()) continue;
                reader.Verify();
            };
        },
        ["cut a log"] = (folder, owned) =>
        {
            LogFile log = Log(folder);
            owned.Push(log);
            return () => log.CutBefore(log.SyncedEnd);
        },
        ["the end of a log"] = (folder, _) => Log(folder).Dispose,
        ["append to a log that is followed"] = (folder, owned) =>
        {
            LogFile log = Log(folder);
            owned.Push(log);
            Follow(log);
            return () =>
            {
                log.Append("more"u8);
                log.Sync();
                if (log.SyncedEnd < log.End) throw new InvalidOperationException("The sync did nothing.");
            };
        },
        ["the end of a log that is followed"] = (folder, _) =>
        {
            LogFile log = Log(folder);
            Follow(log);
            return log.Dispose;
        },
        ["commit records while another waits for its turn"] = (folder, owned) =>
        {
            MappedFile<Tiny> file = Records(folder);
            owned.Push(file);
            WriteTransaction<Tiny> tx = file.BeginWrite();
            _ = file.BeginWriteAsync().AsTask();
            return () =>
            {
                using (tx)
                {
                    tx.Append().Value = 1;
                    tx.Commit();
                }
            };
        },
        ["salvage a log"] = (folder, _) =>
        {
            Log(folder).Dispose();
            return () => LogFile.Salvage(folder.File("log"), folder.File("saved"));
        },
    };

    public static TheoryData<string> Names => [.. s_all.Keys];

    [Theory]
    [MemberData(nameof(Names))]
    public void With_few_descriptors_a_process_lives_and_its_errors_are_typed(string name) =>
        Child.Run(WalkWithFewDescriptors, [name]).AssertSucceeded();

    private static void WalkWithFewDescriptors(string[] arguments)
    {
        // What this walk needs itself.
        Scarcity.Check("nothing", Scarcity.WithDescriptors(0, () => { }));
        for (int free = 0; free <= MostFree; free++)
        {
            int descriptors = free;
            Walk($"{free} descriptors", arguments[0], action => Scarcity.WithDescriptors(descriptors, action));
        }
        Walk("afterwards", arguments[0], action =>
        {
            action();
            return null;
        });
    }

    [Theory, InlineData("threads"), InlineData("space")]
    public void Without_threads_or_space_a_process_lives_and_its_errors_are_typed(string what)
    {
        foreach (string name in s_all.Keys) Child.Run(WalkWithout, [what, name]).AssertSucceeded();
    }

    private static void WalkWithout(string[] arguments)
    {
        CaseNote.Set("made ready");
        Walk(arguments[0], arguments[1], action =>
        {
            if (arguments[0] == "threads") Scarcity.RefuseThreads();
            else Scarcity.RefuseSpace();
            return Scarcity.Outcome(action);
        });
    }

    private static void Walk(string what, string name, Func<Action, Exception?> inWant)
    {
        using TempFolder folder = new();
        Stack<IDisposable> owned = new();
        Exception? thrown = inWant(s_all[name](folder, owned));
        while (owned.TryPop(out IDisposable? one)) Scarcity.Check($"{what}, the end", Scarcity.Outcome(one.Dispose));
        Scarcity.Check(what, thrown);
        Assert.True(thrown is null or IOException or TimeoutException or OperationCanceledException, $"{what}: {thrown}");
        if (File.Exists(folder.File("records"))) RecordCalls.Verify<Tiny>(folder.File("records"));
        if (!Directory.Exists(folder.File("log"))) return;
        using LogFile log = LogFile.OpenRead(folder.File("log"));
        log.Verify();
    }

    private static MappedFile<Tiny> Records(TempFolder folder)
    {
        MappedFile<Tiny> file = MappedFile<Tiny>.Create(folder.File("records"), s_slots);
        Add(file, 100);
        return file;
    }

    private static void Add(MappedFile<Tiny> file, int count)
    {
        using WriteTransaction<Tiny> tx = file.BeginWrite();
        for (int i = 0; i < count; i++) tx.Append().Value = i;
        tx.Commit();
    }

    private static async ValueTask CommitAsync(MappedFile<Tiny> file)
    {
        using WriteTransaction<Tiny> tx = await file.BeginWriteAsync();
        await tx.CommitAsync();
    }

    // In two ways, of which nobody learns how they end.
    private static void Follow(LogFile log)
    {
        _ = log.TailAsync(log.End).AsTask();
        _ = log.TailAsync(log.End, onlySynced: true).AsTask();
    }

    private static LogFile Log(TempFolder folder)
    {
        LogFile log = LogFile.Create(folder.File("log"), s_small);
        Append(log);
        return log;
    }

    private static void Append(LogFile log)
    {
        for (int i = 0; i < 20; i++) log.Append(new byte[500]);
        log.Sync();
    }
}

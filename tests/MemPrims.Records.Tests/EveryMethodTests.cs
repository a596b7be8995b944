using System.Reflection;

namespace MemPrims.Records.Tests;

// What a call does that waits is seen from the same thread here.
#pragma warning disable xUnit1031

// Each public method in each state that can be brought about by one thread. The rows are the methods, and a test sees by reflection that
// none is missing. The columns are tests: disposed, empty, ids that are none, nothing in place of an argument, opened for reading,
// cancelled, and closed or ended by the very function that it calls. Of the other columns, ClosingAttackTests has every method beside
// Dispose on three threads, SharedTransactionTests transactions in several hands, DamageTests and HostileTests bytes that are none,
// Faults.SystemLimitTests full disks, PathTests paths.
public sealed class EveryMethodTests : IDisposable
{
    private const int Records = 5;
    private static readonly long[] s_noIds = [-1, Records, int.MaxValue, (long)int.MaxValue + 1, 1L << 32, long.MinValue, long.MaxValue];
    private static readonly CancellationToken s_cancelled = new(canceled: true);

    // Each with an id. Who takes none does without.
    private static readonly Dictionary<string, Action<MappedFile<IndexStats>, long>> s_file = new()
    {
        ["get_Count"] = static (file, _) => _ = file.Count,
        ["get_FreeCount"] = static (file, _) => _ = file.FreeCount,
        ["get_Transaction"] = static (file, _) => _ = file.Transaction,
        ["IsFree"] = static (file, id) => file.IsFree(id),
        ["ReadView/2"] = static (file, id) => file.Read(id, static s => s.LastEtag),
        ["ReadView/3"] = static (file, id) => file.Read(id, 1, static (s, one) => s.LastEtag + one),
        ["Pin"] = static (file, _) => file.Pin().Dispose(),
        ["CopyTo"] = static (file, _) => file.CopyTo($"{file.FilePath}.{Guid.NewGuid():N}"),
        ["Verify"] = static (file, _) => file.Verify(),
        ["BeginWrite"] = static (file, _) => file.BeginWrite().Dispose(),
        ["BeginWriteAsync"] = static (file, _) => file.BeginWriteAsync().AsTask().GetAwaiter().GetResult().Dispose(),
        ["Increment/2"] = static (file, id) => file.Increment(id, IndexStats.Fields.Attempts),
        ["Increment/3"] = static (file, id) => file.Increment(id, IndexStats.Fields.Attempts, 2),
        ["Update/2"] = static (file, id) => file.Update(id, static s => s.Attempts++),
        ["Update/3"] = static (file, id) => file.Update(id, 2, static (s, by) => s.Attempts += by),
    };

    private static readonly Dictionary<string, Action<WriteTransaction<IndexStats>, long>> s_transaction = new()
    {
        ["IsFree"] = static (tx, id) => tx.IsFree(id),
        ["Free"] = static (tx, id) => tx.Free(id),
        ["get_Item"] = static (tx, id) => _ = tx[id],
        ["ReadView"] = static (tx, id) => tx.Read(id, static s => s.LastEtag),
        ["Increment/2"] = static (tx, id) => tx.Increment(id, IndexStats.Fields.Attempts),
        ["Increment/3"] = static (tx, id) => tx.Increment(id, IndexStats.Fields.Attempts, 2),
        ["Append/0"] = static (tx, _) => tx.Append(),
        ["Append/1"] = static (tx, _) => tx.Append(out int _),
        ["Commit"] = static (tx, _) => tx.Commit(),
        ["CommitAsync"] = static (tx, _) => tx.CommitAsync().GetAwaiter().GetResult(),
    };

    private static readonly Dictionary<string, Action<PinnedSnapshot<IndexStats>, long>> s_snapshot = new()
    {
        ["IsFree"] = static (pin, id) => pin.IsFree(id),
        ["ReadView"] = static (pin, id) => pin.Read(id, static s => s.LastEtag),
        ["ViewOf"] = static (pin, id) => _ = pin.View(id).LastEtag,
        ["ScanOf/0"] = static (pin, _) =>
        {
            foreach (IndexStats.View s in pin.Scan()) _ = s.LastEtag;
        },
        ["ScanOf/1"] = static (pin, _) =>
        {
            foreach (IndexStats.View s in pin.Scan(..)) _ = s.LastEtag;
        },
        ["Split"] = static (pin, _) => pin.Split(2),
    };

    private static readonly string[] s_takeIds = ["IsFree", "Free", "get_Item", "ReadView", "ReadView/2", "ReadView/3", "ViewOf",
        "Increment/2", "Increment/3", "Update/2", "Update/3"];
    private static readonly string[] s_write = ["BeginWrite", "BeginWriteAsync", "Increment/2", "Increment/3", "Update/2", "Update/3"];

    private readonly TempFolder _folder = new();
    private readonly MappedFile<IndexStats> _file;

    public EveryMethodTests() => _file = MappedFileTests.Made(_folder.File("stats"), Records);

    public void Dispose()
    {
        _file.Dispose();
        _folder.Dispose();
    }

    [Fact]
    public void No_method_is_missing()
    {
        AssertHasAll(typeof(MappedFile<IndexStats>), s_file.Keys, "get_FilePath", "Dispose");
        AssertHasAll(typeof(WriteTransaction<IndexStats>), s_transaction.Keys, "get_Count", "get_FreeCount", "get_IsOpen", "Dispose");
        AssertHasAll(typeof(PinnedSnapshot<IndexStats>), s_snapshot.Keys, "get_Count", "get_Transaction", "Dispose");
    }

    [Fact]
    public void Disposed()
    {
        PinnedSnapshot<IndexStats> pin = _file.Pin();
        WriteTransaction<IndexStats> open = _file.BeginWrite(), committed;
        open.Increment(0, IndexStats.Fields.Attempts);
        _file.Dispose();
        ForEach(s_file, _file, 0, static _ => typeof(ObjectDisposedException));
        ForEach(s_transaction, open, 0, static _ => typeof(ObjectDisposedException));
        Assert.Equal((Records, 0, false), (open.Count, open.FreeCount, open.IsOpen));
        open.Dispose();
        // A pin outlives its file.
        ForEach(s_snapshot, pin, 0, static _ => null);
        pin.Dispose();
        ForEach(s_snapshot, pin, 0, static _ => typeof(ObjectDisposedException));
        Assert.Equal(Records, pin.Count);
        pin.Dispose();
        _file.Dispose();
        Assert.EndsWith("stats", _file.FilePath);
        using MappedFile<IndexStats> again = MappedFile<IndexStats>.Open(_file.FilePath);
        Assert.Equal(0, again.Read(0, static s => s.Attempts));
        using (committed = again.BeginWrite()) committed.Increment(1, IndexStats.Fields.Attempts);
        ForEach(s_transaction, committed, 0, static _ => typeof(ObjectDisposedException));
        using (committed = again.BeginWrite())
        {
            committed.Increment(1, IndexStats.Fields.Attempts);
            committed.Commit();
            ForEach(s_transaction, committed, 0, static _ => typeof(ObjectDisposedException));
        }
        Assert.Equal(1, again.Read(1, static s => s.Attempts));
        again.Verify();
    }

    [Fact]
    public void Empty()
    {
        using MappedFile<IndexStats> file = MappedFile<IndexStats>.Create(_folder.File("empty"), Small.Slots);
        ForEach(s_file, file, 0, static name => s_takeIds.Contains(name) ? typeof(ArgumentOutOfRangeException) : null);
        using (PinnedSnapshot<IndexStats> pin = file.Pin())
        {
            ForEach(s_snapshot, pin, 0, static name => s_takeIds.Contains(name) ? typeof(ArgumentOutOfRangeException) : null);
            Assert.Empty(pin.Split(3));
        }
        foreach ((string name, Action<WriteTransaction<IndexStats>, long> call) in s_transaction)
        {
            using WriteTransaction<IndexStats> tx = file.BeginWrite();
            Check(name, () => call(tx, 0), s_takeIds.Contains(name) ? typeof(ArgumentOutOfRangeException) : null);
            Assert.Equal(name is not ("Commit" or "CommitAsync"), tx.IsOpen);
        }
        Assert.Equal(0, file.Count);
        file.Verify();
    }

    [Fact]
    public void Ids_that_are_none()
    {
        using PinnedSnapshot<IndexStats> pin = _file.Pin();
        foreach (long id in s_noIds)
        {
            foreach (string name in s_file.Keys.Where(s_takeIds.Contains))
                Check($"{name}({id})", () => s_file[name](_file, id), typeof(ArgumentOutOfRangeException));
            foreach (string name in s_snapshot.Keys.Where(s_takeIds.Contains))
                Check($"{name}({id})", () => s_snapshot[name](pin, id), typeof(ArgumentOutOfRangeException));
            using WriteTransaction<IndexStats> tx = _file.BeginWrite();
            foreach (string name in s_transaction.Keys.Where(s_takeIds.Contains))
                Check($"{name}({id})", () => s_transaction[name](tx, id), typeof(ArgumentOutOfRangeException));
            // It is whole still.
            tx.Increment(0, IndexStats.Fields.Attempts);
            tx.Dispose();
            foreach (int offset in (int[])[int.MinValue, -1, 1 << 20, int.MaxValue])
            {
                Assert.Throws<ArgumentOutOfRangeException>(() =>
                    _file.Increment(0, new RecordField<IndexStats, long>(offset)));
            }
        }
        foreach (Range range in (Range[])[0..(Records + 1), ^(Records + 1).., 3..2, int.MaxValue..])
            Assert.Throws<ArgumentOutOfRangeException>(() => { pin.Scan(range); });
        foreach (int parts in (int[])[0, -1, int.MinValue]) Assert.Throws<ArgumentOutOfRangeException>(() => pin.Split(parts));
        Assert.Equal(0..Records, Assert.Single(pin.Split(int.MaxValue)));
        Assert.Equal(0, _file.Read(0, static s => s.Attempts));
    }

    [Fact]
    public void Nothing_in_place_of_an_argument()
    {
        using PinnedSnapshot<IndexStats> pin = _file.Pin();
        using WriteTransaction<IndexStats> tx = _file.BeginWrite();
        Action[] calls =
        [
            () => _file.Read<long>(0, null!),
            () => _file.Read<int, long>(0, 1, null!),
            () => _file.Update(0, null!),
            () => _file.Update<int>(0, 1, null!),
            () => _file.CopyTo(null!),
            () => tx.Read<long>(0, null!),
            () => pin.Read<long>(0, null!),
            () => MappedFile<IndexStats>.Create(null!),
            () => MappedFile<IndexStats>.Open(null!),
            () => MappedFile<IndexStats>.OpenRead(null!),
            () => MappedFile<IndexStats>.OpenOrCreate(null!),
            () => MappedFiles.Upgrade<IndexStats>(null!),
            () => MappedFiles.Compact<IndexStats>(null!),
            () => MappedFiles.Salvage<IndexStats>(null!, "x"),
            () => MappedFiles.Salvage<IndexStats>(_file.FilePath, null!),
        ];
        for (int i = 0; i < calls.Length; i++) Check($"call {i}", calls[i], typeof(ArgumentNullException));
        Assert.Equal(Records, tx.Count);
        tx.Increment(0, IndexStats.Fields.Attempts);
        tx.Commit();
        _file.Verify();
    }

    [Fact]
    public void Opened_for_reading()
    {
        byte[] before = File.ReadAllBytes(_file.FilePath);
        using MappedFile<IndexStats> file = MappedFile<IndexStats>.OpenRead(_file.FilePath);
        foreach ((string name, Action<MappedFile<IndexStats>, long> call) in s_file)
        {
            Exception? thrown = Record.Exception(() => call(file, 0));
            if (s_write.Contains(name)) Assert.Equal(MappedFileReason.ReadOnly, Assert.IsType<MappedFileException>(thrown).Reason);
            else Assert.Null(thrown);
        }
        Assert.Equal(before, File.ReadAllBytes(_file.FilePath));
    }

    [Fact]
    public async Task Cancelled()
    {
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => _file.BeginWriteAsync(s_cancelled).AsTask());
        Assert.Throws<OperationCanceledException>(() => _file.Verify(null, s_cancelled));
        using (WriteTransaction<IndexStats> tx = _file.BeginWrite())
        {
            tx.Increment(0, IndexStats.Fields.Attempts);
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => tx.CommitAsync(s_cancelled));
            Assert.True(tx.IsOpen);
            // In the queue behind it.
            using CancellationTokenSource soon = new();
            Task<WriteTransaction<IndexStats>> waits = Task.Run(() => _file.BeginWriteAsync(soon.Token).AsTask());
            soon.CancelAfter(20);
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waits);
            await tx.CommitAsync();
        }
        Assert.Equal(2, _file.Increment(0, IndexStats.Fields.Attempts));
    }

    [Fact]
    public void Closed_by_the_function_that_is_called()
    {
        string path = _file.FilePath;
        _file.Dispose();
        (string, Action<MappedFile<IndexStats>>, Type?)[] calls =
        [
            ("Read", static file => file.Read(0, s => Closed(file, s.LastEtag)), typeof(ObjectDisposedException)),
            ("Read with an argument", static file => file.Read(0, file, static (s, file) => Closed(file, s.LastEtag)),
                typeof(ObjectDisposedException)),
            ("Read, which throws", static file => file.Read<int>(0, _ => throw new InvalidDataException($"{Closed(file, 0)}")),
                typeof(ObjectDisposedException)),
            ("Update", static file => file.Update(0, s => s.Attempts = (int)Closed(file, 1)), typeof(ObjectDisposedException)),
            ("Verify", static file => file.Verify(new Calls(file.Dispose)), null),
            ("Read of a transaction", static file =>
            {
                using WriteTransaction<IndexStats> tx = file.BeginWrite();
                tx.Read(0, s => Closed(file, s.LastEtag));
            }, typeof(ObjectDisposedException)),
            ("Scan", static file =>
            {
                using PinnedSnapshot<IndexStats> pin = file.Pin();
                long sum = 0;
                foreach (IndexStats.View s in pin.Scan()) sum += Closed(file, s.LastEtag);
                Assert.Equal(Records * (Records - 1) / 2, sum);
            }, null),
        ];
        foreach ((string name, Action<MappedFile<IndexStats>> call, Type? expected) in calls)
        {
            using MappedFile<IndexStats> file = MappedFile<IndexStats>.Open(path);
            Check(name, () => call(file), expected);
            using MappedFile<IndexStats> again = MappedFile<IndexStats>.Open(path, new() { WriterTimeout = TimeSpan.Zero });
            Assert.Equal((Records, 0), (again.Count, again.Read(0, static s => s.Attempts)));
            again.BeginWrite().Dispose();
            again.Verify();
        }
    }

    [Fact]
    public void Ended_by_the_function_that_is_called()
    {
        // Each in a transaction of its own; what is committed is what the function had done when it ended the transaction.
        (string, Action<WriteTransaction<IndexStats>>, Type?, int)[] calls =
        [
            ("Read, dropped", static tx => tx.Read(0, s => Ended(tx, s.LastEtag)), typeof(ObjectDisposedException), Records),
            ("Read, committed", static tx => tx.Read(0, s => Committed(tx, s.LastEtag)), typeof(ObjectDisposedException), Records + 1),
            ("Read, which appends", static tx => tx.Read(0, s => tx.Append(out int id).LastEtag + id), null, Records + 1),
        ];
        foreach ((string name, Action<WriteTransaction<IndexStats>> call, Type? expected, int count) in calls)
        {
            using (WriteTransaction<IndexStats> tx = _file.BeginWrite()) Check(name, () => call(tx), expected);
            Assert.Equal((name, count), (name, _file.Count));
            _file.Verify();
        }
        // Another one of the same file would wait for itself.
        Check("Update within Update", () => _file.Update(0, _ => _file.Update(1, static _ => { })), typeof(MappedFileException));
        Check("Update, which throws", () => _file.Update(0, static s =>
        {
            s.Attempts = 9;
            throw new InvalidDataException();
        }), typeof(InvalidDataException));
        Assert.Equal(1, _file.Increment(0, IndexStats.Fields.Attempts));
    }

    private static void AssertHasAll(Type type, IEnumerable<string> table, params string[] besides)
    {
        MethodInfo[] methods = type.GetMethods(BindingFlags.Public | BindingFlags.Instance | BindingFlags.DeclaredOnly);
        string[] names = [.. methods.Select(method => methods.Count(other => other.Name == method.Name) == 1 ? method.Name
            : $"{method.Name}/{method.GetParameters().Length}")];
        Assert.Equal(names.Order(), table.Concat(besides).Order());
    }

    private static void ForEach<TObject>(
        Dictionary<string, Action<TObject, long>> table, TObject of, long id, Func<string, Type?> expected)
    {
        foreach ((string name, Action<TObject, long> call) in table) Check(name, () => call(of, id), expected(name));
    }

    private static void Check(string name, Action call, Type? expected)
    {
        Exception? thrown = Record.Exception(call);
        Assert.True(thrown?.GetType() == expected,
            $"{name}: {thrown?.ToString() ?? "nothing was thrown"}, not {expected?.Name ?? "nothing"}");
    }

    private static long Closed(MappedFile<IndexStats> file, long value)
    {
        file.Dispose();
        return value;
    }

    private static long Ended(WriteTransaction<IndexStats> tx, long value)
    {
        tx.Dispose();
        return value;
    }

    private static long Committed(WriteTransaction<IndexStats> tx, long value)
    {
        tx.Append();
        tx.Commit();
        return value;
    }

    private sealed class Calls(Action call) : IProgress<VerifyProgress>
    {
        public void Report(VerifyProgress value) => call();
    }
}

using System.Runtime.InteropServices;

namespace MemPrims.Benchmarks.Records;

/// <summary>LMDB by P/Invoke, for benchmarks only: integer keys to values in one file. <c>apt install liblmdb0</c> installs it.</summary>
internal sealed unsafe partial class Lmdb : IDisposable
{
    private const string Library = "liblmdb.so.0";
    private const uint NoSubdirectory = 0x4000, NoSync = 0x10000, IntegerKey = 0x08, ReadOnlyTransaction = 0x20000;
    private const int First = 0, Next = 8;

    private readonly nint _environment;
    private uint _database;

    public Lmdb(string path, bool sync)
    {
        Check(mdb_env_create(out _environment));
        Check(mdb_env_set_mapsize(_environment, (nint)1 << 30));
        Check(mdb_env_open(_environment, path, NoSubdirectory | (sync ? 0 : NoSync), 0x1B4));
        Write(transaction => Check(mdb_dbi_open(transaction, null, IntegerKey, out _database)));
    }

    /// <summary>Whether the library is there; says how to install it when not.</summary>
    public static bool IsAvailable { get; } = Probe();

    public void Write(Action<nint> work)
    {
        Check(mdb_txn_begin(_environment, 0, 0, out nint transaction));
        work(transaction);
        Check(mdb_txn_commit(transaction));
    }

    public void Put(nint transaction, ulong key, ReadOnlySpan<byte> bytes)
    {
        fixed (byte* data = bytes)
        {
            Value k = new(&key, sizeof(ulong)), v = new(data, bytes.Length);
            Check(mdb_put(transaction, _database, &k, &v, 0));
        }
    }

    public ReadOnlySpan<byte> Get(nint transaction, ulong key)
    {
        Value k = new(&key, sizeof(ulong)), v = default;
        Check(mdb_get(transaction, _database, &k, &v));
        return new(v.Data, (int)v.Length);
    }

    public nint BeginRead()
    {
        Check(mdb_txn_begin(_environment, 0, ReadOnlyTransaction, out nint transaction));
        return transaction;
    }

    public static void EndRead(nint transaction) => mdb_txn_abort(transaction);

    public long Sum(delegate*<byte*, long> field)
    {
        nint transaction = BeginRead();
        Check(mdb_cursor_open(transaction, _database, out nint cursor));
        long sum = 0;
        Value k = default, v = default;
        for (int more = mdb_cursor_get(cursor, &k, &v, First); more == 0; more = mdb_cursor_get(cursor, &k, &v,
            Next)) sum += field((byte*)v.Data);
        mdb_cursor_close(cursor);
        EndRead(transaction);
        return sum;
    }

    public void Dispose() => mdb_env_close(_environment);

    private static bool Probe()
    {
        if (NativeLibrary.TryLoad(Library, out _)) return true;
        Console.Error.WriteLine("LMDB is left out: `apt install liblmdb0` installs it.");
        return false;
    }

    private static void Check(int error)
    {
        if (error != 0) throw new InvalidOperationException($"LMDB: error {error}.");
    }

    private readonly struct Value(void* data, nint length)
    {
        public readonly nint Length = length;
        public readonly void* Data = data;
    }

    [LibraryImport(Library)]
    private static partial int mdb_env_create(out nint environment);

    [LibraryImport(Library)]
    private static partial int mdb_env_set_mapsize(nint environment, nint size);

    [LibraryImport(Library, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int mdb_env_open(nint environment, string path, uint flags, int mode);

    [LibraryImport(Library)]
    private static partial void mdb_env_close(nint environment);

    [LibraryImport(Library)]
    private static partial int mdb_txn_begin(nint environment, nint parent, uint flags, out nint transaction);

    [LibraryImport(Library)]
    private static partial int mdb_txn_commit(nint transaction);

    [LibraryImport(Library)]
    private static partial void mdb_txn_abort(nint transaction);

    [LibraryImport(Library, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int mdb_dbi_open(nint transaction, string? name, uint flags, out uint database);

    [LibraryImport(Library)]
    [SuppressGCTransition]
    private static partial int mdb_put(nint transaction, uint database, Value* key, Value* value, uint flags);

    [LibraryImport(Library)]
    [SuppressGCTransition]
    private static partial int mdb_get(nint transaction, uint database, Value* key, Value* value);

    [LibraryImport(Library)]
    private static partial int mdb_cursor_open(nint transaction, uint database, out nint cursor);

    // As a C program would call it: the transition would be half of the time, and is not LMDB's.
    [LibraryImport(Library)]
    [SuppressGCTransition]
    private static partial int mdb_cursor_get(nint cursor, Value* key, Value* value, int operation);

    [LibraryImport(Library)]
    private static partial void mdb_cursor_close(nint cursor);
}

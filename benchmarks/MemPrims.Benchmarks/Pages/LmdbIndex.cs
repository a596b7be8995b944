using System.Runtime.InteropServices;

namespace MemPrims.Benchmarks.Pages;

/// <summary>
/// LMDB by P/Invoke with keys that are bytes, as an index that need not survive: MDB_NOSYNC, and each load is one transaction that stays
/// open.
/// <c>apt install liblmdb0</c> installs it. Calls skip the transition of the garbage collector, as a C program would call it.
/// </summary>
internal sealed unsafe partial class LmdbIndex : IDisposable
{
    private const string Library = "liblmdb.so.0";
    private const uint NoSubdirectory = 0x4000, NoSync = 0x10000, AppendFlag = 0x20000;
    private const int SetRange = 17, NextKey = 8;

    private readonly nint _environment;
    private readonly string _path = Path.Combine(Path.GetTempPath(), $"memprims-{Guid.NewGuid():N}");
    private readonly nint _transaction;
    private readonly uint _database;

    public LmdbIndex()
    {
        Check(mdb_env_create(out _environment));
        Check(mdb_env_set_mapsize(_environment, (nint)1 << 30));
        Check(mdb_env_open(_environment, _path, NoSubdirectory | NoSync, 0x1B4));
        Check(mdb_txn_begin(_environment, 0, 0, out _transaction));
        Check(mdb_dbi_open(_transaction, null, 0, out _database));
    }

    public static bool IsAvailable { get; } = Probe();

    public void Put(byte[] key, ulong value, bool append)
    {
        fixed (byte* bytes = key)
        {
            Value k = new(bytes, key.Length), v = new(&value, sizeof(ulong));
            Check(mdb_put(_transaction, _database, &k, &v, append ? AppendFlag : 0));
        }
    }

    public bool TryGet(byte[] key, out ulong value)
    {
        fixed (byte* bytes = key)
        {
            Value k = new(bytes, key.Length), v = default;
            bool found = mdb_get(_transaction, _database, &k, &v) == 0;
            value = found ? *(ulong*)v.Data : 0;
            return found;
        }
    }

    public long Scan(byte[] from, int count)
    {
        Check(mdb_cursor_open(_transaction, _database, out nint cursor));
        long sum = 0;
        fixed (byte* bytes = from)
        {
            Value k = new(bytes, from.Length), v = default;
            int error = mdb_cursor_get(cursor, &k, &v, SetRange);
            for (; error == 0 && count > 0; count--, error = mdb_cursor_get(cursor, &k, &v, NextKey)) sum += *(long*)v.Data + k.Length;
        }
        mdb_cursor_close(cursor);
        return sum;
    }

    public long Bytes
    {
        get
        {
            Statistics of;
            Check(mdb_stat(_transaction, _database, &of));
            return of.PageSize * (of.Branches + of.Leaves + of.Overflow);
        }
    }

    public void Dispose()
    {
        mdb_txn_abort(_transaction);
        mdb_env_close(_environment);
        File.Delete(_path);
        File.Delete(_path + "-lock");
    }

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

    private struct Statistics
    {
        public uint PageSize, Depth;
        public nint Branches, Leaves, Overflow, Entries;
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
    private static partial void mdb_txn_abort(nint transaction);

    [LibraryImport(Library, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int mdb_dbi_open(nint transaction, string? name, uint flags, out uint database);

    [LibraryImport(Library)]
    private static partial int mdb_stat(nint transaction, uint database, Statistics* statistics);

    [LibraryImport(Library)]
    [SuppressGCTransition]
    private static partial int mdb_put(nint transaction, uint database, Value* key, Value* value, uint flags);

    [LibraryImport(Library)]
    [SuppressGCTransition]
    private static partial int mdb_get(nint transaction, uint database, Value* key, Value* value);

    [LibraryImport(Library)]
    private static partial int mdb_cursor_open(nint transaction, uint database, out nint cursor);

    [LibraryImport(Library)]
    [SuppressGCTransition]
    private static partial int mdb_cursor_get(nint cursor, Value* key, Value* value, int operation);

    [LibraryImport(Library)]
    private static partial void mdb_cursor_close(nint cursor);
}

using System.Runtime.InteropServices;

namespace MemPrims.Guard;

/// <summary>LMDB by P/Invoke, where <c>apt install liblmdb0</c> or LD_LIBRARY_PATH has it, without a sync.</summary>
internal sealed unsafe partial class Lmdb : IDisposable
{
    private const string Library = "liblmdb.so.0";
    private const uint Flags = 0x4000 | 0x10000, Append = 0x20000, ReadOnly = 0x20000;
    private const int Next = 8, SetRange = 17;

    private readonly string _path = Path.Combine(Path.GetTempPath(), $"memprims-{Guid.NewGuid():N}");
    private readonly nint _environment;
    private readonly uint _database;
    private nint _transaction;

    public Lmdb()
    {
        Check(mdb_env_create(out _environment));
        Check(mdb_env_set_mapsize(_environment, 1 << 30));
        Check(mdb_env_open(_environment, _path, Flags, 0x1B4));
        Check(mdb_txn_begin(_environment, 0, 0, out _transaction));
        Check(mdb_dbi_open(_transaction, 0, 0, out _database));
    }

    public static bool IsThere { get; } = NativeLibrary.TryLoad(Library, out _);

    public void Put(byte[] key, long value, bool append = false)
    {
        fixed (byte* bytes = key)
        {
            Value k = new(bytes, key.Length), v = new(&value, sizeof(long));
            Check(mdb_put(_transaction, _database, &k, &v, append ? Append : 0));
        }
    }

    /// <summary>Commits, and reads in a transaction that only reads.</summary>
    public void BeginReading()
    {
        Check(mdb_txn_commit(_transaction));
        Check(mdb_txn_begin(_environment, 0, ReadOnly, out _transaction));
    }

    public long Get(byte[] key)
    {
        fixed (byte* bytes = key)
        {
            Value k = new(bytes, key.Length), v = default;
            return mdb_get(_transaction, _database, &k, &v) == 0 ? *(long*)v.Data : 0;
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
            for (; error == 0 && count > 0; count--, error = mdb_cursor_get(cursor, &k, &v, Next)) sum += *(long*)v.Data + k.Length;
        }
        mdb_cursor_close(cursor);
        return sum;
    }

    public void Dispose()
    {
        mdb_txn_abort(_transaction);
        mdb_env_close(_environment);
        File.Delete(_path);
        File.Delete(_path + "-lock");
    }

    private static void Check(int error)
    {
        if (error != 0) throw new InvalidOperationException($"LMDB: error {error}.");
    }

    [LibraryImport(Library)] private static partial int mdb_env_create(out nint environment);
    [LibraryImport(Library)] private static partial int mdb_env_set_mapsize(nint environment, nint size);
    [LibraryImport(Library, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int mdb_env_open(nint environment, string path, uint flags, int mode);
    [LibraryImport(Library)] private static partial void mdb_env_close(nint environment);
    [LibraryImport(Library)] private static partial int mdb_txn_begin(nint environment, nint parent, uint flags, out nint transaction);
    [LibraryImport(Library)] private static partial int mdb_txn_commit(nint transaction);
    [LibraryImport(Library)] private static partial void mdb_txn_abort(nint transaction);
    [LibraryImport(Library)] private static partial int mdb_dbi_open(nint transaction, nint name, uint flags, out uint database);
    [LibraryImport(Library), SuppressGCTransition]
    private static partial int mdb_put(nint transaction, uint database, Value* key, Value* value, uint flags);
    [LibraryImport(Library), SuppressGCTransition]
    private static partial int mdb_get(nint transaction, uint database, Value* key, Value* value);
    [LibraryImport(Library)] private static partial int mdb_cursor_open(nint transaction, uint database, out nint cursor);
    [LibraryImport(Library), SuppressGCTransition]
    private static partial int mdb_cursor_get(nint cursor, Value* key, Value* value, int operation);
    [LibraryImport(Library)] private static partial void mdb_cursor_close(nint cursor);

    private readonly struct Value(void* data, nint length)
    {
        public readonly nint Length = length;
        public readonly void* Data = data;
    }
}

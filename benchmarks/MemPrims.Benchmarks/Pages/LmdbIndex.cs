using static MemPrims.Benchmarks.Workloads.LmdbLibrary;

namespace MemPrims.Benchmarks.Pages;

/// <summary>
/// LMDB by P/Invoke with keys that are bytes, as an index that need not survive: MDB_NOSYNC, and each load is one transaction that stays
/// open. Calls skip the transition of the garbage collector, as a C program would call it.
/// </summary>
internal sealed unsafe class LmdbIndex : IDisposable
{
    private const uint AppendFlag = 0x20000, ReadOnlyFlag = 0x20000;
    private const int SetRange = 17;

    private readonly nint _environment;
    private readonly string _path = Path.Combine(Path.GetTempPath(), $"memprims-{Guid.NewGuid():N}");
    private nint _transaction;
    private readonly uint _database;

    public LmdbIndex()
    {
        Check(mdb_env_create(out _environment));
        Check(mdb_env_set_mapsize(_environment, (nint)1 << 30));
        Check(mdb_env_open(_environment, _path, NoSubdirectory | NoSync, 0x1B4));
        Check(mdb_txn_begin(_environment, 0, 0, out _transaction));
        Check(mdb_dbi_open(_transaction, null, 0, out _database));
    }

    public void Put(byte[] key, ReadOnlySpan<byte> value, bool append)
    {
        fixed (byte* bytes = key, content = value)
        {
            Value k = new(bytes, key.Length), v = new(content, value.Length);
            Check(mdb_put(_transaction, _database, &k, &v, append ? AppendFlag : 0));
        }
    }

    /// <summary>Commits, and reads in a transaction that only reads: the other looks every page up among those it has changed.</summary>
    public void BeginReading()
    {
        Check(mdb_txn_commit(_transaction));
        Check(mdb_txn_begin(_environment, 0, ReadOnlyFlag, out _transaction));
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
            for (; error == 0 && count > 0; count--, error = mdb_cursor_get(cursor, &k, &v, Next)) sum += *(long*)v.Data + k.Length;
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
}

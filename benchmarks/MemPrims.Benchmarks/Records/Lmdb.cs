using static MemPrims.Benchmarks.Workloads.LmdbLibrary;

namespace MemPrims.Benchmarks.Records;

/// <summary>LMDB by P/Invoke, for benchmarks only: integer keys to values in one file.</summary>
internal sealed unsafe class Lmdb : IDisposable
{
    private const uint IntegerKey = 0x08, ReadOnlyTransaction = 0x20000;
    private const int First = 0;

    private readonly nint _environment;
    private uint _database;

    public Lmdb(string path, bool sync)
    {
        Check(mdb_env_create(out _environment));
        Check(mdb_env_set_mapsize(_environment, (nint)1 << 30));
        Check(mdb_env_open(_environment, path, NoSubdirectory | (sync ? 0 : NoSync), 0x1B4));
        Write(transaction => Check(mdb_dbi_open(transaction, null, IntegerKey, out _database)));
    }

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
}

using SQLitePCL;

namespace MemPrims.Benchmarks.Records;

/// <summary>SQLite at its fastest: prepared statements over the C interface, a table of integer key and value.</summary>
internal sealed class Sqlite : IDisposable
{
    private readonly sqlite3 _database;
    private readonly sqlite3_stmt _put, _get, _begin, _commit;

    static Sqlite() => Batteries_V2.Init();

    public Sqlite(string path, string journal, string synchronous)
    {
        Check(raw.sqlite3_open(path, out _database));
        Check(raw.sqlite3_exec(_database,
            $"PRAGMA journal_mode={journal}; PRAGMA synchronous={synchronous}; CREATE TABLE stats (id INTEGER PRIMARY KEY, value BLOB)"));
        _put = Prepare("INSERT OR REPLACE INTO stats VALUES (?1, ?2)");
        _get = Prepare("SELECT value FROM stats WHERE id = ?1");
        _begin = Prepare("BEGIN IMMEDIATE");
        _commit = Prepare("COMMIT");
    }

    public void Begin() => Run(_begin);

    public void Commit() => Run(_commit);

    public void Put(long id, ReadOnlySpan<byte> value)
    {
        raw.sqlite3_bind_int64(_put, 1, id);
        raw.sqlite3_bind_blob(_put, 2, value);
        Run(_put);
    }

    /// <summary>Valid until the next call.</summary>
    public ReadOnlySpan<byte> Get(long id)
    {
        raw.sqlite3_reset(_get);
        raw.sqlite3_bind_int64(_get, 1, id);
        if (raw.sqlite3_step(_get) != raw.SQLITE_ROW) throw new InvalidOperationException(raw.sqlite3_errmsg(_database).utf8_to_string());
        return raw.sqlite3_column_blob(_get, 0);
    }

    /// <summary>Ends the read that <see cref="Get"/> left open.</summary>
    public void EndGet() => raw.sqlite3_reset(_get);

    public void Dispose()
    {
        foreach (sqlite3_stmt statement in (sqlite3_stmt[])[_put, _get, _begin, _commit]) statement.Dispose();
        _database.Dispose();
    }

    private sqlite3_stmt Prepare(string sql)
    {
        Check(raw.sqlite3_prepare_v2(_database, sql, out sqlite3_stmt statement));
        return statement;
    }

    private void Run(sqlite3_stmt statement)
    {
        if (raw.sqlite3_step(statement) != raw.SQLITE_DONE)
            throw new InvalidOperationException(raw.sqlite3_errmsg(_database).utf8_to_string());
        raw.sqlite3_reset(statement);
    }

    private static void Check(int error)
    {
        if (error != raw.SQLITE_OK) throw new InvalidOperationException($"SQLite: error {error}.");
    }
}

using System.Runtime.InteropServices;
using System.Text;

namespace DocumentStore.Twins;

/// <summary>
/// The same on the system's SQLite: a row for each document, a write-ahead log, prepared statements, indexes on expressions. An index of
/// city
/// and state serves the filters and two of the facets; skus lie in lists, which json_each takes apart.
/// </summary>
internal sealed unsafe partial class SqliteTwin : ITwin
{
    private const int Row = 100, Done = 101;

    private readonly nint _db, _insert, _get, _range, _begin, _commit;
    private readonly nint[] _facets;

    public SqliteTwin(string folder, string synchronous)
    {
        Check(Open(Path.Combine(folder, "documents.db"), out _db));
        Run("PRAGMA journal_mode=WAL");
        Run($"PRAGMA synchronous={synchronous}");
        Run("PRAGMA cache_size=-262144");
        Run("PRAGMA mmap_size=1073741824");
        Run("CREATE TABLE IF NOT EXISTS d(id INTEGER PRIMARY KEY, key TEXT UNIQUE, doc TEXT)");
        Run("CREATE INDEX IF NOT EXISTS name ON d(json_extract(doc, '$.customer.name'))");
        Run("CREATE INDEX IF NOT EXISTS total ON d(json_extract(doc, '$.total'))");
        Run("CREATE INDEX IF NOT EXISTS place ON d(json_extract(doc, '$.customer.city'), json_extract(doc, '$.state'))");
        (_begin, _commit) = (New("BEGIN IMMEDIATE"), New("COMMIT"));
        _insert = New("INSERT INTO d(key, doc) VALUES(?, ?) ON CONFLICT(key) DO UPDATE SET doc = excluded.doc");
        _get = New("SELECT doc FROM d WHERE key = ?");
        _range = New("SELECT doc FROM d WHERE json_extract(doc, '$.total') >= ? ORDER BY json_extract(doc, '$.total') LIMIT 100");
        const string hits = "json_extract(doc, '$.customer.city') = ? AND json_extract(doc, '$.state') = 'paid'";
        _facets =
        [
            New($"SELECT json_extract(doc, '$.customer.city') v, COUNT(*) c FROM d WHERE {hits} GROUP BY v ORDER BY c DESC LIMIT 10"),
            New($"SELECT json_extract(doc, '$.state') v, COUNT(*) c FROM d WHERE {hits} GROUP BY v ORDER BY c DESC LIMIT 10"),
            New("SELECT json_extract(line.value, '$.sku') v, COUNT(DISTINCT d.id) c FROM d, json_each(d.doc, '$.lines') line "
                + $"WHERE {hits} GROUP BY v ORDER BY c DESC LIMIT 10"),
        ];
    }

    public static string Version => Marshal.PtrToStringUTF8(LibVersion())!;

    public void Commit(List<(string Key, ReadOnlyMemory<byte> Content)> batch)
    {
        StepAll(_begin);
        foreach ((string key, ReadOnlyMemory<byte> content) in batch)
        {
            BindKey(_insert, key);
            fixed (byte* bytes = content.Span) Check(BindText(_insert, 2, bytes, content.Length, -1));
            StepAll(_insert);
        }
        StepAll(_commit);
    }

    public void WaitForIndex()
    {
    }

    public int Get(string key)
    {
        BindKey(_get, key);
        int length = 0;
        while (Next(_get)) length = Content(0, _get).Length;
        return length;
    }

    public long Range(double total)
    {
        Check(BindDouble(_range, 1, total));
        long bytes = 0;
        while (Next(_range)) bytes += Content(0, _range).Length;
        return bytes;
    }

    public long Facets(string city)
    {
        long sum = 0;
        foreach (nint facet in _facets)
        {
            BindKey(facet, city);
            while (Next(facet))
            {
                Encoding.UTF8.GetString(Content(0, facet));
                sum += ColumnInt64(facet, 1);
            }
        }
        return sum;
    }

    public void Dispose()
    {
        foreach (nint statement in (nint[])[_insert, _get, _range, _begin, _commit, .. _facets]) FinalizeStatement(statement);
        Check(Close(_db));
    }

    private static ReadOnlySpan<byte> Content(int column, nint statement) => new(ColumnText(statement, column), ColumnBytes(statement,
        column));

    private void BindKey(nint statement, string key)
    {
        byte[] utf8 = Encoding.UTF8.GetBytes(key);
        fixed (byte* bytes = utf8) Check(BindText(statement, 1, bytes, utf8.Length, -1));
    }

    private nint New(string sql)
    {
        Check(Prepare(_db, sql, -1, out nint statement, 0));
        return statement;
    }

    private void Run(string sql)
    {
        nint statement = New(sql);
        StepAll(statement);
        FinalizeStatement(statement);
    }

    private void StepAll(nint statement)
    {
        while (Next(statement))
        {
        }
    }

    private bool Next(nint statement)
    {
        int code = Step(statement);
        if (code == Row) return true;
        Reset(statement);
        if (code != Done) Check(code);
        return false;
    }

    private void Check(int code)
    {
        if (code != 0) throw new IOException($"SQLite: {code} {Marshal.PtrToStringUTF8(Error(_db))}");
    }

    private const string Lib = "libsqlite3.so.0";
    [LibraryImport(Lib, EntryPoint = "sqlite3_open", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Open(string path, out nint db);
    [LibraryImport(Lib, EntryPoint = "sqlite3_close")] private static partial int Close(nint db);
    [LibraryImport(Lib, EntryPoint = "sqlite3_errmsg")] private static partial nint Error(nint db);
    [LibraryImport(Lib, EntryPoint = "sqlite3_libversion")] private static partial nint LibVersion();
    [LibraryImport(Lib, EntryPoint = "sqlite3_prepare_v2", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Prepare(nint db, string sql, int length, out nint statement, nint tail);
    [LibraryImport(Lib, EntryPoint = "sqlite3_step")] private static partial int Step(nint statement);
    [LibraryImport(Lib, EntryPoint = "sqlite3_reset")] private static partial int Reset(nint statement);
    [LibraryImport(Lib, EntryPoint = "sqlite3_finalize")] private static partial int FinalizeStatement(nint statement);
    [LibraryImport(Lib, EntryPoint = "sqlite3_bind_text")] private static partial int BindText(nint statement, int at, byte* text,
        int length, nint free);
    [LibraryImport(Lib, EntryPoint = "sqlite3_bind_double")] private static partial int BindDouble(nint statement, int at, double value);
    [LibraryImport(Lib, EntryPoint = "sqlite3_column_text")] private static partial byte* ColumnText(nint statement, int column);
    [LibraryImport(Lib, EntryPoint = "sqlite3_column_bytes")] private static partial int ColumnBytes(nint statement, int column);
    [LibraryImport(Lib, EntryPoint = "sqlite3_column_int64")] private static partial long ColumnInt64(nint statement, int column);
}

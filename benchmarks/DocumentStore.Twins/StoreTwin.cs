using Docstore;

namespace DocumentStore.Twins;

/// <summary>The store of tests/DocumentStore.</summary>
internal sealed class StoreTwin(string folder) : ITwin
{
    private readonly Collection _collection = Collection.Open(folder, new() { Indexes = Sample.Indexes, Facets = Sample.Facets });
    private readonly Batch _batch = new();

    public int? Helper => _collection.WorkerProcessId;

    public void Commit(List<(string Key, ReadOnlyMemory<byte> Content)> batch)
    {
        _batch.Clear();
        foreach ((string key, ReadOnlyMemory<byte> content) in batch) _batch.Put(key, content);
        _collection.Commit(_batch);
    }

    public void WaitForIndex() => _collection.WaitForIndex(_collection.End, TimeSpan.FromMinutes(10));

    public int Get(string key) => _collection.TryGet(key, out ReadOnlySpan<byte> content) ? content.Length : 0;

    public long Range(double total) => _collection.Find(new() { Index = "total", From = total, Limit = 100 }).Documents
        .Sum(static document => (long)document.Content.Length);

    public long Facets(string city) => _collection.Find(new()
    {
        Where = [("customer.city", city), ("state", "paid")], Facets = ["customer.city", "state", "lines.sku"], Limit = 0,
    }).Facets.Values.Sum(static values => values.Sum(static value => (long)value.Count));

    public void Dispose() => _collection.Dispose();
}

using DocumentStore.Cluster;

namespace DocumentStore.Twins;

/// <summary>The document store without indexes, as nobody else here has any. Threads: one.</summary>
internal sealed class StoreKeyValues(string folder) : IKeyValues
{
    private readonly ClusterNodes _nodes = new(3, folder, isIndexed: false);

    public IKeyValueClient Connect() => new StoreClient(new(_nodes.Members), _nodes.Leader() % 3 + 1);

    public void Dispose() => _nodes.Dispose();

    private sealed class StoreClient(ClusterClient client, int follower) : IKeyValueClient
    {
        private long _position;

        public async Task PutAsync(IReadOnlyList<(string Key, byte[] Value)> all)
        {
            Batch batch = new();
            foreach ((string key, byte[] value) in all) batch.Put(key, value);
            _position = await client.CommitAsync(batch).ConfigureAwait(false);
        }

        public Task<byte[]?> GetAsync(string key, bool atFollower) =>
            atFollower ? client.GetAsync(key, _position, follower) : client.GetAsync(key);

        public void Dispose() => client.Dispose();
    }
}

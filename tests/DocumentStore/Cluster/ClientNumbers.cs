using System.Text.Json;

namespace DocumentStore.Cluster;

/// <summary>
/// Which batches of clients are in the collection: of each client the last one. Documents of the collection keep them, some clients each,
/// so that a commit writes few of them. Their number is always the same, and arrays of arrays have no fields, so they are in no index.
/// Threads: one.
/// </summary>
internal sealed class ClientNumbers
{
    /// <summary>How many documents keep them.</summary>
    public const int Documents = 64;

    // A client that has been silent while so many others of its document wrote is forgotten: a batch that it repeats may count twice.
    private const int MostInDocument = 64;

    private readonly Dictionary<Guid, (long Number, long At)>[] _clients = new Dictionary<Guid, (long, long)>[Documents];
    private readonly bool[] _isChanged = new bool[Documents];

    public ClientNumbers(Collection collection)
    {
        for (int i = 0; i < Documents; i++)
        {
            _clients[i] = [];
            // The first commit makes all of them.
            _isChanged[i] = !collection.TryGet(KeyOf(i), out ReadOnlySpan<byte> json);
            if (_isChanged[i]) continue;
            foreach (JsonElement[] one in JsonSerializer.Deserialize<JsonElement[][]>(json)!)
                _clients[i][one[0].GetGuid()] = (one[1].GetInt64(), one[2].GetInt64());
        }
    }

    /// <summary>Notes a batch.</summary>
    /// <param name="client">Whose it is.</param>
    /// <param name="number">Its number.</param>
    /// <param name="at">The index of its entry.</param>
    /// <returns>False where it is in the collection already.</returns>
    public bool TryTake(Guid client, long number, long at)
    {
        int document = client.ToByteArray()[0] % Documents;
        Dictionary<Guid, (long Number, long At)> clients = _clients[document];
        if (clients.TryGetValue(client, out (long Number, long At) last) && number <= last.Number) return false;
        clients[client] = (number, at);
        if (clients.Count > MostInDocument) clients.Remove(clients.MinBy(static one => one.Value.At).Key);
        return _isChanged[document] = true;
    }

    /// <summary>Puts what has changed into a batch.</summary>
    public void AddTo(Batch batch)
    {
        for (int i = 0; i < Documents; i++)
        {
            if (!_isChanged[i]) continue;
            object[][] clients = [.. _clients[i].Select(static one => new object[] { one.Key, one.Value.Number, one.Value.At })];
            batch.Put(KeyOf(i), JsonSerializer.SerializeToUtf8Bytes(clients));
            _isChanged[i] = false;
        }
    }

    private static string KeyOf(int document) => $"{Replica.StateKey}/{document}";
}

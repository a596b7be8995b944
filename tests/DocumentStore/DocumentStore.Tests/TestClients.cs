using System.Collections.Concurrent;
using System.Diagnostics;
using System.Text;
using DocumentStore.Cluster;

namespace DocumentStore.Tests;

/// <summary>
/// Eight clients that write and read five keys, and one that loads documents, until they are ended. Then what they saw must have an order,
/// what was acknowledged must be there, and the replicas must be equal. Threads: one.
/// </summary>
internal sealed class TestClients
{
    private const int Clients = 8, Keys = 5, BatchSize = 20;

    private readonly TestCluster _cluster;
    private readonly CancellationTokenSource _stop = new();
    private readonly ConcurrentQueue<(string Key, History.Operation Done)> _history = [];
    private readonly ConcurrentQueue<int> _acknowledged = [];
    private readonly Task[] _clients;

    public TestClients(TestCluster cluster)
    {
        _cluster = cluster;
        _clients = [.. Enumerable.Range(0, Clients).Select(id => Task.Run(() => UseAsync(id, _stop.Token))), Task.Run(LoadAsync)];
    }

    public override string ToString() => $"{_history.Count} operations and {_acknowledged.Count} documents";

    /// <summary>Waits until each of the clients has got some answers after this.</summary>
    public void Progress(int answers = 10)
    {
        int before = _history.Count + answers * Clients, documents = _acknowledged.Count + answers;
        while (_history.Count < before || _acknowledged.Count < documents)
        {
            _cluster.CheckThatAllRun();
            if (_clients.FirstOrDefault(static one => one.IsFaulted) is { } ended)
                Assert.Fail($"A client has given up: {ended.Exception}");
            Thread.Sleep(10);
        }
    }

    public async Task UseAsync(int id, CancellationToken stop)
    {
        using ClusterClient client = _cluster.Client();
        Random random = new(id);
        for (int number = 0; !stop.IsCancellationRequested; number++)
        {
            string key = $"k/{random.Next(Keys)}";
            string? value = $"\"{id}:{number}\"";
            bool isWrite = random.Next(2) == 0;
            long start = Stopwatch.GetTimestamp();
            if (isWrite) await client.CommitAsync(new Batch().Put(key, Encoding.UTF8.GetBytes(value)));
            else value = await client.GetAsync(key) is { } content ? Encoding.UTF8.GetString(content) : null;
            Note(key, new(value, isWrite, start, Stopwatch.GetTimestamp()));
            await Task.Delay(random.Next(20), CancellationToken.None);
        }
    }

    /// <summary>Adds what somebody else saw.</summary>
    public void Note(string key, History.Operation done) => _history.Enqueue((key, done));

    /// <summary>Ends the clients and the nodes, and compares.</summary>
    public async Task CheckAsync()
    {
        Progress();
        await _stop.CancelAsync();
        await Task.WhenAll(_clients);
        _cluster.Settle();
        foreach (var key in _history.GroupBy(static one => one.Key))
            Assert.True(History.IsLinearisable(key.Select(static one => one.Done)), $"What clients saw of {key.Key} has no order.");
        Dictionary<string, string> content = ContentOf(_cluster.CollectionOf(1));
        foreach (int one in _acknowledged)
            Assert.True(content.GetValueOrDefault($"d/{one}") == DocumentOf(one), $"d/{one} was acknowledged and is lost.");
        for (int node = 2; node <= _cluster.Members.Length; node++) Assert.Equal(content, ContentOf(_cluster.CollectionOf(node)));
    }

    public static Dictionary<string, string> ContentOf(string folder)
    {
        using Collection collection = Collection.Open(folder, null, Engine.Options);
        collection.WaitForIndex(collection.End, TimeSpan.FromMinutes(5));
        Dictionary<string, string> content = [];
        for (byte[]? after = null; ;)
        {
            QueryResult page = collection.Find(new() { Limit = 1000, After = after });
            foreach (Document one in page.Documents) content[one.Key] = Encoding.UTF8.GetString(one.Content);
            if ((after = page.Next) is null) break;
        }
        Assert.Equal(collection.Count, content.Count);
        Assert.Null(collection.Verify());
        // How far a replica has written that it is depends on which entries it has applied together.
        foreach (string own in content.Keys.Where(Replica.IsOwn)) content.Remove(own);
        return content;
    }

    // One batch of ten is long: an entry that comes in several segments may come in part.
    private static string DocumentOf(int number)
    {
        string more = number / BatchSize % 10 == 0 ? new string('m', number * 67 % 6000) : "";
        return $"{{\"city\":\"d/{number}\",\"more\":\"{more}\"}}";
    }

    private async Task LoadAsync()
    {
        using ClusterClient client = _cluster.Client();
        for (int number = 0; !_stop.IsCancellationRequested;)
        {
            Batch batch = new();
            int[] numbers = [.. Enumerable.Range(number, BatchSize)];
            foreach (int one in numbers) batch.Put($"d/{one}", Encoding.UTF8.GetBytes(DocumentOf(one)));
            await client.CommitAsync(batch);
            foreach (int one in numbers) _acknowledged.Enqueue(one);
            number += BatchSize;
            await Task.Delay(10, CancellationToken.None);
        }
    }
}

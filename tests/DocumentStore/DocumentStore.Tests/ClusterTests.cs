using System.Collections.Concurrent;
using System.Diagnostics;
using System.Text;
using DocumentStore.Cluster;

namespace DocumentStore.Tests;

public class ClusterTests
{
    private const int Clients = 8, Keys = 5;

    private static readonly double s_minutes = Environment.GetEnvironmentVariable("MEMPRIMS_CLUSTER_MINUTES") is { } minutes
        ? double.Parse(minutes) : Environment.GetEnvironmentVariable("MEMPRIMS_LONG") == "1" ? 10 : 0;

    /// <summary>The leader is killed, a follower, all, and a leader is held up while another one leads, under load. Nothing acknowledged
    /// is lost, what the clients saw has an order, and the replicas are equal.</summary>
    [Fact]
    public async Task Kills_of_nodes_lose_nothing_and_show_nothing_wrong()
    {
        using TestCluster cluster = new(3);
        using CancellationTokenSource stop = new();
        ConcurrentQueue<(string Key, History.Operation Done)> history = [];
        ConcurrentQueue<string> acknowledged = [];
        Task[] clients = [.. Enumerable.Range(0, Clients).Select(id => Task.Run(() => UseAsync(cluster, id, history, stop.Token))),
            Task.Run(() => LoadAsync(cluster, acknowledged, stop.Token))];
        Random random = new(5);
        long start = Stopwatch.GetTimestamp();
        int round = 0;
        for (; round < 4 || Stopwatch.GetElapsedTime(start) < TimeSpan.FromMinutes(s_minutes); round++)
        {
            Progress();
            int leader = cluster.Leader(), follower = leader % 3 + 1;
            Thread.Sleep(random.Next(200));
            switch (round % 4)
            {
                case 0: Restart(leader); break;
                case 1: Restart(follower); break;
                case 2: Restart(1, 2, 3); break;
                default:
                    cluster.Signal(leader, "STOP");
                    cluster.Leader(besides: leader);
                    using (CancellationTokenSource soon = new(1000)) await UseAsync(cluster, Clients + round, history, soon.Token);
                    cluster.Signal(leader, "CONT");
                    break;
            }
        }
        Progress();
        await stop.CancelAsync();
        await Task.WhenAll(clients);
        cluster.Settle();
        foreach (var key in history.GroupBy(static one => one.Key))
            Assert.True(History.IsLinearisable(key.Select(static one => one.Done)), $"What clients saw of {key.Key} has no order.");
        Dictionary<string, string> content = ContentOf(cluster.CollectionOf(1));
        Assert.All(acknowledged, key => Assert.True(content.ContainsKey(key), $"{key} was acknowledged and is lost."));
        for (int node = 2; node <= 3; node++) Assert.Equal(content, ContentOf(cluster.CollectionOf(node)));
        Console.WriteLine($"cluster: {round} rounds, {history.Count} operations and {acknowledged.Count} documents");

        // Each of the clients gets some answers after this.
        void Progress()
        {
            int before = history.Count + 10 * Clients, documents = acknowledged.Count;
            while (history.Count < before || acknowledged.Count == documents)
            {
                Assert.DoesNotContain(clients, static one => one.IsFaulted);
                Thread.Sleep(10);
            }
        }

        void Restart(params int[] nodes)
        {
            foreach (int node in nodes) cluster.Kill(node);
            Thread.Sleep(random.Next(1000));
            foreach (int node in nodes) cluster.Start(node);
        }
    }

    /// <summary>A batch that comes again counts once, a replica has what its client wrote, and wrong use is told.</summary>
    [Fact]
    public async Task A_batch_counts_once_and_replicas_have_what_was_written()
    {
        using TestCluster cluster = new(3);
        using ClusterClient client = cluster.Client(), other = cluster.Client();
        byte[] proposal = Proposal.Encode(Guid.NewGuid(), 1, new Batch().Put("k", "{\"city\":\"Rome\"}"u8.ToArray()));
        await client.ProposeAsync(proposal);
        await other.CommitAsync(new Batch().Put("k", "{\"city\":\"Oslo\"}"u8.ToArray()));
        long position = await client.ProposeAsync(proposal);
        for (int member = 1; member <= 3; member++)
            Assert.Equal("{\"city\":\"Oslo\"}"u8.ToArray(), await client.GetAsync("k", position, member));
        ClusterCounts counts = await client.CountAsync(["city"], [], 10);
        Assert.Equal(1, counts.Total);
        Assert.Equal([new ValueCount("Oslo", 1)], counts.Facets.Single().Values);
        position = await client.CommitAsync(new Batch().Delete("k"));
        Assert.Null(await client.GetAsync("k"));
        Assert.Null(await client.GetAsync("k", position, 2));
        await Assert.ThrowsAsync<ArgumentException>(() => client.CommitAsync(new Batch().Put(Replica.StateKey, default)));
        await Assert.ThrowsAsync<ArgumentException>(() => client.CountAsync(["country"], [], 10));
    }

    private static async Task UseAsync(
        TestCluster cluster, int id, ConcurrentQueue<(string, History.Operation)> history, CancellationToken stop)
    {
        using ClusterClient client = cluster.Client();
        Random random = new(id);
        for (int number = 0; !stop.IsCancellationRequested; number++)
        {
            string key = $"k/{random.Next(Keys)}";
            string? value = $"\"{id}:{number}\"";
            bool isWrite = random.Next(2) == 0;
            long start = Stopwatch.GetTimestamp();
            if (isWrite) await client.CommitAsync(new Batch().Put(key, Encoding.UTF8.GetBytes(value)));
            else value = await client.GetAsync(key) is { } content ? Encoding.UTF8.GetString(content) : null;
            history.Enqueue((key, new(value, isWrite, start, Stopwatch.GetTimestamp())));
            await Task.Delay(random.Next(20), CancellationToken.None);
        }
    }

    private static async Task LoadAsync(TestCluster cluster, ConcurrentQueue<string> acknowledged, CancellationToken stop)
    {
        using ClusterClient client = cluster.Client();
        for (int number = 0; !stop.IsCancellationRequested;)
        {
            Batch batch = new();
            string[] keys = [.. Enumerable.Range(number, 20).Select(static one => $"d/{one}")];
            foreach (string key in keys) batch.Put(key, Encoding.UTF8.GetBytes($"{{\"city\":\"{key}\"}}"));
            await client.CommitAsync(batch);
            foreach (string key in keys) acknowledged.Enqueue(key);
            number += keys.Length;
            await Task.Delay(10, CancellationToken.None);
        }
    }

    private static Dictionary<string, string> ContentOf(string folder)
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
        content.Remove(Replica.StateKey);
        return content;
    }
}

using System.Buffers;
using System.Diagnostics;
using Docstore;
using DocumentStore.Cluster;

namespace DocumentStore.Twins;

/// <summary>
/// Nodes as processes of this machine, and one client: how fast batches of 500 orders are acknowledged, how long one document takes to be
/// put and got, how long until another node leads where the leader is killed, and until one that was away has all.
/// </summary>
internal sealed class ClusterFigures : IDisposable
{
    private const int BatchSize = 500, Kills = 8, Puts = 2_000, Gets = 10_000;

    private readonly ClusterNodes _nodes;
    private readonly ClusterClient _client;
    private readonly ArrayBufferWriter<byte> _bytes = new(512);

    private ClusterFigures(int nodes, string folder)
    {
        _nodes = new(nodes, folder, isIndexed: true);
        _client = _nodes.Client;
    }

    public static Dictionary<string, object> Measure(int nodes, int count, string folder)
    {
        using ClusterFigures cluster = new(nodes, folder);
        Dictionary<string, object> row = new() { ["nodes"] = nodes, ["machine"] = $"{MemPrims.Benchmarks.Publish.Machine.Here()}" };
        TimeSpan processor = cluster._nodes.Processor;
        long start = Stopwatch.GetTimestamp();
        (long end, double[] waits) = cluster.Load(0, count);
        row["documents a second"] = count / Stopwatch.GetElapsedTime(start).TotalSeconds;
        start = Stopwatch.GetTimestamp();
        while (cluster._client.CountAsync(["state"], [], 4, end).Result.Total <= count) Thread.Sleep(1);
        row["counted, s after the last batch"] = Stopwatch.GetElapsedTime(start).TotalSeconds;
        row["processor s a node"] = (cluster._nodes.Processor - processor).TotalSeconds / nodes;
        Add(row, "batch of 500, ms", waits);
        Random random = new(5);
        int leader = cluster._nodes.Leader();
        Add(row, "put, ms", Times(Puts, () => cluster._client.CommitAsync(cluster.One(random.Next(count)))));
        Add(row, "get of all that was acknowledged, ms", Times(Gets, () => cluster._client.GetAsync(Sample.Key(random.Next(count)))));
        if (nodes == 1) return row;
        int follower = leader % nodes + 1;
        Add(row, "get at a follower, ms", Times(Gets, () => cluster._client.GetAsync(Sample.Key(random.Next(count)), end, follower)));
        row["timeline"] = cluster.LoadWithKill(count);
        double[] leads = new double[Kills];
        for (int kill = 0; kill < Kills; kill++)
        {
            leader = cluster._nodes.Leader();
            cluster._nodes.Kill(leader);
            start = Stopwatch.GetTimestamp();
            cluster._nodes.Leader(besides: leader);
            leads[kill] = Stopwatch.GetElapsedTime(start).TotalSeconds;
            cluster._nodes.Start(leader);
            cluster.CatchUp(leader);
        }
        Array.Sort(leads);
        (row["new leader, s, least"], row["new leader, s, most"]) = (leads[0], leads[^1]);
        return row;
    }

    /// <summary>A node is away while so many documents are put in.</summary>
    public static Dictionary<string, object> MeasureCatchUp(int count, string folder)
    {
        using ClusterFigures cluster = new(3, folder);
        int away = cluster._nodes.Leader() % 3 + 1;
        cluster._nodes.Kill(away);
        cluster.Load(0, count);
        long start = Stopwatch.GetTimestamp();
        cluster._nodes.Start(away);
        cluster.CatchUp(away);
        return new() { ["documents missed"] = count, ["catch-up, s"] = Stopwatch.GetElapsedTime(start).TotalSeconds };
    }

    public void Dispose() => _nodes.Dispose();

    // The times at which batches are acknowledged, in seconds; the leader is killed after a third of the documents.
    private double[] LoadWithKill(int count)
    {
        List<double> acknowledged = [];
        long start = Stopwatch.GetTimestamp();
        int killed = 0;
        for (int i = 0; i < count; i += BatchSize)
        {
            if (killed == 0 && i >= count / 3) _nodes.Kill(killed = _nodes.Leader());
            _client.CommitAsync(Of(i, Math.Min(i + BatchSize, count))).Wait();
            acknowledged.Add(Stopwatch.GetElapsedTime(start).TotalSeconds);
        }
        _nodes.Start(killed);
        CatchUp(killed);
        return [.. acknowledged];
    }

    private (long End, double[] Waits) Load(int from, int to)
    {
        List<double> waits = [];
        long end = 0;
        for (int i = from; i < to; i += BatchSize)
        {
            Batch batch = Of(i, Math.Min(i + BatchSize, to));
            long start = Stopwatch.GetTimestamp();
            end = _client.CommitAsync(batch).Result;
            waits.Add(Stopwatch.GetElapsedTime(start).TotalMilliseconds);
        }
        return (end, [.. waits]);
    }

    private Batch Of(int from, int to)
    {
        Batch batch = new();
        for (int i = from; i < to; i++) Put(batch, i);
        return batch;
    }

    private Batch One(int number)
    {
        Batch batch = new();
        Put(batch, number);
        return batch;
    }

    private void Put(Batch batch, int number)
    {
        _bytes.ResetWrittenCount();
        batch.Put(Sample.Key(number), Sample.Order(_bytes, number));
    }

    // Until the node has all that was acknowledged.
    private void CatchUp(int node)
    {
        long end = _client.CommitAsync(One(0)).Result;
        _client.GetAsync(Sample.Key(0), end, node).Wait();
    }

    private static double[] Times(int times, Func<Task> act)
    {
        double[] all = new double[times];
        for (int i = 0; i < times; i++)
        {
            long start = Stopwatch.GetTimestamp();
            act().Wait();
            all[i] = Stopwatch.GetElapsedTime(start).TotalMilliseconds;
        }
        return all;
    }

    private static void Add(Dictionary<string, object> row, string what, double[] all)
    {
        Array.Sort(all);
        (row[$"{what}, p50"], row[$"{what}, p99"]) = (all[all.Length / 2], all[all.Length * 99 / 100]);
    }
}

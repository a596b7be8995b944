using System.Diagnostics;
using System.Net;
using DocumentStore.Cluster;

namespace DocumentStore.Tests;

/// <summary>Nodes of a cluster, which are killed, held up, cut off and started again. Threads: one.</summary>
internal sealed class TestCluster : IDisposable
{
    private readonly TempFolder _folder = new();
    private readonly TestPorts _ports = new();
    private TestNode[] _nodes = [];
    private ClusterClient? _client;

    /// <param name="nodes">How many.</param>
    /// <param name="isProxied">Whether a <see cref="TestProxy"/> stands between them all.</param>
    /// <param name="more">Goes to each node.</param>
    public TestCluster(int nodes, bool isProxied = false, params string[] more)
    {
        // Somebody else may have taken a port since it was found free: then all get other ones.
        do
        {
            foreach (TestNode node in _nodes) node.Kill();
            Proxy?.Dispose();
            IPEndPoint[] listens = Members = Next();
            if (isProxied) Proxy = new(Members = Next(), listens, node => _nodes[node - 1].ProcessId);
            string members = string.Join(',', (object[])Members);
            _nodes = [.. Enumerable.Range(1, nodes).Select(id => new TestNode($"Node {id}", ["--id", $"{id}", "--members", members,
                "--listen", $"{listens[id - 1]}", "--folder", FolderOf(id), "--facet", "city", "--election-ms", "1000", .. more]))];
        }
        while (!_nodes.All(static node => node.TryStart()));

        IPEndPoint[] Next() => [.. Enumerable.Range(0, nodes).Select(_ => _ports.Next())];
    }

    public IPEndPoint[] Members { get; }

    public TestProxy? Proxy { get; }

    /// <inheritdoc cref="TestNode.Restarts"/>
    public int Restarts => _nodes.Sum(static node => node.Restarts);

    private ClusterClient Asks => _client ??= Client(TimeSpan.FromSeconds(5));

    /// <summary>One that waits for as long as a busy machine may take, unless told.</summary>
    public ClusterClient Client(TimeSpan? patience = null) => new(Members, patience ?? TestNode.Patience);

    public string FolderOf(int node) => Path.Combine(_folder.Path, $"{node}");

    public string CollectionOf(int node) => Path.Combine(FolderOf(node), "collection");

    /// <inheritdoc cref="TestNode.Errors"/>
    public string ErrorsOf(int node) => _nodes[node - 1].Errors;

    public void Start(int node) => _nodes[node - 1].Start();

    public void Kill(int node) => _nodes[node - 1].Kill();

    /// <inheritdoc cref="TestNode.Wait"/>
    public int Wait(int node) => _nodes[node - 1].Wait();

    /// <summary>Holds a node up with STOP, and lets it go on with CONT.</summary>
    public void Signal(int node, string signal) => Engine.Signal(_nodes[node - 1].ProcessId!.Value, signal);

    /// <summary>Has each sync of a node fail from now on. It takes strace.</summary>
    public Process FailSyncs(int node) => Process.Start("strace", ["-f", "-q", "-o", "/dev/null", "-p", $"{_nodes[node - 1].ProcessId}",
        "-e", "trace=fsync,fdatasync", "-e", "inject=fsync,fdatasync:error=EIO"]);

    /// <param name="besides">A node that is not asked.</param>
    public int Leader(int besides = 0)
    {
        long start = Stopwatch.GetTimestamp();
        for (int member = 1; ; member = member % Members.Length + 1)
        {
            CheckThatAllRun();
            Assert.True(Stopwatch.GetElapsedTime(start) < TestNode.Patience, $"Nobody leads besides {besides}.\n"
                + string.Join('\n', _nodes.Select(static node => node.Errors)));
            if (member != besides && _nodes[member - 1].ProcessId is not null && IsLeader(member)) return member;
            Thread.Sleep(10);
        }
    }

    /// <inheritdoc cref="TestNode.CheckThatItRuns"/>
    public void CheckThatAllRun()
    {
        foreach (TestNode node in _nodes) node.CheckThatItRuns();
    }

    /// <summary>Waits until all replicas have all, and ends them.</summary>
    public void Settle()
    {
        using ClusterClient client = Client();
        long end = client.CommitAsync(new Batch().Put("last", "{}"u8.ToArray())).Result;
        for (int member = 1; member <= Members.Length; member++) client.GetAsync("last", end, member).Wait();
        foreach (TestNode node in _nodes) node.Kill();
    }

    public void Dispose()
    {
        _client?.Dispose();
        foreach (TestNode node in _nodes) node.Kill();
        Proxy?.Dispose();
        _ports.Dispose();
        _folder.Dispose();
    }

    // One that does not answer may have ended, or be started again.
    private bool IsLeader(int member)
    {
        try
        {
            return Asks.StateAsync(member).Result.Leads;
        }
        catch (AggregateException e) when (e.InnerException is TimeoutException)
        {
            return false;
        }
    }
}

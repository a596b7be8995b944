using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using DocumentStore.Cluster;

namespace DocumentStore.Tests;

/// <summary>Nodes of a cluster as processes of this machine, which are killed, held up and started again. Threads: one.</summary>
internal sealed class TestCluster : IDisposable
{
    private readonly TempFolder _folder = new();
    private readonly Process?[] _nodes;
    private readonly ClusterClient _client;

    public TestCluster(int nodes)
    {
        Members = FreePorts(nodes);
        _nodes = new Process?[nodes];
        _client = Client();
        for (int i = 1; i <= nodes; i++) Start(i);
    }

    public IPEndPoint[] Members { get; }

    /// <summary>One that waits for as long as a busy machine may take.</summary>
    public ClusterClient Client() => new(Members, TimeSpan.FromMinutes(5));

    public string CollectionOf(int node) => Path.Combine(_folder.Path, $"{node}", "collection");

    public void Start(int node)
    {
        string members = string.Join(',', Members.Select(static one => one.ToString()));
        Process process = Process.Start(new ProcessStartInfo("dotnet", [Path.Combine(AppContext.BaseDirectory, "docstore.dll"), "cluster",
            "node", "--id", $"{node}", "--members", members, "--folder", Path.Combine(_folder.Path, $"{node}"), "--facet", "city",
            "--election-ms", "1000"]) { RedirectStandardOutput = true })!;
        _nodes[node - 1] = process;
        string? said = process.StandardOutput.ReadLine();
        Assert.True(said == "ready", $"Node {node} says {said} and ends.");
    }

    public void Kill(int node)
    {
        if (Interlocked.Exchange(ref _nodes[node - 1], null) is not { } process) return;
        using (process)
        {
            process.Kill();
            process.WaitForExit();
        }
    }

    /// <summary>Holds a node up with STOP, and lets it go on with CONT.</summary>
    public void Signal(int node, string signal) => Engine.Signal(_nodes[node - 1]!.Id, signal);

    /// <param name="besides">A node that is not asked.</param>
    public int Leader(int besides = 0)
    {
        for (int member = 1; ; member = member % Members.Length + 1)
        {
            if (member != besides && _client.StateAsync(member).Result.Leads) return member;
            Thread.Sleep(10);
        }
    }

    /// <summary>Waits until all replicas have all, and ends them.</summary>
    public void Settle()
    {
        long end = _client.CommitAsync(new Batch().Put("last", "{}"u8.ToArray())).Result;
        for (int member = 1; member <= Members.Length; member++) _client.GetAsync("last", end, member).Wait();
        for (int member = 1; member <= Members.Length; member++) Kill(member);
    }

    public void Dispose()
    {
        _client.Dispose();
        for (int node = 1; node <= _nodes.Length; node++) Kill(node);
        _folder.Dispose();
    }

    // Below those that the system gives to connections. The nodes have them right after this.
    private static IPEndPoint[] FreePorts(int count)
    {
        HashSet<int> ports = [];
        while (ports.Count < count)
        {
            int port = 2 * Random.Shared.Next(10_000, 15_000);
            if (IsFree(port) && IsFree(port + 1)) ports.Add(port);
        }
        return [.. ports.Select(static port => new IPEndPoint(IPAddress.Loopback, port))];

        static bool IsFree(int port)
        {
            using Socket socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            try
            {
                socket.Bind(new IPEndPoint(IPAddress.Loopback, port));
                return true;
            }
            catch (SocketException)
            {
                return false;
            }
        }
    }
}

using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using Docstore;
using DocumentStore.Cluster;

namespace DocumentStore.Twins;

/// <summary>Nodes of the document store as processes of this machine. Threads: one.</summary>
internal sealed class ClusterNodes : IDisposable
{
    private readonly string _folder;
    private readonly string[] _definition;
    private readonly Process?[] _nodes;

    /// <param name="nodes">How many.</param>
    /// <param name="folder">Where each keeps its own.</param>
    /// <param name="isIndexed">Whether orders are indexed.</param>
    public ClusterNodes(int nodes, string folder, bool isIndexed)
    {
        _folder = folder;
        _definition = !isIndexed ? [] : [.. Sample.Indexes.SelectMany(static path => (string[])["--index", path]),
            .. Sample.Facets.SelectMany(static path => (string[])["--facet", path])];
        Members = [.. Enumerable.Range(0, nodes).Select(static _ => new IPEndPoint(IPAddress.Loopback, FreePort()))];
        _nodes = new Process?[nodes];
        for (int node = 1; node <= nodes; node++) Start(node);
        Client = new(Members, TimeSpan.FromMinutes(5));
        Client.CommitAsync(new Batch().Put("first", "{}"u8.ToArray())).Wait();
    }

    public IPEndPoint[] Members { get; }

    public ClusterClient Client { get; }

    /// <summary>What they have worked, without the workers, of which each node has one.</summary>
    public TimeSpan Processor
    {
        get
        {
            TimeSpan sum = default;
            foreach (Process? node in _nodes)
            {
                node?.Refresh();
                sum += node?.TotalProcessorTime ?? default;
            }
            return sum;
        }
    }

    public int Leader(int besides = 0)
    {
        for (int member = 1; ; member = member % Members.Length + 1)
        {
            if (member != besides && _nodes[member - 1] is not null && Client.StateAsync(member).Result.Leads) return member;
            Thread.Sleep(2);
        }
    }

    public void Start(int node)
    {
        ProcessStartInfo start = new("dotnet", [Path.Combine(AppContext.BaseDirectory, "docstore.dll"), "cluster", "node",
            "--id", $"{node}", "--members", string.Join(',', (object[])Members), "--folder", Path.Combine(_folder, $"{node}"),
            .. _definition]) { RedirectStandardOutput = true };
        Process process = _nodes[node - 1] = Process.Start(start)!;
        if (process.StandardOutput.ReadLine() != "ready") throw new InvalidOperationException($"Node {node} did not start.");
    }

    public void Kill(int node)
    {
        using Process? process = _nodes[node - 1];
        _nodes[node - 1] = null;
        process?.Kill();
        process?.WaitForExit();
    }

    public void Dispose()
    {
        Client.Dispose();
        for (int node = 1; node <= _nodes.Length; node++) Kill(node);
    }

    /// <summary>A port that is free with the next one.</summary>
    public static int FreePort()
    {
        while (true)
        {
            using Socket one = new(SocketType.Stream, ProtocolType.Tcp), next = new(SocketType.Stream, ProtocolType.Tcp);
            // A node takes none of those that the system gives to connections.
            int port = 2 * Random.Shared.Next(10_000, 15_000);
            try
            {
                one.Bind(new IPEndPoint(IPAddress.Loopback, port));
                next.Bind(new IPEndPoint(IPAddress.Loopback, port + 1));
                return port;
            }
            catch (SocketException e) when (e.SocketErrorCode == SocketError.AddressAlreadyInUse)
            {
            }
        }
    }
}

using System.Collections.Concurrent;
using System.Diagnostics;
using System.Net;
using DocumentStore.Cluster;

namespace DocumentStore.Tests;

/// <summary>Nodes of a cluster as processes of this machine, which are killed, held up, cut off and started again. Threads: one.</summary>
internal sealed class TestCluster : IDisposable
{
    // EX_TEMPFAIL of sysexits.h.
    private const int TempFail = 75;

    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(5);

    private readonly TempFolder _folder = new();
    private readonly TestPorts _ports = new();
    private readonly string[] _more;
    private readonly Process?[] _nodes;
    private readonly ConcurrentQueue<string>[] _errors;
    private IPEndPoint[] _listens = [];
    private ClusterClient? _client;

    /// <param name="nodes">How many.</param>
    /// <param name="isProxied">Whether a <see cref="TestProxy"/> stands between them all.</param>
    /// <param name="more">Goes to each node.</param>
    public TestCluster(int nodes, bool isProxied = false, params string[] more)
    {
        _more = more;
        _nodes = new Process?[nodes];
        _errors = [.. Enumerable.Range(0, nodes).Select(static _ => new ConcurrentQueue<string>())];
        // Somebody else may have taken a port since it was found free: then all get other ones.
        do
        {
            for (int i = 1; i <= nodes; i++) Kill(i);
            Proxy?.Dispose();
            Members = _listens = [.. Enumerable.Range(0, nodes).Select(_ => _ports.Next())];
            if (!isProxied) continue;
            Members = [.. Enumerable.Range(0, nodes).Select(_ => _ports.Next())];
            Proxy = new(Members, _listens, node => _nodes[node - 1]?.Id);
        }
        while (!Enumerable.Range(1, nodes).All(TryStart));
    }

    public IPEndPoint[] Members { get; private set; } = [];

    public TestProxy? Proxy { get; private set; }

    /// <summary>How often a node asked to be started again.</summary>
    public int Restarts { get; private set; }

    private ClusterClient Asks => _client ??= Client(TimeSpan.FromSeconds(5));

    /// <summary>One that waits for as long as a busy machine may take, unless told.</summary>
    public ClusterClient Client(TimeSpan? patience = null) => new(Members, patience ?? s_patience);

    public string FolderOf(int node) => Path.Combine(_folder.Path, $"{node}");

    public string CollectionOf(int node) => Path.Combine(FolderOf(node), "collection");

    /// <summary>What a node has written to its error output.</summary>
    public string ErrorsOf(int node) => string.Join('\n', _errors[node - 1]);

    public void Start(int node)
    {
        for (long start = Stopwatch.GetTimestamp(); !TryStart(node); Thread.Sleep(100))
            Assert.True(Stopwatch.GetElapsedTime(start) < TimeSpan.FromMinutes(1), $"The port of node {node} stays taken.");
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

    /// <summary>Waits until a node ends by itself.</summary>
    /// <returns>Its exit code.</returns>
    public int Wait(int node)
    {
        using Process process = Interlocked.Exchange(ref _nodes[node - 1], null)!;
        Assert.True(process.WaitForExit(s_patience), $"Node {node} does not end: {ErrorsOf(node)}");
        return process.ExitCode;
    }

    /// <summary>Holds a node up with STOP, and lets it go on with CONT.</summary>
    public void Signal(int node, string signal) => Engine.Signal(_nodes[node - 1]!.Id, signal);

    /// <summary>Has each sync of a node fail from now on. It takes strace.</summary>
    public Process FailSyncs(int node) => Process.Start("strace", ["-f", "-q", "-o", "/dev/null", "-p", $"{_nodes[node - 1]!.Id}",
        "-e", "trace=fsync,fdatasync", "-e", "inject=fsync,fdatasync:error=EIO"]);

    /// <param name="besides">A node that is not asked.</param>
    public int Leader(int besides = 0)
    {
        long start = Stopwatch.GetTimestamp();
        for (int member = 1; ; member = member % Members.Length + 1)
        {
            CheckThatAllRun();
            Assert.True(Stopwatch.GetElapsedTime(start) < s_patience,
                $"Nobody leads.\n{string.Join('\n', Enumerable.Range(1, _nodes.Length).Select(node => $"{node}: {ErrorsOf(node)}"))}");
            if (member != besides && _nodes[member - 1] is not null && IsLeader(member)) return member;
            Thread.Sleep(10);
        }
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

    /// <summary>Fails where a node has ended unasked, and does not ask to be started again: it would be waited for.</summary>
    public void CheckThatAllRun()
    {
        for (int node = 1; node <= _nodes.Length; node++)
            if (_nodes[node - 1] is { HasExited: true, ExitCode: not TempFail and int code })
                Assert.Fail($"Node {node} has ended with {code}: {ErrorsOf(node)}");
    }

    /// <summary>Waits until all replicas have all, and ends them.</summary>
    public void Settle()
    {
        using ClusterClient client = Client();
        long end = client.CommitAsync(new Batch().Put("last", "{}"u8.ToArray())).Result;
        for (int member = 1; member <= Members.Length; member++) client.GetAsync("last", end, member).Wait();
        for (int member = 1; member <= Members.Length; member++) Kill(member);
    }

    public void Dispose()
    {
        _client?.Dispose();
        for (int node = 1; node <= _nodes.Length; node++) Kill(node);
        Proxy?.Dispose();
        _ports.Dispose();
        _folder.Dispose();
    }

    /// <returns>False where its port is taken.</returns>
    private bool TryStart(int node)
    {
        string members = string.Join(',', Members.Select(static one => one.ToString()));
        ProcessStartInfo start = new("dotnet", [Path.Combine(AppContext.BaseDirectory, "docstore.dll"), "cluster", "node",
            "--id", $"{node}", "--members", members, "--listen", $"{_listens[node - 1]}", "--folder", FolderOf(node), "--facet", "city",
            "--election-ms", "1000", .. _more])
        { RedirectStandardOutput = true, RedirectStandardError = true };
        Process process = Process.Start(start)!;
        _nodes[node - 1] = process;
        process.ErrorDataReceived += (_, line) =>
        {
            if (line.Data is not null) _errors[node - 1].Enqueue(line.Data);
        };
        process.BeginErrorReadLine();
        Task<string?> first = process.StandardOutput.ReadLineAsync();
        Assert.True(first.Wait(s_patience), $"Node {node} does not start: {ErrorsOf(node)}");
        if (first.Result == "ready")
        {
            process.Exited += (_, _) => Restart(node, process);
            process.EnableRaisingEvents = true;
            return true;
        }
        // Killed while it was started again: it is to be away.
        if (!ReferenceEquals(_nodes[node - 1], process)) return true;
        process.WaitForExit();
        Assert.Contains("already in use", ErrorsOf(node));
        _errors[node - 1].Clear();
        return false;
    }

    // As a service manager does with a node that asks for it by its exit code. Such restarts are told where the test ends.
    private void Restart(int node, Process process)
    {
        if (!ReferenceEquals(_nodes[node - 1], process) || process.ExitCode != TempFail) return;
        if (Interlocked.CompareExchange(ref _nodes[node - 1], null, process) != process) return;
        Restarts++;
        Start(node);
    }
}

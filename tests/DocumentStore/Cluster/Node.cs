using System.Net.Sockets;
using DotNext.Net.Cluster.Consensus.Raft;

namespace DocumentStore.Cluster;

/// <summary>
/// One of the machines that keep a collection together. A batch is acknowledged when a majority has it on disk. Threads: any.
/// </summary>
public sealed class Node : IAsyncDisposable
{
    private readonly CancellationTokenSource _closing = new();
    private readonly Task _stood;
    private readonly NodeOptions _options;
    private readonly RaftFile _file;
    private readonly RaftLog _log;
    private readonly Replica _replica;
    private readonly SnapshotTaker _taker;
    private readonly RaftEngine _cluster;
    private readonly Desk _desk;

    private Node(NodeOptions options)
    {
        _options = options;
        string collection = SnapshotTaker.CollectionOf(options.Folder);
        SnapshotTaker.Install(options.Folder);
        _file = new(Path.Combine(options.Folder, "raft"), options.Members.Length == 1, options.LogFileBytes);
        try
        {
            _replica = new(_file, collection, options.Definition, options.KeepEntries);
        }
        catch
        {
            _file.Dispose();
            throw;
        }
        Snapshot.Identify(collection, Random.Shared.NextInt64());
        Setup = NodeState.SetupOf(options, _replica.Collection);
        _taker = new(options, _file);
        _log = new(_file, Path.Combine(options.Folder, "unused"), _taker,
            () => Snapshot.Of(options.Id, _file, _replica.Collection, collection));
        _cluster = new(options) { AuditTrail = _log };
        Answers answers = new(this, _replica.Collection, collection);
        _desk = new(NodeOptions.ClientsOf(options.Listen ?? options.Self), answers, options.Tell);
        _stood = _cluster.WatchAsync(_closing.Token);
        Ended = Task.WhenAny(_replica.Applying, _file.Progress.Failed, _taker.Taken, _stood).Unwrap();
    }

    /// <summary>
    /// Fails with the disk; with a <see cref="TimeoutException"/> where the process has to start again. Otherwise it ends where the node
    /// has to: it has taken a snapshot over.
    /// </summary>
    public Task Ended { get; }

    internal RaftFile File => _file;
    internal uint Setup { get; }

    internal bool Leads => !_cluster.LeadershipToken.IsCancellationRequested;

    /// <summary>The member that leads, from 1 on, as far as this node knows; 0 for none.</summary>
    internal int Leader => Array.FindIndex(_options.Members, one => one.Equals(_cluster.Leader?.EndPoint)) + 1;

    /// <exception cref="ArgumentException">There is no such member, or a number cannot be.</exception>
    /// <exception cref="IOException">It cannot listen, or the folder is not as this node left it.</exception>
    public static async Task<Node> StartAsync(NodeOptions options)
    {
        bool isNew = options.Claim();
        Node node = new(options);
        try
        {
            await node._cluster.StartAsync().ConfigureAwait(false);
            node._desk.Start();
            return node;
        }
        catch (Exception e)
        {
            await node.DisposeAsync().ConfigureAwait(false);
            if (e is not SocketException) throw;
            if (isNew) options.Disclaim();
            throw new IOException($"The node cannot listen at {options.Listen ?? options.Self} and the next port: {e.Message}", e);
        }
    }

    /// <summary>Leaves the cluster, and closes the files.</summary>
    /// <exception cref="TimeoutException">Raft does not end, and the files stay open: the process has to end.</exception>
    public async ValueTask DisposeAsync()
    {
        await LeaveAsync().WaitAsync(RaftEngine.MostTimeouts * _options.ElectionTimeout).ConfigureAwait(false);
        await _log.DisposeAsync().ConfigureAwait(false);
        await _taker.DisposeAsync().ConfigureAwait(false);
        await _replica.DisposeAsync().ConfigureAwait(false);
        _file.Dispose();
    }

    /// <returns>The index of the entry; null where this node does not lead, and the batch may count or not.</returns>
    internal async Task<long?> ReplicateAsync(byte[] proposal, CancellationToken cancellationToken)
    {
        CancellationToken leading = _cluster.LeadershipToken;
        using CancellationTokenSource either = CancellationTokenSource.CreateLinkedTokenSource(leading, cancellationToken);
        try
        {
            leading.ThrowIfCancellationRequested();
            (long index, long term) = _file.Propose(proposal);
            await _cluster.ForceReplicationAsync(either.Token).ConfigureAwait(false);
            await _file.Progress.UntilAsync(() => _file.Progress.Committed >= index, either.Token).ConfigureAwait(false);
            // Where another one leads meanwhile, its entry may have this index.
            return _file.TermOf(index) == term ? index : null;
        }
        catch (Exception e) when (e is InvalidOperationException || (e is OperationCanceledException && leading.IsCancellationRequested))
        {
            return null;
        }
        catch (IOException e)
        {
            // Who cannot write must not go on leading: the node ends, and the others elect one that can.
            _file.Progress.Fail(e);
            throw;
        }
    }

    /// <summary>Waits until the collection has all that was acknowledged before.</summary>
    /// <returns>Whether this node leads, and has all the time.</returns>
    internal async Task<bool> BarrierAsync(CancellationToken cancellationToken)
    {
        CancellationToken leading = _cluster.LeadershipToken;
        if (leading.IsCancellationRequested) return false;
        using CancellationTokenSource either = CancellationTokenSource.CreateLinkedTokenSource(leading, cancellationToken);
        try
        {
            await _cluster.ApplyReadBarrierAsync(ReadBarrierType.Strong, either.Token).ConfigureAwait(false);
        }
        catch (Exception e) when (e is QuorumUnreachableException || (e is OperationCanceledException && leading.IsCancellationRequested))
        {
            return false;
        }
        return !leading.IsCancellationRequested;
    }

    // What Raft is asked for ends with it, and neither ends where a change of its state does not.
    private async Task LeaveAsync()
    {
        await _desk.DisposeAsync().ConfigureAwait(false);
        await _closing.CancelAsync().ConfigureAwait(false);
        if (_stood.IsFaulted) return;
        await _cluster.StopAsync().ConfigureAwait(false);
        await _cluster.DisposeAsync().ConfigureAwait(false);
    }
}

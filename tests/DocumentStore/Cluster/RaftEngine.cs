using System.Net;
using DotNext.Net.Cluster.Consensus.Raft;
using DotNext.Net.Cluster.Consensus.Raft.Membership;

namespace DocumentStore.Cluster;

/// <summary>
/// DotNext's Raft, watched. A change of its from leader to follower was seen not to end, under kills: the node names itself leader, votes
/// no more, and only a new process helps. A leader that is cut off looks the same from outside, but its changes end. Threads: any.
/// </summary>
internal sealed class RaftEngine(NodeOptions options) : RaftCluster(ConfigurationOf(options))
{
    /// <summary>In how many election timeouts a change of state ends.</summary>
    public const int MostTimeouts = 10;

    /// <summary>Goes on as long as no change of state takes more than ten election timeouts.</summary>
    /// <exception cref="TimeoutException">One does.</exception>
    public async Task WatchAsync(CancellationToken cancellationToken)
    {
        while (true)
        {
            await Task.Delay(options.ElectionTimeout, cancellationToken).ConfigureAwait(false);
            using CancellationTokenSource soon = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
            soon.CancelAfter(MostTimeouts * options.ElectionTimeout);
            try
            {
                // A change of the members, here of none, waits for the end of any other change.
                await (await ChangeConfigurationAsync(soon.Token).ConfigureAwait(false)).DisposeAsync().ConfigureAwait(false);
            }
            catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
            {
                throw new TimeoutException("A change of Raft's state does not end. Start this node again.");
            }
        }
    }

    private static TcpConfiguration ConfigurationOf(NodeOptions options)
    {
        int timeout = (int)options.ElectionTimeout.TotalMilliseconds;
        TcpConfiguration configuration = new(options.Listen ?? options.Self)
        {
            PublicEndPoint = options.Self, ConfigurationStorage = null, ColdStart = false,
            LowerElectionTimeout = timeout, UpperElectionTimeout = 2 * timeout,
            // An election waits for all members: one that hangs must not outlast it.
            RequestTimeout = options.ElectionTimeout * 0.9, ConnectTimeout = options.ElectionTimeout * 0.5,
        };
        var storage = (InMemoryClusterConfigurationStorage<EndPoint>)configuration.ConfigurationStorage!;
        var members = storage.CreateInitialConfigurationBuilder();
        foreach (IPEndPoint member in options.Members) members.Add(member);
        members.Build();
        return configuration;
    }
}

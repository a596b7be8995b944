using DotNext.Net.Cluster.Consensus.Raft;

namespace DocumentStore.Cluster;

/// <summary>
/// DotNext's Raft, watched. A change of its from leader to follower was seen not to end, under kills: the node names itself leader, votes
/// no more, and only a new process helps. A leader that is cut off looks the same from outside, but its changes end. Threads: any.
/// </summary>
internal sealed class RaftEngine(RaftCluster.NodeConfiguration configuration) : RaftCluster(configuration)
{
    /// <summary>In how many election timeouts a change of state ends.</summary>
    public const int MostTimeouts = 10;

    /// <summary>Goes on as long as no change of state takes more than ten election timeouts.</summary>
    /// <exception cref="TimeoutException">One does.</exception>
    public async Task WatchAsync(TimeSpan electionTimeout, CancellationToken cancellationToken)
    {
        while (true)
        {
            await Task.Delay(electionTimeout, cancellationToken).ConfigureAwait(false);
            using CancellationTokenSource soon = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
            soon.CancelAfter(MostTimeouts * electionTimeout);
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
}

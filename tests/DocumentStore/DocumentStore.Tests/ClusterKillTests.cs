using System.Diagnostics;

namespace DocumentStore.Tests;

public class ClusterKillTests
{
    private static readonly double s_minutes = Environment.GetEnvironmentVariable("MEMPRIMS_CLUSTER_MINUTES") is { } minutes
        ? double.Parse(minutes) : Environment.GetEnvironmentVariable("MEMPRIMS_LONG") == "1" ? 10 : 0;

    /// <summary>The leader is killed, a follower, all, a leader is held up or cut off while another one leads, connections end inside of
    /// entries, and a follower is away until it needs a snapshot, which it is killed at, under load. Nothing acknowledged is lost, what
    /// the clients saw has an order, and the replicas are equal.</summary>
    [Fact]
    public async Task Kills_of_nodes_lose_nothing_and_show_nothing_wrong()
    {
        const int kinds = 7;
        using TestCluster cluster = new(3, true, "--keep-entries", "40", "--log-file-bytes", "8192");
        TestClients clients = new(cluster);
        Random random = new(5);
        long start = Stopwatch.GetTimestamp();
        int round = 0;
        for (; round < kinds || Stopwatch.GetElapsedTime(start) < TimeSpan.FromMinutes(s_minutes); round++)
        {
            clients.Progress();
            int leader = cluster.Leader(), follower = leader % 3 + 1;
            Thread.Sleep(random.Next(200));
            switch (round % kinds)
            {
                case 0: Restart(leader); break;
                case 1: Restart(follower); break;
                case 2: Restart(1, 2, 3); break;
                case 3:
                    cluster.Signal(leader, "STOP");
                    await LeadAnother(leader);
                    cluster.Signal(leader, "CONT");
                    break;
                case 4:
                    cluster.Proxy!.MostDelay = random.Next(20);
                    cluster.Proxy.CutOff(leader);
                    await LeadAnother(leader);
                    cluster.Proxy.Heal();
                    break;
                case 5:
                    cluster.Proxy!.Cut(3);
                    for (long cut = Stopwatch.GetTimestamp(); cluster.Proxy.Cuts > 0; clients.Progress(answers: 1))
                        Assert.True(Stopwatch.GetElapsedTime(cut) < TimeSpan.FromMinutes(5), "No entry came to be cut.");
                    Restart(leader);
                    break;
                default:
                    cluster.Kill(follower);
                    clients.Progress(answers: 30);
                    for (int kills = 0; kills < 3; kills++)
                    {
                        cluster.Start(follower);
                        Thread.Sleep(random.Next(400));
                        cluster.Kill(follower);
                    }
                    cluster.Start(follower);
                    break;
            }
        }
        await clients.CheckAsync();
        Console.WriteLine($"cluster: {round} rounds, {clients}, {cluster.Restarts} restarts asked for");

        async Task LeadAnother(int leader)
        {
            cluster.Leader(besides: leader);
            using CancellationTokenSource soon = new(1000);
            await clients.UseAsync(100 + round, soon.Token);
        }

        void Restart(params int[] nodes)
        {
            foreach (int node in nodes) cluster.Kill(node);
            Thread.Sleep(random.Next(1000));
            foreach (int node in nodes) cluster.Start(node);
        }
    }
}

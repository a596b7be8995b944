using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Text;
using DocumentStore.Cluster;

namespace DocumentStore.Tests;

public class ClusterFaultTests
{
    /// <summary>A leader is cut off from the others, and not from its clients: those that ask it alone are told, and what they were told
    /// holds. Another one leads, and after healing all have the same.</summary>
    [Fact]
    public async Task Clients_of_a_leader_that_is_cut_off_are_told()
    {
        using TestCluster cluster = new(3, isProxied: true);
        TestClients clients = new(cluster);
        clients.Progress();
        int old = cluster.Leader(), told = 0;
        cluster.Proxy!.MostDelay = 10;
        cluster.Proxy.CutOff(old);
        await Task.WhenAll(Enumerable.Range(0, 6).Select(async id =>
        {
            using ClusterClient only = new([cluster.Members[old - 1]], TimeSpan.FromSeconds(4));
            string key = $"k/{id % 2}";
            string? value = $"\"cut {id}\"";
            bool isWrite = id < 4;
            long start = Stopwatch.GetTimestamp(), end = long.MaxValue;
            try
            {
                if (isWrite) await only.CommitAsync(new Batch().Put(key, Encoding.UTF8.GetBytes(value)));
                else value = await only.GetAsync(key) is { } content ? Encoding.UTF8.GetString(content) : null;
                end = Stopwatch.GetTimestamp();
            }
            catch (TimeoutException)
            {
                Interlocked.Increment(ref told);
            }
            clients.Note(key, new(value, isWrite, start, end));
        }));
        // A write may have gone through before the cut was felt, as one that comes later cannot.
        Assert.InRange(told, 1, 6);
        Assert.NotEqual(old, cluster.Leader(besides: old));
        clients.Progress();
        cluster.Proxy.Heal();
        await clients.CheckAsync();
    }

    /// <summary>The disk of a node is full, or fails to sync: the node says so and ends, and the others go on. Once the disk serves again,
    /// so does the node.</summary>
    [RootTheory("/usr/bin/strace"), InlineData(true, false), InlineData(false, true)]
    public async Task A_node_whose_disk_fails_ends_and_the_others_go_on(bool isFull, bool leads)
    {
        using TestCluster cluster = new(3);
        TestClients clients = new(cluster);
        clients.Progress();
        int node = cluster.Leader();
        if (!leads) node = node % 3 + 1;
        cluster.Kill(node);
        // With all that it had: a node that comes back with nothing could elect one that lacks what it has acknowledged.
        string folder = cluster.FolderOf(node), moved = $"{folder}.moved";
        Directory.Move(folder, moved);
        Directory.CreateDirectory(folder);
        Run("mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", folder);
        try
        {
            Run("cp", "-a", $"{moved}/.", folder);
            cluster.Start(node);
            clients.Progress();
            for (; leads && cluster.Leader() is var leader && leader != node; clients.Progress())
            {
                cluster.Kill(leader);
                cluster.Start(leader);
            }
            string filler = Path.Combine(folder, "filler");
            ProcessStartInfo fill = new("dd", ["if=/dev/zero", $"of={filler}", "bs=64k"]) { RedirectStandardError = true };
            using Process? fails = isFull ? Process.Start(fill) : cluster.FailSyncs(node);
            Assert.Equal(3, cluster.Wait(node));
            Assert.Matches(isFull ? "full|space" : "sync", cluster.ErrorsOf(node));
            fails!.WaitForExit();
            clients.Progress();
            File.Delete(filler);
            cluster.Start(node);
            await clients.CheckAsync();
        }
        finally
        {
            cluster.Kill(node);
            Run("umount", "-l", folder);
        }

        static void Run(params string[] words)
        {
            using Process process = Process.Start(words[0], words[1..]);
            process.WaitForExit();
            Assert.Equal(0, process.ExitCode);
        }
    }

    /// <summary>Clients that connect and say nothing leave a node the descriptors that it needs, and others are served once they
    /// go.</summary>
    [Fact]
    public async Task Idle_clients_do_not_end_a_node()
    {
        using TempFolder folder = new();
        using TestPorts ports = new();
        IPEndPoint member = ports.Next();
        string[] words = [Path.Combine(AppContext.BaseDirectory, "docstore.dll"), "cluster", "node", "--id", "1", "--members", $"{member}",
            "--folder", Path.Combine(folder.Path, "1"), "--facet", "city"];
        using Process node = Process.Start(new ProcessStartInfo("sh", ["-c", "ulimit -n 400; exec dotnet \"$@\"", "sh", .. words])
        { RedirectStandardOutput = true, RedirectStandardError = true })!;
        try
        {
            Assert.Equal("ready", await node.StandardOutput.ReadLineAsync().WaitAsync(TestNode.Patience));
            Socket[] idle = [.. Enumerable.Range(0, 500).Select(_ => new Socket(SocketType.Stream, ProtocolType.Tcp))];
            foreach (Socket one in idle) await one.ConnectAsync(NodeOptions.ClientsOf(member));
            Assert.Equal("There are 200 clients, and no more are taken.",
                await node.StandardError.ReadLineAsync().WaitAsync(TestNode.Patience));
            foreach (Socket one in idle) one.Dispose();
            using ClusterClient client = new([member], TestNode.Patience);
            await client.CommitAsync(new Batch().Put("k", "{}"u8.ToArray()));
        }
        finally
        {
            node.Kill();
        }
    }
}

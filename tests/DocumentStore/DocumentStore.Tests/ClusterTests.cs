using System.Net;
using System.Net.Sockets;
using System.Text;
using DocumentStore.Cluster;

namespace DocumentStore.Tests;

public class ClusterTests
{
    /// <summary>A batch that comes again counts once, a replica has what its client wrote, and wrong use is told.</summary>
    [Fact]
    public async Task A_batch_counts_once_and_replicas_have_what_was_written()
    {
        using TestCluster cluster = new(3);
        using ClusterClient client = cluster.Client(), other = cluster.Client();
        byte[] proposal = Proposal.Encode(Guid.NewGuid(), 1, new Batch().Put("k", "{\"city\":\"Rome\"}"u8.ToArray()));
        await client.ProposeAsync(() => proposal);
        await other.CommitAsync(new Batch().Put("k", "{\"city\":\"Oslo\"}"u8.ToArray()));
        long position = await client.ProposeAsync(() => proposal);
        for (int member = 1; member <= 3; member++)
            Assert.Equal("{\"city\":\"Oslo\"}"u8.ToArray(), await client.GetAsync("k", position, member));
        ClusterCounts counts = await client.CountAsync(["city"], [], 10);
        Assert.Equal(1, counts.Total);
        Assert.Equal([new ValueCount("Oslo", 1)], counts.Facets.Single().Values);
        position = await client.CommitAsync(new Batch().Delete("k"));
        Assert.Null(await client.GetAsync("k"));
        Assert.Null(await client.GetAsync("k", position, 2));
        await Assert.ThrowsAsync<ArgumentException>(() => client.CommitAsync(new Batch().Put(Replica.StateKey, default)));
        await Assert.ThrowsAsync<ArgumentException>(() => client.CountAsync(["country"], [], 10));
        await Assert.ThrowsAsync<ArgumentException>(() => client.CommitAsync(new Batch().Put("k", new byte[17 << 20])));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => client.GetAsync("k", position, 0));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => client.GetAsync("k", position, 4));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => client.GetAsync("k", -1));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => client.CountAsync([], [], -1));

        using ClusterClient hasty = cluster.Client(TimeSpan.FromSeconds(3));
        Assert.EndsWith($"and not to {position + 1000}.", await WhyAsync(hasty.GetAsync("k", position + 1000, 2)));
        await Assert.ThrowsAsync<ArgumentException>(() => hasty.GetAsync("k", member: 2));
        // In another order than the nodes have.
        using ClusterClient turned = new([.. cluster.Members.Reverse()], TimeSpan.FromSeconds(30));
        Assert.Null(await turned.GetAsync("k"));
        // Calls that are not waited for are answered one after the other.
        byte[][] contents = [.. Enumerable.Range(0, 30).Select(static i => Encoding.UTF8.GetBytes($"\"{i}\""))];
        await Task.WhenAll(contents.Select((content, i) => Task.Run(() => client.CommitAsync(new Batch().Put($"p{i}", content)))));
        Assert.Equal(contents, await Task.WhenAll(contents.Select((_, i) => client.GetAsync($"p{i}"))));
        turned.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => turned.GetAsync("k"));
        for (int member = 1; member <= 3; member++) cluster.Kill(member);
        Assert.Contains($"{cluster.Members[1]} does not answer", await WhyAsync(hasty.GetAsync("k", position, 2)));

        static async Task<string> WhyAsync(Task asked) => (await Assert.ThrowsAsync<TimeoutException>(() => asked)).Message;
    }

    /// <summary>Addresses that cannot be are named, before a folder is made.</summary>
    [Theory, InlineData("10.0.0.1", "10.0.0.1"), InlineData("127.0.0.1:3262,host:1", "host:1"), InlineData("127.0.0.1:65535", "65535"),
        InlineData("127.0.0.1:50000,127.0.0.1:3263", "127.0.0.1:50000 is among the ports"),
        InlineData("127.0.0.1:3262,127.0.0.1:3263", "127.0.0.1:3263 is there twice"), InlineData("127.0.0.1:3262", "id 4", 4)]
    public void Addresses_that_cannot_be_are_named(string members, string says, int id = 1)
    {
        using TempFolder folder = new();
        string path = Path.Combine(folder.Path, "node");
        (int code, string said) = CommandTests.Ended("cluster", "node", "--id", $"{id}", "--members", members, "--folder", path);
        Assert.Equal(2, code);
        Assert.Contains(says, said);
        Assert.False(Path.Exists(path));
    }

    /// <summary>What comes back is no answer: a client that is connected to itself believes nothing. Nor is the end of a
    /// connection.</summary>
    [Theory, InlineData(true, "is no answer"), InlineData(false, "ends the connection")]
    public async Task An_echo_is_no_answer(bool isEcho, string says)
    {
        using TestPorts ports = new();
        IPEndPoint member = ports.Next();
        using TcpListener echo = new(member.Address, member.Port + 1);
        echo.Start();
        _ = Task.Run(async () =>
        {
            while (true)
            {
                using TcpClient asks = await echo.AcceptTcpClientAsync();
                if (isEcho) await asks.GetStream().CopyToAsync(asks.GetStream());
                else _ = await asks.GetStream().ReadAsync(new byte[1 << 10]);
            }
        });
        Batch batch = new Batch().Put("k", "1"u8.ToArray());
        foreach (Func<ClusterClient, Task> ask in (Func<ClusterClient, Task>[])
            [client => client.CommitAsync(batch), static client => client.GetAsync("k"), static client => client.StateAsync(1)])
        {
            using ClusterClient client = new([member], TimeSpan.FromSeconds(3));
            Task asked = ask(client), next = client.StateAsync(1);
            Assert.Contains(says, (await Assert.ThrowsAsync<TimeoutException>(() => asked)).Message);
            // Its patience was over in the same moment, or it had a last attempt.
            Assert.Matches($"{says}|came before", (await Assert.ThrowsAsync<TimeoutException>(() => next)).Message);
        }
    }
}

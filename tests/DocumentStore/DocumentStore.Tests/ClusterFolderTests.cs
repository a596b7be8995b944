using System.Net.Sockets;
using DocumentStore.Cluster;

namespace DocumentStore.Tests;

public class ClusterFolderTests
{
    /// <summary>A node does not start on another one's folder, nor among other members. Another definition is told.</summary>
    [Fact]
    public async Task A_folder_is_of_one_member_of_some()
    {
        using TempFolder folder = new();
        using TestPorts ports = new();
        NodeOptions options = new() { Folder = folder.Path, Id = 1, Members = [ports.Next(), ports.Next()] };
        using (TcpListener other = new(options.Self))
        {
            other.Start();
            NodeOptions turned = options with { Members = [.. options.Members.Reverse()], Id = 2 };
            Assert.Contains("cannot listen", (await Assert.ThrowsAsync<IOException>(() => Node.StartAsync(turned))).Message);
        }
        await (await Node.StartAsync(options)).DisposeAsync();
        await (await Node.StartAsync(options)).DisposeAsync();
        uint setup = SetupOf(options);
        Assert.Equal(setup, SetupOf(options with { Id = 2 }));
        Assert.NotEqual(setup, SetupOf(options with { Members = [.. options.Members.Reverse()] }));
        Assert.NotEqual(setup, SetupOf(options, "city"));
        foreach (NodeOptions other in (NodeOptions[])[options with { Id = 2 }, options with { Members = [.. options.Members.Reverse()] }])
            Assert.Contains("is the folder of member 1 of", (await Assert.ThrowsAsync<IOException>(() => Node.StartAsync(other))).Message);

        uint SetupOf(NodeOptions options, params string[] facets)
        {
            string collection = Path.Combine(folder.Path, "other");
            using Collection other = Collection.Open(collection, new() { Facets = facets }, Engine.Options);
            return NodeState.SetupOf(options, other);
        }
    }

    /// <summary>A folder that has lost a part, or is a collection, starts no node, and is left closed.</summary>
    [Fact]
    public async Task A_folder_is_whole()
    {
        using TempFolder folder = new();
        using TestPorts ports = new();
        NodeOptions options = new() { Folder = Path.Combine(folder.Path, "1"), Id = 1, Members = [ports.Next()] };
        await using (Node node = await Node.StartAsync(options))
        {
            using ClusterClient client = new(options.Members);
            await client.CommitAsync(new Batch().Put("k", "1"u8.ToArray()));
        }
        string raft = Path.Combine(options.Folder, "raft"), collection = SnapshotTaker.CollectionOf(options.Folder);
        Directory.Move(raft, raft + ".away");
        for (int times = 0; times < 2; times++) Assert.Contains("Raft's log is empty", await WhyAsync(options));
        Directory.Delete(raft, recursive: true);
        Directory.Move(raft + ".away", raft);
        Assert.Equal([true, true, false, false],
            ((string[])[collection, collection + "/", options.Folder, raft]).Select(NodeOptions.IsCollectionOfNode));
        Assert.Contains("is a collection", await WhyAsync(options with { Folder = collection }));
        await (await Node.StartAsync(options)).DisposeAsync();

        static async Task<string> WhyAsync(NodeOptions options) =>
            (await Assert.ThrowsAsync<IOException>(() => Node.StartAsync(options))).Message;
    }
}

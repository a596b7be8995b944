using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.Text;
using DocumentStore.Cluster;

namespace DocumentStore.Tests;

public class ClusterSnapshotTests
{
    private static readonly string[] s_small = ["--keep-entries", "20", "--log-file-bytes", "4096"];

    /// <summary>A node that was away while the logs were cut gets a snapshot, and is killed again and again while it takes it. A piece
    /// that was changed on its way is refused, and told.</summary>
    [Fact]
    public async Task A_node_that_was_away_takes_a_snapshot()
    {
        using TestCluster cluster = new(3, isProxied: true, s_small);
        TestClients clients = new(cluster);
        clients.Progress();
        int away = cluster.Leader() % 3 + 1;
        cluster.Kill(away);
        clients.Progress(answers: 20);
        int changes = 2;
        cluster.Proxy!.Change = (_, to, bytes) =>
        {
            // All else is shorter than a piece.
            if (to == away && bytes.Length > 20_000 && Interlocked.Decrement(ref changes) >= 0) bytes.Span[10_000] ^= 4;
        };
        cluster.Start(away);
        while (!cluster.ErrorsOf(away).Contains("is refused", StringComparison.Ordinal)) Thread.Sleep(10);
        Assert.Contains("is not as it was sent", cluster.ErrorsOf(away));
        cluster.Proxy.MostDelay = 20;
        for (int kills = 0; kills < 4; kills++)
        {
            Thread.Sleep(Random.Shared.Next(300));
            cluster.Kill(away);
            cluster.Start(away);
        }
        cluster.Proxy.MostDelay = 0;
        await clients.CheckAsync();
        long[] logs = [.. Enumerable.Range(1, 3).Select(node => LogIdOf(cluster.CollectionOf(node)))];
        // A snapshot carries the log's number of the node that it is of. On a busy machine the third node may have fallen behind, too,
        // and have taken one: then all three are the same.
        Assert.InRange(logs.Count(one => one == logs[away - 1]), 2, 3);
        Assert.Equal(3, Enumerable.Range(1, 3).Select(node => Snapshot.IdOf(cluster.CollectionOf(node))).Distinct().Count());

        static long LogIdOf(string folder) =>
            BinaryPrimitives.ReadInt64LittleEndian(Snapshot.Read(folder, Compaction.FilesOf(folder)[0] + sizeof(long), sizeof(long)));
    }

    /// <summary>What is left of a snapshot that a crash has stopped counts where it is of the same collection, and not where it is of
    /// another one, of a log with the same number even.</summary>
    [Theory, InlineData(true), InlineData(false)]
    public async Task What_is_left_of_another_collection_is_dropped(bool isSame)
    {
        using TempFolder folder = new();
        using TestPorts ports = new();
        NodeOptions options = new() { Folder = Path.Combine(folder.Path, "1"), Id = 1, Members = [ports.Next()] };
        string collection = SnapshotTaker.CollectionOf(options.Folder), behind = Path.Combine(folder.Path, "2");
        long end;
        using (Collection first = Collection.Open(collection, new(), Engine.Options))
        {
            for (int i = 0; i < 3; i++) first.Put($"k{i}", Encoding.UTF8.GetBytes($"\"{new string((char)('a' + i), 700_000)}\""));
            end = first.End;
        }
        byte[] whole = File.ReadAllBytes(Snapshot.PathOf(collection, 0))[..(int)end];
        await using Node node = await Node.StartAsync(options);
        long id = Snapshot.IdOf(collection);

        string part = SnapshotTaker.PartOf(behind);
        Directory.CreateDirectory(part);
        Snapshot.Identify(part, isSame ? id : id + 1);
        const int piece = SnapshotTaker.PieceBytes;
        File.WriteAllBytes(Snapshot.PathOf(part, 0), isSame ? whole[..(piece + 9)] : new byte[piece]);
        if (!isSame) File.WriteAllBytes(Snapshot.PathOf(part, piece), []);
        using RaftFile file = new(Path.Combine(behind, "raft"), isAlone: false);
        ConcurrentQueue<string> told = [];
        await using SnapshotTaker taker = new(options with { Folder = behind, Tell = told.Enqueue }, file);
        taker.Begin(new(1, (1, 1), id, [0], end));
        for (; !taker.Taken.IsCompleted; await Task.Delay(10)) Assert.Empty(told);
        await taker.Taken;
        Assert.Equal(0, Snapshot.IdOf(SnapshotTaker.WholeOf(behind)));
        Assert.Equal([0], Compaction.FilesOf(SnapshotTaker.WholeOf(behind)));
        Assert.Equal(whole, File.ReadAllBytes(Snapshot.PathOf(SnapshotTaker.WholeOf(behind), 0))[..whole.Length]);
        using ClusterClient client = new(options.Members);
        Assert.Equal(whole[..9], await client.PieceAsync(1, id, 0, 9));
        await Assert.ThrowsAsync<ArgumentException>(() => client.PieceAsync(1, id + 1, 0, 9));
    }

    /// <summary>A snapshot that is whole takes the collection's place, wherever a crash has stopped that. Another one stays where it
    /// is.</summary>
    [Theory, InlineData(false, false), InlineData(true, false), InlineData(true, true)]
    public void A_whole_snapshot_is_put_in_place(bool isWhole, bool isHalfDone)
    {
        using TempFolder folder = new();
        string collection = SnapshotTaker.CollectionOf(folder.Path);
        using (Collection old = Collection.Open(collection, new(), Engine.Options)) old.Put("k", "1"u8.ToArray());
        string taken = isWhole ? SnapshotTaker.WholeOf(folder.Path) : SnapshotTaker.PartOf(folder.Path);
        using (Collection next = Collection.Open(taken, new(), Engine.Options)) next.Put("k", "2"u8.ToArray());
        if (isHalfDone) foreach (string file in Directory.GetFiles(collection, "*.log")) File.Delete(file);
        SnapshotTaker.Install(folder.Path);
        SnapshotTaker.Install(folder.Path);
        using Collection now = Collection.Open(collection, null, Engine.Options);
        Assert.True(now.TryGet("k", out ReadOnlySpan<byte> content));
        Assert.Equal(isWhole ? "2" : "1", Encoding.UTF8.GetString(content));
        Assert.Equal(!isWhole, Directory.Exists(taken));
    }
}

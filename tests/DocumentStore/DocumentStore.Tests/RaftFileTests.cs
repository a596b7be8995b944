using DocumentStore.Cluster;

namespace DocumentStore.Tests;

public class RaftFileTests
{
    /// <summary>A commit ends with what is as the leader of this term has it, and what others had is replaced. All of it
    /// is there after the file was opened again.</summary>
    [Fact]
    public async Task Entries_count_when_they_are_on_the_disk_and_compared()
    {
        using TempFolder folder = new();
        using (RaftFile file = new(folder.Path, isAlone: false))
        {
            await file.ElectAsync(1, [7]);
            file.Take(1, 1, "a"u8);
            file.Take(2, 1, "b"u8);
            Assert.Equal(0, await file.CommitAsync(2));
            await file.SyncAsync(2);
            Assert.Equal(1, await file.CommitAsync(1));
            await file.ElectAsync(2, []);
            Assert.Equal(0, await file.CommitAsync(2));
            // What one leader has says nothing of the next one, though the disk was at work meanwhile.
            file.Take(3, 1, "a sync has to be waited for"u8);
            ValueTask late = file.SyncAsync(2);
            await file.ElectAsync(3, []);
            await late;
            Assert.Equal(0, await file.CommitAsync(2));
            file.Take(2, 2, "c"u8);
            file.Take(3, 2, "d"u8);
            await file.SyncAsync(2);
            Assert.Equal((3, 1), (file.Last, await file.CommitAsync(3)));
            Assert.Throws<ArgumentOutOfRangeException>(() => file.Take(5, 2, "e"u8));
            Assert.Throws<InvalidOperationException>(() => file.Propose("f"u8));
        }
        using RaftFile again = new(folder.Path, isAlone: false);
        Assert.Equal((3, 3, 0), (again.Term, again.Last, again.Progress.Committed));
        Assert.Equal("acd"u8.ToArray(), (byte[])[.. again.ContentOf(1), .. again.ContentOf(2), .. again.ContentOf(3)]);
        Assert.Equal(((long, long, long, long))(0, 1, 2, -1), (again.TermOf(0), again.TermOf(1), again.TermOf(2), again.TermOf(4)));
    }

    /// <summary>A leader adds entries in the term that it was elected for, and in no other one.</summary>
    [Fact]
    public async Task Only_the_leader_of_a_term_adds_to_it()
    {
        using TempFolder folder = new();
        using RaftFile file = new(folder.Path, isAlone: false);
        await file.ElectAsync(4, [1]);
        Assert.Equal((1, 4), file.Propose(default, won: 4));
        Assert.Equal((2, 4), file.Propose("a"u8));
        await file.ElectAsync(5, []);
        Assert.Throws<InvalidOperationException>(() => file.Propose("b"u8));
        Assert.Throws<InvalidOperationException>(() => file.Propose(default, won: 4));
        Assert.Equal(2, file.Last);
    }

    /// <summary>Term, vote, and what follows the head are there after a cut, wherever a crash has stopped it: files are dropped from the
    /// front.</summary>
    /// <summary>Nobody has another entry than one that was acknowledged, but for a folder that is older than its node: it ends.</summary>
    [Fact]
    public async Task An_acknowledged_entry_is_not_replaced()
    {
        using TempFolder folder = new();
        using RaftFile file = new(folder.Path, isAlone: false);
        await file.ElectAsync(1, []);
        for (int index = 1; index <= 9; index++) file.Take(index, 1, "a"u8);
        await file.SyncAsync(9);
        await file.CommitAsync(5);
        file.Take(5, 1, "a"u8);
        file.Take(6, 2, "b"u8);
        Assert.False(file.Progress.Failed.IsCompleted);
        Assert.Throws<IOException>(() => file.Take(5, 2, "b"u8));
        Assert.Contains("acknowledged here", (await Assert.ThrowsAsync<IOException>(() => file.Progress.Failed)).Message);
        Assert.Equal((6, 1), (file.Last, file.TermOf(5)));
    }

    [Fact]
    public async Task A_log_that_was_cut_goes_on_after_its_head()
    {
        using TempFolder folder = new(), copy = new();
        using (RaftFile file = New(folder.Path))
        {
            await file.ElectAsync(3, [7]);
            for (int index = 1; index <= 90; index++) file.Take(index, 2, new byte[200]);
            // Another leader replaces some, in files that stay.
            for (int index = 70; index <= 100; index++) file.Take(index, 3, new byte[100 + index]);
            await file.SyncAsync(100);
            await file.CommitAsync(95);
            Copy(folder.Path, copy.Path);
            file.CutTo(80);
            Assert.Equal((80, 3), file.Head);
            Check(file);
        }
        Assert.True(Directory.GetFiles(folder.Path).Length < Directory.GetFiles(copy.Path).Length, "No file was dropped.");
        using (RaftFile again = New(folder.Path)) Check(again);
        // As the vote that the cut has written is not in the copy, it has all of that in the last file.
        Copy(folder.Path, copy.Path);
        foreach (string path in Directory.GetFiles(copy.Path, "*.log").Order()
            .TakeWhile(path => !File.Exists(Path.Combine(folder.Path, Path.GetFileName(path)))))
        {
            using (RaftFile crashed = New(copy.Path)) Check(crashed);
            File.Delete(path);
        }

        static void Copy(string from, string to)
        {
            foreach (string path in Directory.GetFiles(from, "*.log")) File.Copy(path, Path.Combine(to, Path.GetFileName(path)), true);
        }

        static RaftFile New(string path) => new(path, isAlone: false, fileBytes: 4096);

        static void Check(RaftFile file)
        {
            Assert.Equal(((long, long, string))(3, 100, "7"), (file.Term, file.Last, string.Join(',', file.Vote)));
            Assert.InRange(file.Head.Index, 0, 80);
            for (long index = 81; index <= 100; index++)
                Assert.Equal((3L, 100 + index), (file.TermOf(index), (long)file.ContentOf(index).Length));
        }
    }

    /// <summary>After a snapshot the log goes on from where the collection is, and a collection from before is told.</summary>
    [Fact]
    public async Task A_log_goes_on_from_where_the_collection_is()
    {
        using TempFolder folder = new();
        using (RaftFile file = new(folder.Path, isAlone: false))
        {
            await file.ElectAsync(1, []);
            for (int index = 1; index <= 9; index++) file.Take(index, 1, "a"u8);
            file.GoOnFrom(5, 1);
            Assert.Equal((9, (0, 0)), (file.Last, file.Head));
            // Entry 7 is of another leader than the one it has.
            file.GoOnFrom(7, 2);
            Assert.Equal((7, (7, 2)), (file.Last, file.Head));
            file.GoOnFrom(20, 2);
            file.Take(21, 2, "b"u8);
            // A snapshot that is not further than the collection is not taken. Before one that is, nothing is cut that follows it.
            file.Progress.Applied = 21;
            Assert.False(file.TryKeep(21));
            Assert.True(file.TryKeep(22));
            file.CutTo(21);
            Assert.Equal((20, 2), file.Head);
        }
        using RaftFile again = new(folder.Path, isAlone: false);
        Assert.Equal((21, (20, 2), 2, -1), (again.Last, again.Head, again.TermOf(21), again.TermOf(19)));
        again.GoOnFrom(20, 2);
        Assert.Equal(21, again.Last);
        Assert.Throws<IOException>(() => again.GoOnFrom(19, 2));
    }
}

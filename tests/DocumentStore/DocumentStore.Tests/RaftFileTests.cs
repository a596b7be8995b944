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
            file.Take(2, 2, "c"u8);
            file.Take(3, 2, "d"u8);
            await file.SyncAsync(2);
            Assert.Equal((3, 1), (file.Last, await file.CommitAsync(3)));
            file.Take(2, 9, "a committed entry stays"u8);
            Assert.Throws<ArgumentOutOfRangeException>(() => file.Take(5, 2, "e"u8));
            Assert.Throws<InvalidOperationException>(() => file.Propose("f"u8));
        }
        using RaftFile again = new(folder.Path, isAlone: false);
        Assert.Equal((2, 3, 0), (again.Term, again.Last, again.Progress.Committed));
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
}

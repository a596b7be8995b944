using System.Text;

namespace MemPrims.Records.Tests;

/// <summary>What a user does with a file, in the order in which the page tells it.</summary>
public class MappedFileTests
{
    [Fact]
    public void A_record_is_read_back_after_commit_and_after_reopening()
    {
        using TempFolder folder = new();
        string path = folder.File("stats");
        using (var file = MappedFile<IndexStats>.Create(path))
        {
            using var tx = file.BeginWrite();
            IndexStats s = tx.Append(out int id);
            s.LastEtag = 42;
            s.Attempts++;
            s.LastError = "no such field"u8;
            tx.Commit();
            Assert.Equal(0, id);
            Assert.Equal(1, file.Count);
            Assert.Equal(42, file.Read(0, static s => s.LastEtag));
        }
        using var again = MappedFile<IndexStats>.Open(path);
        Assert.Equal("no such field", again.Read(0, static s => Encoding.UTF8.GetString(s.LastError)));
        Assert.Equal(1, again.Read(0, static s => s.Attempts));
    }
}

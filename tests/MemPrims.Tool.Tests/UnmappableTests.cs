using MemPrims.Pages;
using MemPrims.Tests.Pages;

namespace MemPrims.Tool.Tests;

// What calls of the system read and maps cannot: sound pages that Linux keeps as one with a bad block, and holes of a file on a full
// tmpfs. The second is made here, since it takes no device.
public class UnmappableTests
{
    private const int Block = 4096;

    [SmallDiskFact]
    public void A_hole_on_a_full_disk_ends_no_command()
    {
        using TempFolder folder = TempFolder.With("pages", out string whole);
        // The second half of most of these pages is zeros.
        using (MappedPages pages = MappedPages.Create(whole))
        {
            SortedTree tree = new(pages);
            for (byte key = 0; key < 10; key++) tree.Set([key], new byte[30_000]);
        }
        using SmallDisk disk = new("2m");
        string path = disk.File("pages"), saved = folder.File("saved");
        Assert.InRange(CopyWithHoles(whole, path), 10, 100);
        FillUp(disk.File("filler"));
        string dump = Command.Run("file", "dump", whole).Succeeds().Output;
        Assert.Equal(dump, Command.Run("file", "dump", path).Succeeds().Output);
        Command.Run("file", "info", path).Succeeds();
        Command.Run("file", "verify", path).Succeeds();
        Command.Run("file", "salvage", path, saved).Succeeds();
        Assert.Equal(dump, Command.Run("file", "dump", saved).Succeeds().Output);
    }

    // Returns how many holes there are.
    private static int CopyWithHoles(string from, string to)
    {
        int holes = 0;
        byte[] bytes = File.ReadAllBytes(from);
        using FileStream copy = new(to, FileMode.CreateNew, FileAccess.Write, FileShare.None, bufferSize: 0);
        for (int at = 0; at < bytes.Length; at += Block)
        {
            ReadOnlySpan<byte> block = bytes.AsSpan(at, Math.Min(Block, bytes.Length - at));
            copy.Position = at;
            if (block.ContainsAnyExcept((byte)0)) copy.Write(block);
            else holes++;
        }
        copy.SetLength(bytes.Length);
        return holes;
    }

    private static void FillUp(string path)
    {
        using FileStream file = new(path, FileMode.CreateNew, FileAccess.Write, FileShare.None, bufferSize: 0);
        Assert.Throws<IOException>(Fill);

        void Fill()
        {
            while (true) file.Write(new byte[Block]);
        }
    }
}

using System.IO.MemoryMappedFiles;
using System.Runtime.CompilerServices;

namespace MemPrims.Tests;

// A block copied onto itself is not written to: another thread may write it, or it may be read-only. System.Buffer does the same.
public unsafe class SelfCopyTests
{
    private static readonly int[] s_lengths = [0, 1, 3, 8, 16, 30, 64, 100, 128, 200, 300, 512, 1_000, 5_000, 20_000, 100_000];

    [Theory, InlineData("managed"), InlineData("libc")]
    public void A_read_only_block_is_copied_onto_itself(string backend) => Child.Run(CopyReadOnly, [backend]).AssertSucceeded();

    [Fact]
    public void Two_null_blocks_are_an_exception_at_every_length_but_0()
    {
        foreach (int length in s_lengths.Skip(1))
        {
            Assert.Throws<NullReferenceException>(() => Block.Copy(null, null, length));
            Assert.Throws<NullReferenceException>(() => Block.CopyStreaming(null, null, length));
            Assert.Throws<NullReferenceException>(() => Libc.Copy(null, null, length));
        }
        Block.Copy(null, null, 0);
        Assert.Throws<ArgumentOutOfRangeException>(() => Block.Copy(null, null, -1));
    }

    private static void CopyReadOnly(string[] backend)
    {
        AppContext.SetData("MemPrims.Backend", backend[0]);
        CopyEveryLength();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void CopyEveryLength()
    {
        string path = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());
        File.WriteAllBytes(path, new byte[100_000]);
        using MemoryMappedFile file = MemoryMappedFile.CreateFromFile(
            File.OpenRead(path), null, 0, MemoryMappedFileAccess.Read, HandleInheritability.None, leaveOpen: false);
        using MemoryMappedViewAccessor view = file.CreateViewAccessor(0, 0, MemoryMappedFileAccess.Read);
        byte* block = null;
        view.SafeMemoryMappedViewHandle.AcquirePointer(ref block);
        foreach (int length in s_lengths)
        {
            CaseNote.Set("bytes onto themselves", length);
            Block.Copy(block, block, length);
            Block.Copy(new Span<byte>(block, length), new ReadOnlySpan<byte>(block, length));
            Block.CopyStreaming(block, block, length);
            Libc.Copy(block, block, length);
            DropIn.Buffer.MemoryCopy(block, block, length, length);
            DropIn.Buffer.Memmove(block, block, (nuint)length);
        }
        view.SafeMemoryMappedViewHandle.ReleasePointer();
        File.Delete(path);
    }
}

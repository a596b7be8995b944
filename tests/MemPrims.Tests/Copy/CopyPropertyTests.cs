using FsCheck;
using FsCheck.Fluent;

namespace MemPrims.Tests;

// The library of .NET is the oracle.
public unsafe class CopyPropertyTests
{
    private static readonly Gen<(byte[] Block, int From, int To, int Length)> s_moves =
        from block in Properties.Block
        from ends in Gen.Two(Gen.Choose(0, block.Length))
        from length in Gen.Choose(0, block.Length - Math.Max(ends.Item1, ends.Item2))
        select (block, ends.Item1, ends.Item2, length);

    [Fact]
    public void Copy_within_a_block_is_CopyTo() => Properties.Hold(s_moves, move =>
    {
        byte[] expected = [.. move.Block], bySpan = [.. move.Block];
        expected.AsSpan(move.From, move.Length).CopyTo(expected.AsSpan(move.To));
        Block.Copy(bySpan.AsSpan(move.To), bySpan.AsSpan(move.From, move.Length));
        return bySpan.AsSpan().SequenceEqual(expected) && CopyKernels.Table.Supported.All(kernel =>
        {
            byte[] actual = [.. move.Block];
            fixed (byte* start = actual) kernel.Copy(start + move.To, start + move.From, move.Length);
            return actual.AsSpan().SequenceEqual(expected);
        });
    });

    [Fact]
    public void A_streaming_copy_is_CopyTo() => Properties.Hold(s_moves, move =>
    {
        byte[] expected = new byte[move.Block.Length], actual = new byte[move.Block.Length];
        move.Block.AsSpan(move.From, move.Length).CopyTo(expected.AsSpan(move.To));
        fixed (byte* destination = actual, source = move.Block) Block.CopyStreaming(destination + move.To, source + move.From,
            move.Length);
        return actual.AsSpan().SequenceEqual(expected);
    });

    [Fact]
    public void Fill_and_Clear_are_those_of_a_span() => Properties.Hold(s_moves, move =>
    {
        byte[] expected = [.. move.Block], actual = [.. move.Block];
        expected.AsSpan(move.From, move.Length).Fill((byte)move.To);
        fixed (byte* start = actual) Block.Fill(start + move.From, move.Length, (byte)move.To);
        bool filled = actual.AsSpan().SequenceEqual(expected);
        expected.AsSpan(move.To, move.Length).Clear();
        fixed (byte* start = actual) Block.Clear(start + move.To, move.Length);
        return filled && actual.AsSpan().SequenceEqual(expected);
    });
}

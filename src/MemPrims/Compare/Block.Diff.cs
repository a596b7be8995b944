namespace MemPrims;

public static unsafe partial class Block
{
    /// <summary>
    /// The ranges in which two blocks of one length differ, in order, as a journal of pages wants them:
    /// <c>foreach (Range range in Block.Diff(old, page)) journal.Append(page[range]);</c> or <see cref="BlockDiff.TryWrite"/>.
    /// </summary>
    /// <param name="before">The block as it was.</param>
    /// <param name="after">The block as it is.</param>
    /// <param name="gap">So many equal bytes between two differences, or fewer, are part of one range. A range costs its reader about as
    /// much as 8 bytes do.</param>
    /// <exception cref="ArgumentException">The lengths differ.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="gap"/> is negative.</exception>
    public static BlockDiff Diff(ReadOnlySpan<byte> before, ReadOnlySpan<byte> after, int gap = BlockDiff.UsualGap)
    {
        if (before.Length != after.Length)
            throw new ArgumentException(
                $"The blocks have {before.Length} and {after.Length} bytes; differences are of blocks of one length.");
        ArgumentOutOfRangeException.ThrowIfNegative(gap);
        return new(before, after, gap);
    }

    /// <summary>Makes of a block as it was the block as it is, by what <see cref="BlockDiff.TryWrite"/> wrote.</summary>
    /// <param name="block">The block as it was.</param>
    /// <param name="diff">All that was written.</param>
    /// <exception cref="DamagedDataException">They are not differences of a block of this length; it is unchanged.</exception>
    public static void Patch(Span<byte> block, ReadOnlySpan<byte> diff)
    {
        int end = 0;
        for (ReadOnlySpan<byte> rest = diff; !rest.IsEmpty; rest = rest[(BlockDiff.HeaderBytes + BlockDiff.Length(rest))..])
            end = CheckedEnd(rest, end, block.Length, diff.Length - rest.Length);
        for (ReadOnlySpan<byte> rest = diff; !rest.IsEmpty; rest = rest[(BlockDiff.HeaderBytes + BlockDiff.Length(rest))..])
            Copy(block[BlockDiff.Start(rest)..], rest.Slice(BlockDiff.HeaderBytes, BlockDiff.Length(rest)));
    }

    // Ranges are in order, apart, not empty, within the block, and their bytes are there.
    private static int CheckedEnd(ReadOnlySpan<byte> range, int endBefore, int length, int position)
    {
        if (range.Length >= BlockDiff.HeaderBytes && BlockDiff.Start(range) is var start && BlockDiff.Length(range) is var bytes
            && start >= endBefore && bytes > 0 && bytes <= length - start && bytes <= range.Length - BlockDiff.HeaderBytes)
            return start + bytes;
        throw new DamagedDataException($"No range of a block of {length} bytes begins at byte {position} of the differences. Take the "
            + "block and its differences from where both are whole.", position);
    }
}

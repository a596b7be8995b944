namespace MemPrims.Pages;

// The errors of pages. Cold and out of line, so that what may throw them stays small.
internal static class PageErrors
{
    [DoesNotReturn]
    public static void ThrowPageSize(int size, string name) => throw new ArgumentException(
        $"A page has a multiple of 64 bytes, from 512 to 65,536, not {size}.", name);

    [DoesNotReturn]
    public static void ThrowTooLarge(int key, int value, int most) => throw new ArgumentException(
        $"The entry has {key} bytes of key and {value} of value; {most} together are the most in a page of this size." +
        " Use larger pages, or keep the value elsewhere.");

    [DoesNotReturn]
    public static void ThrowPosition(int position, int count) => throw new ArgumentOutOfRangeException(
        nameof(position), position,
        count == 0 ? "The page has no entries." : $"The page has {count} entries: positions go from 0 to {count - 1}.");

    [DoesNotReturn]
    public static void ThrowNotGivenOut(uint page, uint pageCount) => throw new ArgumentOutOfRangeException(nameof(page), page,
        pageCount == 1 ? "The store has given out no page." : $"The store has given out pages from 1 to {pageCount - 1}.");

    [DoesNotReturn]
    public static void ThrowFreeAlready(uint page) =>
        throw new ArgumentOutOfRangeException(nameof(page), page, "The page is free already.");

    [DoesNotReturn, MethodImpl(MethodImplOptions.NoInlining)]
    public static void ThrowChangedMeanwhile(Exception? inner = null) => throw new InvalidOperationException(
        "The tree has changed while it was in use: another thread changes it, or a callback of this call or another SortedTree over its" +
        " store did. A store has one SortedTree, and a tree any number of readers, or one writer. Let them take turns, by a" +
        " ReaderWriterLockSlim for example.", inner);

    [DoesNotReturn, MethodImpl(MethodImplOptions.NoInlining)]
    public static void ThrowDamaged(string message, int offset = -1) => throw new PageDamagedException(message, -1, offset);

    [DoesNotReturn, MethodImpl(MethodImplOptions.NoInlining)]
    public static void ThrowEmptyLeaf(long page = -1) =>
        throw new PageDamagedException("A leaf of a tree that has entries has none", page);

    [DoesNotReturn, MethodImpl(MethodImplOptions.NoInlining)]
    public static void ThrowDamagedHints() => ThrowDamaged("The numbers of heads lead behind the page", PageHeader.HintsOffset);

    // Apart from the scan: its text, made in place, would be code of every step to the next leaf.
    [DoesNotReturn, MethodImpl(MethodImplOptions.NoInlining)]
    public static void ThrowDamagedCount(long found, long told) =>
        ThrowDamaged($"A scan found {found} entries, and the header of the tree says {told}");

    [DoesNotReturn, MethodImpl(MethodImplOptions.NoInlining)]
    public static void ThrowDamagedEntry(int slot, int offset, int pageSize) =>
        throw new PageDamagedException(
            offset < 0 ? $"Slot {slot} is not in the page"
                : $"The entry of slot {slot} starts at byte {offset}: it is not among the entries, or does not end in the page",
            -1, offset < pageSize ? offset : -1);

    [DoesNotReturn, MethodImpl(MethodImplOptions.NoInlining)]
    public static void ThrowDamagedLive() => ThrowDamaged("The entries of a page have more bytes than its header says");
}

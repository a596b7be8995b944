namespace MemPrims.Pages;

/// <content>Splits and merges.</content>
public readonly unsafe ref partial struct SortedPage
{
    /// <summary>
    /// Moves the entries from a position on to another page, whatever it held. Both pages get the longest prefix that their keys have.
    /// </summary>
    /// <param name="right">The page for the upper entries, of any size in which they fit.</param>
    /// <param name="at">The position of the first entry that moves: 0 moves all, <see cref="Count"/> none.</param>
    /// <returns>The shortest key that is above all keys that stay and not above those that moved; empty where one side is. It lies in
    /// <paramref name="right"/>.</returns>
    /// <exception cref="ArgumentOutOfRangeException">There is no such position.</exception>
    /// <exception cref="ArgumentException">The entries do not fit the other page, and nothing has changed.</exception>
    public ReadOnlySpan<byte> Split(SortedPage right, int at)
    {
        fixed (byte* l = _memory, r = right._memory)
        {
            Page left = Over(l), upper = right.Over(r);
            if ((uint)at > (uint)left.Count)
                throw new ArgumentOutOfRangeException(
                    nameof(at), at, $"The page has {left.Count} entries: it can be split at 0 to {left.Count}.");
            if (l == r) throw new ArgumentException("A page cannot be split into itself.", nameof(right));
            int bytes = 0, largest = 0, moved = left.Count - at;
            for (int i = at; i < left.Count; i++)
            {
                int entry = left.Entry(i).Bytes;
                bytes += entry;
                largest = Math.Max(largest, entry - PageLayout.EntryHeader);
            }
            if (!Fit(left.Size)) PageErrors.Damaged("The entries of the page overlap, or one of them is too long");
            if (!Fit(upper.Size))
                throw new ArgumentException(
                    $"{moved} entries do not fit a page of {upper.Size} bytes; nothing was moved.", nameof(right));
            if (at > 0 && at < left.Count && Block.Compare(left.Key(at - 1), left.Key(at)) >= 0)
                PageErrors.Damaged($"The keys at {at - 1} and {at} are not in order");
            PageRebuild.Split(left, upper, at);
            return left.Count == 0 || upper.Count == 0 ? default : right.Key(0)[..SeparatorLength(Key(left.Count - 1), right.Key(0))];

            bool Fit(int size) => PageHeader.Bytes + PageLayout.SlotsFor(moved) + bytes <= size && largest <= PageLayout.MaxEntry(size);
        }
    }

    /// <summary>
    /// The position at which a split leaves about half of the bytes on each side; 0 or 1 where there are no two entries.
    /// </summary>
    public int SplitPosition
    {
        get { fixed (byte* start = _memory) return Count < 2 ? Count : PageRebuild.ChooseSplit(Over(start)); }
    }

    /// <summary>
    /// How many bytes of <paramref name="right"/> make the shortest key that is above <paramref name="left"/> and not above
    /// <paramref name="right"/>.
    /// </summary>
    /// <exception cref="ArgumentException"><paramref name="right"/> is not above <paramref name="left"/>.</exception>
    internal static int SeparatorLength(ReadOnlySpan<byte> left, ReadOnlySpan<byte> right)
    {
        int common = Block.CommonPrefix(left, right);
        if (common == right.Length || (common < left.Length && left[common] > right[common]))
            PageErrors.NotAscending("There is no separator: the right key is not above the left one.");
        return common + 1;
    }

    /// <summary>
    /// Takes all entries of a page whose keys are above this one's. False, and nothing changed, where they do not fit; that page then is
    /// left as it is, too.
    /// </summary>
    /// <exception cref="ArgumentException">The other page's first key is not above this one's last.</exception>
    public bool TryMerge(SortedPage right)
    {
        fixed (byte* l = _memory, r = right._memory)
        {
            Page left = Over(l), upper = right.Over(r);
            if (upper.Count == 0) return true;
            if (left.Count > 0 && Block.Compare(Key(left.Count - 1), right.Key(0)) >= 0)
                PageErrors.NotAscending("The pages cannot be merged: the right one's first key is not above the left one's last.");
            int most = PageLayout.MaxEntry(left.Size);
            for (int i = 0; i < upper.Count; i++)
                if (upper.Entry(i).Bytes - PageLayout.EntryHeader > most) return false;
            if (!PageRebuild.TryAppendAll(left, upper)) return false;
            upper.Reset();
            return true;
        }
    }
}

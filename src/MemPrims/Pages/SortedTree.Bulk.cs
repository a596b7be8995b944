namespace MemPrims.Pages;

// What is done with the tree as a whole.
public sealed unsafe partial class SortedTree
{
    private int _roomPerLeaf = int.MaxValue;

    /// <summary>Fills an empty tree with entries that are sorted, page by page and without a search.</summary>
    /// <param name="entries">Keys and values; each key above the one before it.</param>
    /// <param name="fill">How full the pages become: from 0.1 to 1, which is the default. Less than 1 leaves room for later inserts in
    /// between.</param>
    /// <remarks>
    /// Whatever ends it too early, an exception of the store or one of <paramref name="entries"/> among them: the tree is sound, and has
    /// the entries before. <see cref="Clear"/> removes them. A file of <see cref="MappedPages"/> then counts as not closed cleanly, until
    /// the next <see cref="MappedPages.Checkpoint"/>.
    /// </remarks>
    /// <exception cref="InvalidOperationException">The tree is not empty, or <paramref name="entries"/> changes it.</exception>
    /// <exception cref="ArgumentException">A key is not above the one before it, or too long.</exception>
    /// <exception cref="IOException">The store has no room.</exception>
    public void BuildFrom(IEnumerable<KeyValuePair<ReadOnlyMemory<byte>, ReadOnlyMemory<byte>>> entries, double fill = 1)
    {
        ArgumentNullException.ThrowIfNull(entries);
        Build(fill, () =>
        {
            ulong changes = FirstLook();
            byte[] last = new byte[_mostBytes];
            int lastLength = -1;
            foreach ((ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> value) in entries)
            {
                if (FirstLook() != changes) PageErrors.ThrowChangedMeanwhile();
                if (lastLength >= 0 && Block.Compare(key.Span, last.AsSpan(0, lastLength)) <= 0)
                    throw new ArgumentException($"Entry {Count} is not above the one before it. Keys are ordered by their bytes, as " +
                        "Block.Compare does; encode them sortably (MemPrims.Codecs).");
                Set(key.Span, value.Span);
                changes = _pages.Changes;
                // The caller may use the key's memory for the next one.
                key.Span.CopyTo(last);
                lastLength = key.Length;
            }
            if (FirstLook() != changes) PageErrors.ThrowChangedMeanwhile();
        });
    }

    /// <summary>
    /// Fills an empty tree with the entries of another. A tree that has lost many entries becomes small by it: build a new one in another
    /// store, and put that in the place of the old one.
    /// </summary>
    /// <param name="source">A tree over another store.</param>
    /// <param name="fill">As for <see cref="BuildFrom"/>.</param>
    /// <remarks>As after <see cref="BuildFrom"/>: after an exception the tree is sound and has the entries before.</remarks>
    /// <exception cref="InvalidOperationException">The tree is not empty.</exception>
    /// <exception cref="ArgumentException">A key is too long for this tree's pages.</exception>
    /// <exception cref="IOException">The store has no room.</exception>
    /// <exception cref="PageDamagedException">The source is damaged, or has another number of entries than it says.</exception>
    public void CopyFrom(SortedTree source, double fill = 1)
    {
        ArgumentNullException.ThrowIfNull(source);
        Build(fill, () =>
        {
            SortedCursor from = source.Scan();
            while (from.Next())
            {
                ReadOnlySpan<byte> key = from.Key;
                int most = source._mostBytes - TreeOverflow.ReferenceBytes;
                if (key.Length > most) PageErrors.ThrowDamaged($"A key of the source has {key.Length} bytes, and {most} are the most");
                Set(key, from.Value);
            }
        });
    }

    private void Build(double fill, Action add)
    {
        if (!(fill is >= 0.1 and <= 1)) throw new ArgumentOutOfRangeException(nameof(fill), fill, "Pages can be filled from 0.1 to 1.");
        long count = Count;
        if (count > 0)
            throw new InvalidOperationException($"The tree has {count} entries; it can be built only while it is empty. Clear it first.");
        _roomPerLeaf = (int)((_pages.PageSize - PageHeader.Bytes) * fill);
        bool wasWhole = _pages.Use.IsWhole;
        // A process that dies in the middle leaves a part of the entries, which nobody must take for all of them.
        _pages.Use.IsWhole = false;
        try
        {
            add();
            _pages.Use.IsWhole = wasWhole;
        }
        catch
        {
            _pages.Use.IsWhole = false;
            throw;
        }
        finally
        {
            _roomPerLeaf = int.MaxValue;
        }
    }

    // While a tree is built, leaves are full at the fill that was asked for. What the source itself sets in between, against the rule, is
    // an entry like any other.
    private bool IsFull(Page leaf, int position, int bytes) =>
        position > 0 && position == leaf.Count && _roomPerLeaf - leaf.Used < bytes + PageLayout.EntryHeader + PageLayout.PerSlot;

    /// <summary>
    /// Proves the structure of the tree: every page, its place under its parents, the order across pages, the chains of large values, and
    /// the count. It cannot see a value, or a key that still is in order, whose bytes have changed: pages have no checksum.
    /// </summary>
    /// <exception cref="PageDamagedException">Something is not as it should be; the message says what and where.</exception>
    public void Verify()
    {
        if (_pages.Levels > 0) CheckHeader();
        TreeWalk.Walk(this).CheckCount();
        GC.KeepAlive(this);
    }

    // Between two changes the header says what this object knows.
    private void CheckHeader()
    {
        TreeHeader* header = _pages.Header, right = stackalloc TreeHeader[1];
        ulong changes = FirstLook();
        *right = *header;
        (right->Magic, right->PageSize, right->Top) = (TreeHeader.TreeMagic, (uint)_pages.PageSize, _pages.Top);
        (right->Levels, right->Count) = ((uint)_pages.Levels, _pages.Count);
        long same = Block.CommonPrefix((byte*)right, (byte*)header, TreeHeader.Bytes);
        // Where the header was, another tree may have its own by now, with the same number of changes: this object's number tells.
        if (TreeHeader.LastLook(&header->Changes) != changes || _pages.Changes != changes) PageErrors.ThrowChangedMeanwhile();
        if (same < TreeHeader.Bytes) throw new PageDamagedException("The header of the tree has other numbers", _pages.Root, (int)same);
    }

    /// <summary>The tree's size, by a walk over all of its pages.</summary>
    public SortedTreeStatistics Statistics => TreeWalk.Walk(this).Statistics;
}

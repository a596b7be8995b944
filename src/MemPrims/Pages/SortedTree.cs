namespace MemPrims.Pages;

/// <summary>
/// Keys and values in the order of the keys' bytes, in a B+tree over the pages of a store. Threads: any number of readers, or one writer,
/// for all trees of a store together. Cursors and spans count as readers as long as they are used. A method or a cursor beside which
/// another thread changes the tree throws an <see cref="InvalidOperationException"/>; a span that is read meanwhile has any bytes.
/// A tree is an index that can be built again: a crash in the middle of a change ends it, and the constructor says so.
/// </summary>
/// <remarks>
/// <b>Lifetime.</b> A span of the tree is valid until the tree is changed, and as long as the store lives. The tree and its cursors keep
/// the store from being collected, also while one of their methods runs. A span alone does not: where nothing else refers to the store,
/// the garbage collector may free its memory under the span. So hold the store in a `using` that outlives the spans. Pages have no
/// checksum: what the disk or a stray write does to the bytes of a value is not seen. Other orders than that of the bytes are made by the
/// encoding of the keys (MemPrims.Codecs). A reopened tree proves each page when it is first touched. A store has one tree object: where
/// another one has changed the tree, this one throws an <see cref="InvalidOperationException"/> from then on.
/// </remarks>
// Where things are: this file looks up and scans; changes and what is done with the whole tree have files of their own. TreePages
// guards the pages, TreeShape splits and merges them, TreeOverflow keeps large values, TreeWalk verifies. How a breach is told: the number
// of changes in the header is odd while a change is made, and every read compares it before and after. StoreUse lets one thread at a time
// change a store.
public sealed unsafe partial class SortedTree
{
    private readonly TreePages _pages;
    private readonly TreeShape _shape;
    private readonly StoreUse _use;
    private readonly int _mostBytes;

    /// <summary>
    /// The tree of a store: the one that is there, or an empty one, which takes its first pages by the first <see cref="Set"/>.
    /// </summary>
    /// <exception cref="ArgumentException">The store's pages have no size that a page can have.</exception>
    /// <exception cref="PageDamagedException">The store's root is not the page of a tree, or of one with pages of another size, or the
    /// last change of the tree was not finished.</exception>
    public SortedTree(IPageStore store) : this(new TreePages(store ?? throw new ArgumentNullException(nameof(store))))
    {
    }

    internal SortedTree(TreePages pages)
    {
        _pages = pages;
        _mostBytes = PageLayout.MaxEntry(_pages.PageSize);
        _shape = new(_pages, _mostBytes);
        _use = _pages.Use;
        Load();
    }

    private void Load()
    {
        uint root = _pages.Root;
        if (root == 0) return;
        TreeHeader* header = (TreeHeader*)_pages.Raw(root).Start;
        ulong changes = Volatile.Read(ref header->Changes);
        Check(header->Magic == TreeHeader.TreeMagic, "The root of the store is not the page of a tree", &header->Magic);
        Check(header->PageSize == _pages.PageSize,
            $"The tree has pages of {header->PageSize} bytes, and those of the store have {_pages.PageSize}", &header->PageSize);
        Check(header->Levels is > 0 and <= TreeHeader.MostLevels,
            $"The tree should have 1 to {TreeHeader.MostLevels} levels, not {header->Levels}", &header->Levels);
        Check(header->Count >= 0, $"The tree should have no fewer than 0 entries, not {header->Count}", &header->Count);
        Check((changes & 1) == 0, "The last change of the tree was not finished, or another thread is making it now", &header->Changes);
        (_pages.Top, _pages.Levels, _pages.Count, _pages.Changes) = (header->Top, (int)header->Levels, header->Count, changes);
        if (TreeHeader.LastLook(&header->Changes) != changes) PageErrors.ThrowChangedMeanwhile();
        _pages.Header = header;

        void Check(bool holds, string otherwise, void* field)
        {
            if (!holds) throw new PageDamagedException(otherwise, root, (int)((byte*)field - (byte*)header));
        }
    }

    /// <summary>How many entries there are.</summary>
    public long Count
    {
        get
        {
            FirstLook();
            return _pages.Count;
        }
    }

    internal TreePages Pages => _pages;

    /// <summary>Finds the value of a key.</summary>
    /// <param name="key">Any bytes, also more than an entry may have.</param>
    /// <param name="value">Where it lies, until the next change; one in several overflow pages is a copy of its own.</param>
    /// <exception cref="PageDamagedException">A page on the way is damaged.</exception>
    /// <exception cref="InvalidOperationException">Another thread changes the tree.</exception>
    public bool TryGet(ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value)
    {
        try
        {
            ulong changes = FirstLook();
            if (_pages.Levels > 0)
            {
                fixed (byte* bytes = key)
                {
                    Page leaf = _pages.At(Leaf(bytes, key.Length, out _), 0);
                    Place place = PageSearch.Find(leaf, bytes, key.Length);
                    if (place.Found)
                    {
                        value = TreeOverflow.Value(_pages, leaf.Entry(place.Position));
                        if (TreeHeader.LastLook(&_pages.Header->Changes) != changes) PageErrors.ThrowChangedMeanwhile();
                        GC.KeepAlive(this);
                        return true;
                    }
                }
                if (TreeHeader.LastLook(&_pages.Header->Changes) != changes) PageErrors.ThrowChangedMeanwhile();
            }
            GC.KeepAlive(this);
        }
        catch (PageDamagedException)
        {
            FailLookup(key);
            throw;
        }
        value = default;
        return false;
    }

    // Damage that is not there a second time was a change by another thread. The handler above uses the key alone, so that the method
    // keeps all else in registers.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void FailLookup(ReadOnlySpan<byte> key)
    {
        ulong changes = FirstLook();
        try
        {
            fixed (byte* bytes = key)
            {
                Page leaf = _pages.At(Leaf(bytes, key.Length, out _), 0);
                Place place = PageSearch.Find(leaf, bytes, key.Length);
                if (place.Found) TreeOverflow.Value(_pages, leaf.Entry(place.Position));
            }
        }
        catch (PageDamagedException e) when (TreeHeader.LastLook(&_pages.Header->Changes) != changes)
        {
            PageErrors.ThrowChangedMeanwhile(e);
        }
        PageErrors.ThrowChangedMeanwhile();
    }

    /// <summary>The entry with the least key; false where there is none.</summary>
    public bool TryGetFirst(out ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value)
    {
        SortedCursor cursor = Scan();
        return cursor.TryTake(cursor.Next(), out key, out value);
    }

    /// <summary>The entry with the greatest key; false where there is none.</summary>
    public bool TryGetLast(out ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value)
    {
        SortedCursor cursor = new(this, default);
        cursor.Seek(default, after: false, toEnd: true);
        return cursor.TryTake(cursor.Previous(), out key, out value);
    }

    /// <summary>
    /// A cursor over the whole tree, before the first key that is not below <paramref name="from"/>: <see cref="SortedCursor.Next"/> goes
    /// there. <see cref="SortedCursor.Previous"/> goes to keys below it.
    /// </summary>
    /// <param name="from">Where to begin; without it, or with no bytes, before the first key. It is no bound.</param>
    public SortedCursor Scan(scoped ReadOnlySpan<byte> from = default) => Begin(default, from, after: false);

    /// <summary>
    /// A cursor over a range, before its first key. <see cref="SortedCursor.GoToEnd"/> takes it after the last one, to go backwards.
    /// </summary>
    /// <param name="from">No key below it is in the range; a key that equals it is.</param>
    /// <param name="to">Only keys below it are in the range; none are where it is not above <paramref name="from"/>. The cursor refers to
    /// both bounds as long as it lives.</param>
    public SortedCursor Scan(ReadOnlySpan<byte> from, ReadOnlySpan<byte> to) =>
        Begin(new() { Low = from, High = to, HasHigh = true }, from, after: false);

    /// <summary>
    /// A cursor over the whole tree, before the first key above <paramref name="after"/>: to go on after the last key of a page of
    /// results. <see cref="SortedCursor.Previous"/> goes to the last key that is not above it.
    /// </summary>
    /// <param name="after">Where to begin. It is no bound, and need not be in the tree.</param>
    public SortedCursor ScanAfter(scoped ReadOnlySpan<byte> after) => Begin(default, after, after: true);

    /// <summary>The next page of a range: a cursor before the first key above <paramref name="after"/>.</summary>
    /// <param name="after">Only keys above it are in the range.</param>
    /// <param name="to">Only keys below it are in the range. The cursor refers to both bounds as long as it lives.</param>
    public SortedCursor ScanAfter(ReadOnlySpan<byte> after, ReadOnlySpan<byte> to) =>
        Begin(new() { Low = after, ExcludesLow = true, High = to, HasHigh = true }, after, after: true);

    /// <summary>A cursor over all keys that begin with a prefix, before the first of them. No bytes are the prefix of all keys.</summary>
    /// <param name="prefix">The cursor refers to it as long as it lives.</param>
    public SortedCursor ScanPrefix(ReadOnlySpan<byte> prefix)
    {
        // The least key above all of them; where all bytes are FF there is none.
        byte[] above = prefix.TrimEnd((byte)0xFF).ToArray();
        if (above.Length > 0) above[^1]++;
        return Begin(new() { Low = prefix, High = above, HasHigh = above.Length > 0 }, prefix, after: false);
    }

    private SortedCursor Begin(SortedCursor.Range range, scoped ReadOnlySpan<byte> key, bool after)
    {
        SortedCursor cursor = new(this, range);
        cursor.Seek(key, after);
        return cursor;
    }

    // The leaf in which the key is, or would be.
    private uint Leaf(byte* key, int length, out bool isLast)
    {
        uint number = _pages.Top;
        isLast = true;
        for (int level = _pages.Levels - 1; level > 0; level--)
        {
            Page branch = _pages.At(number, level);
            int child = PageSearch.Find(branch, key, length).Child;
            isLast &= child + 1 == branch.Count;
            number = TreePages.Child(branch, child);
        }
        return number;
    }

    // The first step of every use: the number of changes that a reader's last look compares with.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ulong FirstLook()
    {
        // The writer counts here before it does in the header. So this number, and not the header's alone, has to come before the reads.
        TreePages pages = _pages;
        ulong changes = Volatile.Read(ref pages.Changes);
        return !_use.IsDisposed && Volatile.Read(ref pages.Header->Changes) == changes ? changes : LookAgain();
    }

    // There is no tree yet, or a writer has ended its change between the two looks at the number; all else is a change by another.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private ulong LookAgain()
    {
        _pages.RequireStore();
        ulong changes = Volatile.Read(ref _pages.Changes);
        bool isSame = _pages.Levels == 0 ? _pages.Root == 0 : Volatile.Read(ref _pages.Header->Changes) == changes;
        if (!isSame) PageErrors.ThrowChangedMeanwhile();
        return changes;
    }

    // Begins a change: from here on readers are turned away, until EndChange. Pages must not be changed before.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void BeginChange()
    {
        _pages.BeginChange();
        // Another tree object, or a callback of this very change, may have come in between.
        if (_pages.Header->Changes != _pages.Changes) Refuse();
        TreeHeader.Begin(_pages.Header, _pages.Changes + 1);
    }

    // Where a change is under way that is not this one. At an end, a store that two others share is changed past what they share: see
    // IPageStore.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Refuse(bool breaks = false)
    {
        _pages.Use.Leave();
        if (breaks) _pages.Use.Break();
        PageErrors.ThrowChangedMeanwhile();
    }

    // Ends a change by writing the header, and gives back what it freed.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void EndChange()
    {
        TreeHeader* header = _pages.Header;
        if (header->Changes != _pages.Changes + 1) Refuse(breaks: true);
        header->Top = _pages.Top;
        header->Levels = (uint)_pages.Levels;
        header->Count = _pages.Count;
        ulong changes = _pages.Changes + 2;
        Volatile.Write(ref _pages.Changes, changes);
        Volatile.Write(ref header->Changes, changes);
        _pages.EndChange();
    }

    // Ends a change that threw, and tells what came of another thread's change.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void FailChange(Exception reason)
    {
        ulong now = _use.IsDisposed ? _pages.Changes : _pages.Header->Changes;
        // It has not begun, or what goes on is another thread's.
        if (now == _pages.Changes) return;
        if (now != _pages.Changes + 1 || !_pages.Use.IsMine) PageErrors.ThrowChangedMeanwhile(reason);
        try
        {
            EndChange();
        }
        catch (Exception)
        {
            // A store that takes no page back either: the next change offers it again. What is told is why this one has failed.
        }
    }
}

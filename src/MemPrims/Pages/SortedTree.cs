using System.Runtime.CompilerServices;

namespace MemPrims.Pages;

/// <summary>
/// Keys and values in the order of the keys' bytes, in a B+tree over the pages of a store. For one thread at a time. It does not survive
/// a crash in the middle of a change: it is an index that can be built again. A reopened tree proves each page when it is first touched.
/// Two tree objects over one store see each other's changes, at a price: after a change by the other, each page is proved again.
/// </summary>
/// <remarks>
/// <b>Lifetime.</b> A span of the tree is valid until the tree is changed, and as long as the store lives. The tree and its cursors keep
/// the store from being collected, also while one of their methods runs. A span alone does not: where nothing else refers to the store,
/// the garbage collector may free its memory under the span. So hold the store in a `using` that outlives the spans. After Dispose,
/// spans and cursors must not be used; the methods of the tree throw. Pages have no checksum: what the disk or a stray write does to the
/// bytes of a value is not seen. Other orders than that of the bytes are made by the encoding of
/// the keys (MemPrims.Codecs). Where things are: this file looks up; Set and Remove have files of their own, <see cref="TreePages"/>
/// guards the pages, <see cref="TreeOverflow"/> keeps large values, <see cref="TreeWalk"/> verifies.
/// </remarks>
public sealed unsafe partial class SortedTree
{
    private readonly TreePages _pages;
    private readonly int _mostBytes;
    private uint _header, _top;
    private int _levels;
    private long _count;
    private ulong _changes;

    /// <summary>
    /// The tree of a store: the one that is there, or an empty one, which takes its first pages by the first <see cref="Set"/>.
    /// </summary>
    /// <exception cref="ArgumentException">The store's pages have no size that a page can have.</exception>
    /// <exception cref="PageDamagedException">The store's root is not the page of a tree, or of one with pages of another
    /// size.</exception>
    public SortedTree(IPageStore store)
    {
        ArgumentNullException.ThrowIfNull(store);
        _pages = new(store);
        _mostBytes = PageLayout.MaxEntry(_pages.PageSize);
        Load();
    }

    private void Load()
    {
        IPageStore store = _pages.Store;
        (_header, _top, _levels, _count) = (0, 0, 0, 0);
        (_guess, _guessHolds) = (0, false);
        if (store.Root == 0) return;
        TreeHeader* header = (TreeHeader*)_pages.Raw(store.Root).Start;
        Check(header->Magic == TreeHeader.TreeMagic, "The root of the store is not the page of a tree", 0);
        Check(header->PageSize == _pages.PageSize,
            $"The tree has pages of {header->PageSize} bytes, and those of the store have {_pages.PageSize}", 4);
        Check(header->Levels is > 0 and <= TreeHeader.MostLevels,
            $"The tree should have 1 to {TreeHeader.MostLevels} levels, not {header->Levels}", 12);
        Check(header->Count >= 0, $"The tree should have no fewer than 0 entries, not {header->Count}", 16);
        (_header, _top, _levels, _count, _changes) = (store.Root, header->Top, (int)header->Levels, header->Count, header->Changes);

        void Check(bool holds, string otherwise, int offset)
        {
            if (!holds) throw new PageDamagedException(otherwise, store.Root, offset);
        }
    }

    /// <summary>How many entries there are.</summary>
    public long Count
    {
        get
        {
            Refresh();
            return _count;
        }
    }

    internal TreePages Pages => _pages;

    /// <summary>Where the number of changes lies; null where the tree has no page yet.</summary>
    internal ulong* ChangesInHeader => _levels == 0 ? null : &((TreeHeader*)_pages.Raw(_header).Start)->Changes;

    internal uint Top => _top;

    internal int Levels => _levels;

    /// <summary>Changes with every change of the tree: what a cursor compares.</summary>
    internal uint Version { get; private set; }

    /// <summary>Finds the value of a key.</summary>
    /// <param name="key">Any bytes, also more than an entry may have.</param>
    /// <param name="value">Where it lies, until the next change; a value in overflow pages is a copy of its own.</param>
    /// <exception cref="PageDamagedException">A page on the way is damaged.</exception>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public bool TryGet(ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value)
    {
        Refresh();
        if (_levels > 0)
        {
            fixed (byte* bytes = key)
            {
                Page leaf = _pages.At(Leaf(bytes, key.Length, out _), 0);
                Place place = PageSearch.Find(leaf, bytes, key.Length);
                if (place.Found)
                {
                    value = TreeOverflow.Value(_pages, leaf.Start + leaf.Slots[place.Position]);
                    GC.KeepAlive(this);
                    return true;
                }
            }
        }
        GC.KeepAlive(this);
        value = default;
        return false;
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
        SortedCursor cursor = ScanBackwards();
        return cursor.TryTake(cursor.Previous(), out key, out value);
    }

    /// <summary>
    /// A cursor over the whole tree, before the first key that is not below <paramref name="from"/>: <see cref="SortedCursor.Next"/> goes
    /// there. <see cref="SortedCursor.Previous"/> goes to keys below it.
    /// </summary>
    /// <param name="from">Where to begin; without it, or with no bytes, before the first key. It is no bound.</param>
    public SortedCursor Scan(scoped ReadOnlySpan<byte> from = default)
    {
        SortedCursor cursor = new(this, default);
        cursor.Seek(from, false);
        return cursor;
    }

    /// <summary>
    /// A cursor over a range, before its first key. <see cref="SortedCursor.GoToEnd"/> takes it behind the last one, to go backwards.
    /// </summary>
    /// <param name="from">No key below it is in the range.</param>
    /// <param name="to">Only keys below it are in the range; none are where it is not above <paramref name="from"/>. The cursor refers to
    /// both bounds as long as it lives.</param>
    public SortedCursor Scan(ReadOnlySpan<byte> from, ReadOnlySpan<byte> to)
    {
        SortedCursor cursor = new(this, new() { From = from, HasFrom = true, To = to, HasTo = true });
        cursor.Seek(from, false);
        return cursor;
    }

    /// <summary>
    /// A cursor over the whole tree, behind the last key that is not above <paramref name="from"/>: <see cref="SortedCursor.Previous"/>
    /// goes there. <see cref="SortedCursor.Next"/> goes to keys above it.
    /// </summary>
    public SortedCursor ScanBackwards(scoped ReadOnlySpan<byte> from)
    {
        SortedCursor cursor = new(this, default);
        cursor.Seek(from, true);
        return cursor;
    }

    /// <summary>A cursor over a range, behind its last key: <see cref="SortedCursor.Previous"/> goes there.</summary>
    /// <param name="from">No key above it is in the range; a key that equals it is.</param>
    /// <param name="downTo">No key below it is in the range; a key that equals it is. The cursor refers to both bounds as long as it
    /// lives.</param>
    public SortedCursor ScanBackwards(ReadOnlySpan<byte> from, ReadOnlySpan<byte> downTo)
    {
        SortedCursor cursor = new(this, new() { From = downTo, HasFrom = true, To = from, HasTo = true, IncludesTo = true });
        cursor.Seek(from, true);
        return cursor;
    }

    /// <summary>A cursor over the whole tree, behind its last key.</summary>
    public SortedCursor ScanBackwards()
    {
        SortedCursor cursor = new(this, default);
        cursor.SeekEnd();
        return cursor;
    }

    /// <summary>The leaf in which the key is, or would be.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    internal uint Leaf(byte* key, int length, out bool isLast)
    {
        uint number = _top;
        isLast = true;
        for (int level = _levels - 1; level > 0; level--)
        {
            Page branch = _pages.At(number, level);
            int child = PageSearch.Find(branch, key, length).Child;
            isLast &= child + 1 == branch.Count;
            number = TreePages.Child(branch, child);
        }
        return number;
    }

    /// <summary>
    /// The leaf in which the key is, with the way there: at 0 the leaf, at each level above the branch and the index of its child.
    /// </summary>
    private void FindPath(byte* key, int length, Span<PathStep> path)
    {
        uint number = _top;
        for (int level = _levels - 1; level > 0; level--)
        {
            Page branch = _pages.At(number, level);
            int child = PageSearch.Find(branch, key, length).Child;
            path[level] = new(number, child);
            number = TreePages.Child(branch, child);
        }
        path[0] = new(number, 0);
    }

    /// <summary>
    /// The first step of every use: where another tree object over the same store has made a change, the header is read again.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Refresh()
    {
        if (_levels == 0 ? _pages.Store.Root != 0 : ((TreeHeader*)_pages.Raw(_header).Start)->Changes != _changes) Reload();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Reload()
    {
        Version++;
        _pages.ForgetProofs();
        Load();
    }

    private void Changed(long entries)
    {
        Version++;
        _changes++;
        _count += entries;
        WriteHeader();
    }

    private void WriteHeader()
    {
        TreeHeader* header = (TreeHeader*)_pages.Raw(_header).Start;
        header->Top = _top;
        header->Levels = (uint)_levels;
        header->Count = _count;
        header->Changes = _changes;
    }

    private readonly record struct PathStep(uint Number, int Index);
}

namespace MemPrims.Pages;

/// <summary>
/// A place in a tree, on an entry or between two, that moves both ways: <see cref="Next"/> and <see cref="Previous"/>. A cursor over a
/// range stays in it in both directions. It is a struct that changes as it moves. So hand it to a method by `ref`: a copy moves alone.
/// Threads: one at a time for a cursor; any number of cursors beside each other, as long as nobody changes the tree or disposes of the
/// store.
/// </summary>
/// <remarks>
/// After a change of the tree every use throws an <see cref="InvalidOperationException"/>. A removal of a key that was not there changes
/// nothing. To remove what a scan finds, collect the keys first, or begin another scan after each removed key. A cursor keeps its tree
/// and the store from being collected.
/// </remarks>
// Inside a leaf a step reads the lengths of the entry, which key and value then are made of; at its end the parent branch tells the next
// leaf.
public unsafe ref struct SortedCursor
{
    private readonly SortedTree _tree;
    private readonly Range _range;
    private readonly TreePages _pages;
    private readonly StoreUse _use;

    // The number in the tree's header that every change makes another, and what it was when the cursor was made.
    private readonly ulong* _changesNow;
    private readonly ulong _changes;

    // The entry it is on, or, when it is on none, the one that Next goes to. First and limit are the part of the leaf in the range.
    private Page _leaf;
    private PageEntry _entry;
    private ushort* _slots;
    private int _position, _first, _limit;

    // The number of changes where it is on an entry, and one more, which is no number of a tree, where it is on none: so one compare asks
    // for both.
    private ulong _on;

    // The branch above the leaf and which child the leaf is, where the top is no leaf.
    private PathStep _above;

    // How many leaves it has entered one after the other: upwards, or, as a negative number, downwards.
    private long _row;

    // The entries of the leaves before this one; null where it began in the middle of the tree. At either end it knows then how many the
    // tree has: a branch that has lost a child is sound alone.
    private long? _before;

    internal SortedCursor(SortedTree tree, Range range)
    {
        _tree = tree;
        _range = range;
        _pages = tree.Pages;
        _changes = tree.FirstLook();
        _use = tree.Pages.Use;
        _on = _changes + 1;
        _changesNow = &_pages.Header->Changes;
    }

    /// <summary>The key of the entry it is on.</summary>
    /// <exception cref="InvalidOperationException">It is on no entry.</exception>
    public readonly ReadOnlySpan<byte> Key
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
            if (!IsUsable) Unusable();
            return _entry.KeySpan;
        }
    }

    /// <summary>The value of the entry it is on; one in several overflow pages is a copy of its own, made anew each time.</summary>
    /// <exception cref="InvalidOperationException">It is on no entry.</exception>
    public readonly ReadOnlySpan<byte> Value
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
            if (!IsUsable) Unusable();
            return _entry.IsTagged ? Large(_entry) : _entry.ValueSpan;
        }
    }

    // Whether it is on an entry, and the tree is as it was. The first number tells of a tree that was dropped, too; after the end of the
    // store the other one may not be read.
    private readonly bool IsUsable
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _pages is not null && _pages.Changes == _on && !_use.IsDisposed && Volatile.Read(ref *_changesNow) == _on;
    }

    // After pages were read. Asked only where there is an entry, so there is a tree with a header.
    private readonly bool HasChangedMeanwhile
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
            Volatile.ReadBarrier();
            return _use.IsDisposed || Volatile.Read(ref _pages.Changes) != _changes || Volatile.Read(ref *_changesNow) != _changes;
        }
    }

    /// <summary>Goes to the next entry. False after the last one of the range; <see cref="Previous"/> then goes back to it.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Next()
    {
        int position = _position + OneIfOn;
        if (position >= _limit) return NextLeaf(position, isRead: true);
        BeOn(position);
        return true;
    }

    /// <summary>Goes to the entry before. False before the first one of the range; <see cref="Next"/> then goes back to it.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Previous()
    {
        int position = _position - 1;
        if (position < _first) return PreviousLeaf();
        BeOn(position);
        return true;
    }

    // Reads the lengths of the entry once, between two looks at the number of changes: so key and value lie in the page, also where
    // another thread changes it afterwards.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void BeOn(int position)
    {
        // Memory of a store that has ended may not be read. Pages of a tree that was dropped may be another's.
        if (_use.IsDisposed || Volatile.Read(ref _pages.Changes) != _changes) Unusable();
        int offset = _slots[position];
        if (offset > _leaf.Size - PageLayout.EntryHeader) Unreadable(position);
        PageEntry entry = new(_leaf.Start + offset);
        if (offset + entry.Bytes > _leaf.Size || TreeHeader.LastLook(_changesNow) != _changes) Unreadable(position);
        (_entry, _position, _on) = (entry, position, _changes);
    }

    /// <summary>
    /// Goes so many entries on, as that many calls of <see cref="Next"/> do, but steps over whole leaves: to begin at a page of results.
    /// </summary>
    /// <returns>How many entries there were: fewer where the range ends before. The cursor then is after its last entry.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The number is negative.</exception>
    public long Skip(long entries)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(entries);
        CheckVersion();
        for (long left = entries; left > 0; left--)
        {
            // All that is left of this leaf but one entry, from which the next step goes on.
            long here = Math.Min(left, _limit - _position - OneIfOn);
            if (here > 1)
            {
                _position += (int)here - 1;
                left -= here - 1;
            }
            int position = _position + OneIfOn;
            if (position < _limit) BeOn(position);
            else if (!NextLeaf(position, isRead: false)) return entries - left;
        }
        return entries;
    }

    /// <summary>Goes after the last entry of the range: <see cref="Previous"/> then goes through it backwards.</summary>
    public void GoToEnd()
    {
        CheckVersion();
        _on = _changes + 1;
        _row = 0;
        Seek(_range.High, after: false, toEnd: !_range.HasHigh);
    }

    // Goes to the first entry that is not below the key, or, with `after`, to the first above it; with `toEnd` behind the last one.
    internal void Seek(scoped ReadOnlySpan<byte> key, bool after, bool toEnd = false)
    {
        if (_pages.Levels == 0) return;
        PathStep above = _above;
        try
        {
            Enter(toEnd ? Outermost(_pages.Top, _pages.Levels - 1, last: true) : LeafOf(key));
            _before = toEnd ? _pages.Count - _leaf.Count : key.IsEmpty ? 0 : null;
            _position = toEnd ? Math.Max(_first, _limit) : InLeaf(Range.Position(_leaf, key, after));
        }
        catch (PageDamagedException)
        {
            _above = above;
            if (!HasChangedMeanwhile) throw;
        }
        if (HasChangedMeanwhile) Unusable();
    }

    internal readonly bool TryTake(bool isOn, out ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value)
    {
        key = isOn ? Key : default;
        value = isOn ? Value : default;
        return isOn;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool NextLeaf(int position, bool isRead)
    {
        CheckVersion();
        _on = _changes + 1;
        if (_pages.Levels == 0) return false;
        _position = Math.Min(position, Math.Max(_limit, _position));
        // A limit before the end of the leaf is the end of the range.
        return _limit >= _leaf.Count && TryEnterNeighbour(forward: true, isRead) && TryBeOn();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool PreviousLeaf()
    {
        CheckVersion();
        _on = _changes + 1;
        _position = _first;
        // A first entry that is not the leaf's is the start of the range.
        if (_pages.Levels == 0 || _first > 0 || !TryEnterNeighbour(forward: false, isRead: true)) return false;
        _position = Math.Max(_first, _limit - 1);
        return TryBeOn();
    }

    private bool TryBeOn()
    {
        if (_first >= _limit) return false;
        BeOn(_position);
        return true;
    }

    private bool TryEnterNeighbour(bool forward, bool isRead)
    {
        bool entered = false;
        (PathStep above, long? before, long row) = (_above, _before, _row);
        try
        {
            Page leaf = Neighbour(forward);
            entered = leaf.Start != null;
            if (entered)
            {
                CheckOrder(leaf, forward);
                _before += forward ? _leaf.Count : -leaf.Count;
                _row = forward ? Math.Max(_row, 0) + 1 : Math.Min(_row, 0) - 1;
                Enter(leaf);
            }
            else if ((forward ? _before + _leaf.Count : _pages.Count - _before) is { } found && found != _pages.Count)
                PageErrors.ThrowDamagedCount(found, _pages.Count);
        }
        catch (PageDamagedException)
        {
            // It stays in its leaf: the next step meets the damage again.
            (_above, _before, _row) = (above, before, row);
            if (!HasChangedMeanwhile) throw;
        }
        if (HasChangedMeanwhile) Unusable();
        if (entered && isRead) Expect(forward);
        GC.KeepAlive(_tree);
        return entered;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private readonly ReadOnlySpan<byte> Large(PageEntry entry)
    {
        const int ahead = 4;
        if (_position + ahead < _limit) TreeOverflow.Expect(_pages, _leaf, _slots[_position + ahead]);
        try
        {
            return TreeOverflow.Value(_pages, entry);
        }
        catch (PageDamagedException) when (HasChangedMeanwhile)
        {
            Unusable();
            return default;
        }
    }

    private void Enter(Page leaf)
    {
        // Else it would be taken for the end.
        if (leaf.Count == 0 && _pages.Levels > 1) PageErrors.ThrowEmptyLeaf();
        (int first, int limit) = _range.In(leaf);
        // Nothing of a leaf that is damaged is kept.
        _slots = leaf.SlotsOf(limit);
        (_leaf, _first, _limit) = (leaf, first, limit);
        _position = first;
    }

    // Where the numbers of the leaf change between two looks at them, a place may lie outside of what was looked at.
    private readonly int InLeaf(int position) => Math.Clamp(position, _first, Math.Max(_first, _limit));

    // A scan that has come to a second leaf mostly goes on to a third: so its lines are on their way while this one is read. An entry of
    // a tree that is larger than the cache, filled at random, took 14.7 ns without that, and takes 9.5. Of eight large entries a leaf most
    // lines would come for nothing: there the keys are asked for alone, when it is known where they are (74 and 36 ns).
    private readonly void Expect(bool forward)
    {
        bool isOfFew = _leaf.Count <= Page.FewEntries;
        if (_row is 1 or -1) _leaf.Prefetch(isOfFew);
        if (isOfFew) _leaf.PrefetchKeys(_slots, _first, _limit);
        try
        {
            Page parent = _pages.At(_above.Number, 1);
            int beside = _above.Index + (forward ? 1 : -1);
            if (beside >= -1 && beside < parent.Count) _pages.Prefetch(TreePages.Child(parent, beside), isOfFew);
        }
        catch (PageDamagedException)
        {
            // Who goes on to it is told.
        }
    }

    // The keys of a leaf beside this one are beyond its own: so a scan of a damaged tree ends.
    private readonly void CheckOrder(Page leaf, bool forward)
    {
        ReadOnlySpan<byte> edge = _leaf.Key(forward ? _leaf.Count - 1 : 0);
        int order = leaf.Count == 0 ? 0 : Block.Compare(leaf.Key(forward ? 0 : leaf.Count - 1), edge);
        if (forward ? order <= 0 : order >= 0)
            throw new PageDamagedException("Two neighbouring leaves of the tree are not in the order of their keys", _above.Number);
    }

    // The levels may be 0 meanwhile, where the tree is dropped beside this: then no page is found.
    private Page LeafOf(scoped ReadOnlySpan<byte> key)
    {
        Span<PathStep> path = stackalloc PathStep[Math.Max(1, _pages.Levels)];
        fixed (byte* bytes = key) _pages.FindPath(bytes, key.Length, path);
        if (path.Length > 1) _above = path[1];
        return _pages.At(path[0].Number, 0);
    }

    // The leaf beside this one; without an address where there is none.
    private Page Neighbour(bool forward)
    {
        if (_pages.Levels == 1) return default;
        int step = forward ? 1 : -1, beside = _above.Index + step;
        Page parent = _pages.At(_above.Number, 1);
        if (beside >= -1 && beside < parent.Count)
        {
            _above = new(_above.Number, beside);
            return _pages.At(TreePages.Child(parent, beside), 0);
        }
        // The way to this leaf once more: the lowest branch with a child beside it leads to the neighbour.
        Span<PathStep> path = stackalloc PathStep[Math.Max(1, _pages.Levels)];
        ReadOnlySpan<byte> key = _leaf.Key(0);
        fixed (byte* bytes = key) _pages.FindPath(bytes, key.Length, path);
        for (int level = 1; level < path.Length; level++)
        {
            Page branch = _pages.At(path[level].Number, level);
            beside = path[level].Index + step;
            if (beside < -1 || beside >= branch.Count) continue;
            // The children of one branch are no circle. The way from one to the next may be, where keys have changed since their proof.
            if (Math.Abs(_row) > _pages.PageCount)
                throw new PageDamagedException("A scan was led back to leaves where it has been", _above.Number);
            _above = new(path[level].Number, beside);
            return Outermost(TreePages.Child(branch, beside), level - 1, last: !forward);
        }
        return default;
    }

    private Page Outermost(uint number, int level, bool last)
    {
        for (; level > 0; level--)
        {
            Page branch = _pages.At(number, level);
            _above = new(number, last ? branch.Count - 1 : -1);
            number = TreePages.Child(branch, _above.Index);
        }
        return _pages.At(number, 0);
    }

    // The keys that a cursor stays in: from the low one on, or above it, to before the high one, or to the end of the tree.
    internal readonly ref struct Range
    {
        public ReadOnlySpan<byte> Low { get; init; }

        public bool ExcludesLow { get; init; }

        public ReadOnlySpan<byte> High { get; init; }

        public bool HasHigh { get; init; }

        // The positions in a leaf that are in the range: from the first to before the limit.
        public (int First, int Limit) In(Page leaf)
        {
            int first = 0, limit = leaf.Count;
            if (limit > 0 && (ExcludesLow || !Low.IsEmpty)) first = Position(leaf, Low, ExcludesLow);
            if (limit > 0 && HasHigh) limit = Position(leaf, High, after: false);
            return (first, limit);
        }

        public static int Position(Page leaf, scoped ReadOnlySpan<byte> key, bool after)
        {
            fixed (byte* bytes = key)
            {
                Place place = PageSearch.Find(leaf, bytes, key.Length);
                return place.Position + (after && place.Found ? 1 : 0);
            }
        }
    }

    // 1 where it is on an entry, and 0 where it is on none. The numbers of a tree are even.
    private readonly int OneIfOn => (int)(~_on & 1);

    private readonly bool IsStale => _tree.FirstLook() != _changes;

    private readonly void CheckVersion()
    {
        if (_tree is null || IsStale) Unusable();
    }

    [DoesNotReturn, MethodImpl(MethodImplOptions.NoInlining)]
    private readonly void Unusable()
    {
        if (_tree is null) throw new InvalidOperationException("This cursor belongs to no tree: get one by Scan.");
        if (IsStale)
            throw new InvalidOperationException("The tree has changed since the scan began, or changes now: begin another one." +
                " Keys and values are where they were only until the next change.");
        throw new InvalidOperationException("The cursor is on no entry: call Next or Previous, and go on only while it says true.");
    }
    [DoesNotReturn, MethodImpl(MethodImplOptions.NoInlining)]
    private readonly void Unreadable(int position)
    {
        if (IsStale) Unusable();
        PageErrors.ThrowDamagedEntry(position, _slots[position], _leaf.Size);
    }
}

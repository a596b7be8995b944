using System.Runtime.CompilerServices;

namespace MemPrims.Pages;

/// <content>
/// Adding and updating. After two changes in a row to one leaf, the next change tries that leaf first: a key between its first and last,
/// or after the last key of the tree, needs no search from the top. A split takes all its pages from the store before it changes
/// anything.
/// </content>
public sealed unsafe partial class SortedTree
{
    private const int RecentLeaves = 64;

    // Where an entry was last inserted into some leaves: in the place of a leaf's number, modulo the length of the array.
    private readonly PathStep[] _lastInserts = new PathStep[RecentLeaves];
    private uint _guess;
    private bool _guessIsLast, _guessHolds;

    /// <summary>Adds an entry, or gives the one with that key another value.</summary>
    /// <param name="key">At most <see cref="SortedPage.MaxEntry"/> of the page size, less 8 bytes.</param>
    /// <param name="value">Any bytes; with more than fit an entry it goes to pages of its own. Key and value may be spans that this tree
    /// gave.</param>
    /// <returns>Whether the key is new.</returns>
    /// <remarks>Every call is a change, also one that sets the value that is there: cursors become stale, spans end.</remarks>
    /// <exception cref="ArgumentException">The key is too long.</exception>
    /// <exception cref="IOException">The store has no room; nothing was changed. Or its <see cref="IPageStore.Free"/> threw, after the
    /// change was made.</exception>
    /// <exception cref="PageDamagedException">A page on the way is damaged.</exception>
    [MethodImpl(Hot.Method)]
    public bool Set(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        if (key.Length > _mostBytes - TreeOverflow.ReferenceBytes) KeyTooLong(key.Length);
        TreeState state = Current(out TreeHeader* header);
        if (state.Levels == 0) state = Create(out header);
        BeginChange(state, header);
        bool isNew;
        try
        {
            fixed (byte* k = key, v = value)
            {
                isNew = value.Length <= _mostBytes - key.Length
                    ? SetEntry(state, k, key.Length, v, value.Length, 0) : SetLarge(state, k, key.Length, value);
            }
        }
        catch (Exception e)
        {
            FailChange(e);
            throw;
        }
        if (isNew) state.Count++;
        EndChange(state);
        GC.KeepAlive(this);
        return isNew;
    }

    /// <summary>Forgets all entries and gives their pages back. It needs no new page, so a full store can be cleared.</summary>
    public void Clear()
    {
        TreeState state = Current(out TreeHeader* header);
        if (state.Levels == 0) return;
        IReadOnlyList<uint> pages = TreeWalk.AllPages(this);
        BeginChange(state, header);
        foreach (uint page in pages)
            if (page != state.Top) _pages.Free(page);
        _pages.Raw(state.Top).Initialize();
        state.Levels = 1;
        state.Count = 0;
        ForgetGuess();
        EndChange(state);
    }

    /// <summary>Gives all pages back, the header among them. The store no longer has a root for the tree after that.</summary>
    internal void Drop()
    {
        Clear();
        TreeState state = Current(out TreeHeader* header);
        if (state.Levels == 0) return;
        BeginChange(state, header);
        _pages.Free(state.Top);
        _pages.Free(state.Header);
        EndChange(state);
        // No cursor has this number.
        state.Changes = ulong.MaxValue;
        _state = new();
    }

    [MethodImpl(Hot.Method)]
    private bool SetEntry(TreeState state, byte* key, int length, byte* value, int valueLength, int tag)
    {
        Page leaf = LeafToChange(state, key, length, out bool isBehindAll);
        Place place = isBehindAll ? new(leaf.Count, 0) : PageSearch.Find(leaf, key, length);
        if (place.Found) return Replace(state, leaf, place.Position, key, length, value, valueLength, tag);
        if (IsFull(leaf, length + valueLength) || !PageChange.TryInsert(leaf, place.Position, key, length, value, valueLength, tag))
            InsertBySplit(state, key, length, value, valueLength, tag, false);
        else _lastInserts[_guess % RecentLeaves] = new(_guess, place.Position);
        return true;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Page LeafToChange(TreeState state, byte* key, int length, out bool isBehindAll)
    {
        isBehindAll = false;
        if (_guessHolds)
        {
            Page guess = _pages.At(_guess, 0);
            int count = guess.Count;
            if (count > 0)
            {
                int order = Compare(guess, count - 1);
                if (order > 0 ? _guessIsLast : Compare(guess, 0) >= 0)
                {
                    isBehindAll = order > 0;
                    return guess;
                }
            }
        }
        // If the search throws, the guess stays what it was.
        uint number = Leaf(state, key, length, out bool isLast);
        _guessIsLast = isLast;
        _guessHolds = number == _guess;
        _guess = number;
        _pages.FetchHeads(number);
        return _pages.At(number, 0);

        int Compare(Page page, int position)
        {
            PageEntry entry = page.Entry(position);
            return KeyOrder.Compare(key, length, entry.Key, entry.KeyLength);
        }
    }

    private void ForgetGuess() => (_guess, _guessHolds) = (0, false);

    private bool Replace(TreeState state, Page leaf, int position, byte* key, int length, byte* value, int valueLength, int tag)
    {
        PageEntry entry = leaf.Entry(position);
        List<uint>? old = entry.IsTagged ? TreeOverflow.Chain(_pages, TreeOverflow.Reference(entry)) : null;
        if (valueLength < entry.ValueLength && state.Levels > 1 && leaf.Used - entry.ValueLength + valueLength < LeastUsed)
            return ReplaceAndShrink(state, leaf, position, key, length, value, valueLength, tag, old);
        if (!PageChange.TryUpdate(leaf, position, key, length, value, valueLength, tag))
            InsertBySplit(state, key, length, value, valueLength, tag, true);
        foreach (uint page in old ?? []) _pages.Free(page);
        return false;
    }

    // A shorter value always fits. The way to the leaf is found before: the key may lie in the value.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool ReplaceAndShrink(
        TreeState state, Page leaf, int position, byte* key, int length, byte* value, int valueLength, int tag, List<uint>? old)
    {
        Span<PathStep> path = stackalloc PathStep[state.Levels];
        FindPath(key, length, path);
        PageChange.TryUpdate(leaf, position, key, length, value, valueLength, tag);
        foreach (uint page in old ?? []) _pages.Free(page);
        Shrink(state, path);
        return false;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool SetLarge(TreeState state, byte* key, int length, scoped ReadOnlySpan<byte> value)
    {
        // The store may move its pages when it gives one out, and the key may lie in a page. So may a value that is not longer than an
        // entry; the tree gives a longer one as a copy.
        byte* keyCopy = stackalloc byte[length];
        Block.Copy(keyCopy, key, length);
        key = keyCopy;
        Span<byte> valueCopy = stackalloc byte[value.Length <= _mostBytes ? value.Length : 0];
        if (valueCopy.Length > 0)
        {
            value.CopyTo(valueCopy);
            value = valueCopy;
        }
        _pages.Reserve(TreeOverflow.PagesFor(_pages, value.Length));
        ulong reference = TreeOverflow.Write(_pages, value);
        try
        {
            return SetEntry(state, key, length, (byte*)&reference, TreeOverflow.ReferenceBytes, PageLayout.TagBit);
        }
        catch
        {
            TreeOverflow.Free(_pages, reference);
            _pages.GiveBack();
            throw;
        }
    }

    /// <summary>
    /// Adds an entry to a leaf in which it does not fit; where <paramref name="replaces"/>, in place of the one with its key.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void InsertBySplit(TreeState state, byte* key, int length, byte* value, int valueLength, int tag, bool replaces)
    {
        // Both may lie in the pages that are split.
        byte* copy = stackalloc byte[length + valueLength];
        Block.Copy(copy, key, length);
        Block.Copy(copy + length, value, valueLength);
        Span<PathStep> path = stackalloc PathStep[state.Levels];
        FindPath(copy, length, path);
        _pages.Reserve(PagesToSplit(path));
        ForgetGuess();

        Page left = _pages.At(path[0].Number, 0), right = _pages.Take(0, out uint rightNumber);
        int position = PageSearch.Find(left, copy, length).Position;
        if (replaces) PageChange.RemoveAt(left, position);
        int at = GoesOnUpwards(path, left, position) ? left.Count : PageRebuild.ChooseSplit(left);
        // Else a full leaf would stay one that goes on upwards, and each key that undercuts its separator would have a leaf.
        _lastInserts[path[0].Number % RecentLeaves] = default;
        if (at < left.Count) PageRebuild.Split(left, right, at);
        bool goesLeft = position <= at && right.Count > 0;
        Insert(goesLeft ? left : right, goesLeft ? position : position - at, copy, length, copy + length, valueLength, tag);

        ReadOnlySpan<byte> above = right.Key(0);
        above = above[..SortedPage.SeparatorLength(left.Key(left.Count - 1), above)];
        byte* separator = stackalloc byte[_mostBytes];
        above.CopyTo(new Span<byte>(separator, _mostBytes));
        AddChild(state, path, separator, above.Length, rightNumber);
    }

    /// <summary>
    /// Whether a full leaf is left as it is, and the new entry alone goes to the next one, so that ascending keys leave full leaves. It is
    /// so at the end of the tree, and in a leaf whose last insert was the one before this. A key that comes last in another leaf begins no
    /// row of ascending keys: keys that undercut a separator again and again would have a leaf each.
    /// </summary>
    private bool GoesOnUpwards(ReadOnlySpan<PathStep> path, Page leaf, int position)
    {
        if (position < leaf.Count) return false;
        bool isLast = true;
        for (int level = 1; level < path.Length; level++) isLast &= path[level].Index + 1 == _pages.At(path[level].Number, level).Count;
        return isLast || (position > 0 && _lastInserts[path[0].Number % RecentLeaves] == new PathStep(path[0].Number, position - 1));
    }

    /// <summary>
    /// Adds a page after those on the path, and splits the branches that have no room for it. The separator's memory is used for others.
    /// </summary>
    private void AddChild(TreeState state, Span<PathStep> path, byte* separator, int length, uint child)
    {
        byte* up = stackalloc byte[_mostBytes];
        for (int level = 1; level < path.Length; level++)
        {
            Page branch = _pages.At(path[level].Number, level);
            int position = path[level].Index + 1, count = branch.Count;
            Place place = PageSearch.Find(branch, separator, length);
            if (place.Found || place.Position != position)
                throw new PageDamagedException("A child has keys that its parent's separators rule out", path[level].Number);
            if (PageChange.TryInsert(branch, position, separator, length, (byte*)&child, sizeof(uint))) return;

            bool isLast = position == count;
            for (int above = level + 1; above < path.Length; above++)
                isLast &= path[above].Index + 1 == _pages.At(path[above].Number, above).Count;
            int at = isLast ? count - 1 : Math.Min(PageRebuild.ChooseSplit(branch), count - 1);
            Page right = _pages.Take(level, out uint rightNumber);
            ReadOnlySpan<byte> middle = branch.Key(at);
            int upLength = middle.Length;
            middle.CopyTo(new Span<byte>(up, _mostBytes));
            right.Header->FirstChild = TreePages.Child(branch, at);
            PageRebuild.CopyEntries(right, branch, at + 1, count);
            PageRebuild.Keep(branch, at);
            if (position <= at) Insert(branch, position, separator, length, (byte*)&child, sizeof(uint), 0);
            else Insert(right, position - at - 1, separator, length, (byte*)&child, sizeof(uint), 0);
            Block.Copy(separator, up, upLength);
            (length, child) = (upLength, rightNumber);
        }
        Page top = _pages.Take(state.Levels, out uint topNumber);
        top.Header->FirstChild = state.Top;
        Insert(top, 0, separator, length, (byte*)&child, sizeof(uint), 0);
        state.Top = topNumber;
        state.Levels++;
    }

    /// <summary>
    /// The new pages that a split at the end of the path can need: one for each branch that a separator may not fit, and one for a new
    /// top.
    /// </summary>
    private int PagesToSplit(ReadOnlySpan<PathStep> path)
    {
        int pages = 1, level = 1;
        while (level < path.Length && !HasRoomForSeparator(_pages.At(path[level].Number, level))) (pages, level) = (pages + 1, level + 1);
        return level < path.Length ? pages : pages + 1;
    }

    private bool HasRoomForSeparator(Page branch) => PageChange.Fits(branch, PageLayout.EntryHeader + _mostBytes + sizeof(uint));

    // After a split there is room for an entry of any size: no side has more than half of a page and one entry, which is an eighth.
    private static void Insert(Page page, int position, byte* key, int length, byte* value, int valueLength, int tag)
    {
        if (!PageChange.TryInsert(page, position, key, length, value, valueLength, tag))
            PageErrors.Damaged("The entries of a page have more bytes than its header says");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private TreeState Create(out TreeHeader* header)
    {
        _pages.Use.Enter();
        try
        {
            // Another one has been faster.
            if (_pages.Store.Root != 0) _pages.Use.Break();
            _pages.Reserve(2);
            TreeState state = new() { Header = _pages.Take(), Levels = 1, Changes = TreeHeader.FirstChanges };
            _pages.Take(0, out state.Top);
            byte* start = _pages.Raw(state.Header).Start;
            new Span<byte>(start, _pages.PageSize).Clear();
            header = (TreeHeader*)start;
            *header = new()
            {
                Magic = TreeHeader.TreeMagic, PageSize = (uint)_pages.PageSize, Top = state.Top, Levels = 1, Changes = state.Changes,
            };
            _pages.Store.Root = state.Header;
            return _state = state;
        }
        finally
        {
            _pages.Use.Leave();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void KeyTooLong(int length) => throw new ArgumentException(
        $"The key has {length} bytes; with pages of {_pages.PageSize} a key has at most {_mostBytes - TreeOverflow.ReferenceBytes}." +
        " Use larger pages or a shorter key.");
}

using System.Runtime.CompilerServices;

namespace MemPrims.Pages;

/// <content>
/// Adding and updating. After two changes in a row to one leaf, the next change tries that leaf first: a key between its first and last,
/// or behind the last key of the tree, needs no search from the top. A split takes all its pages from the store before it changes
/// anything.
/// </content>
public sealed unsafe partial class SortedTree
{
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
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public bool Set(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        if (key.Length > _mostBytes - TreeOverflow.ReferenceBytes) KeyTooLong(key.Length);
        Refresh();
        if (_levels == 0) Create();
        Version++;
        fixed (byte* k = key, v = value)
        {
            bool isNew = value.Length <= _mostBytes - key.Length
                ? SetEntry(k, key.Length, v, value.Length, 0) : SetLarge(k, key.Length, value);
            Changed(isNew ? 1 : 0);
            _pages.GiveBack();
            GC.KeepAlive(this);
            return isNew;
        }
    }

    /// <summary>Forgets all entries and gives their pages back. It needs no new page, so a full store can be cleared.</summary>
    public void Clear()
    {
        Refresh();
        if (_levels == 0) return;
        foreach (uint page in TreeWalk.AllPages(this))
            if (page != _top) _pages.Free(page);
        _pages.Raw(_top).Initialize();
        (_levels, _count, _guessHolds, _guess) = (1, 0, false, 0);
        Changed(0);
        _pages.GiveBack();
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private bool SetEntry(byte* key, int length, byte* value, int valueLength, int tag)
    {
        Page leaf = LeafToChange(key, length, out bool isBehindAll);
        Place place = isBehindAll ? new(leaf.Count, 0) : PageSearch.Find(leaf, key, length);
        if (place.Found) return Replace(leaf, place.Position, key, length, value, valueLength, tag);
        if (IsFull(leaf, length + valueLength) || !PageChange.TryInsert(leaf, place.Position, key, length, value, valueLength, tag))
            InsertBySplit(key, length, value, valueLength, tag, false);
        return true;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Page LeafToChange(byte* key, int length, out bool isBehindAll)
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
        uint number = Leaf(key, length, out bool isLast);
        _guessIsLast = isLast;
        _guessHolds = number == _guess;
        _guess = number;
        _pages.FetchHeads(number);
        return _pages.At(number, 0);

        int Compare(Page page, int position)
        {
            byte* entry = page.Start + page.Slots[position];
            return KeyOrder.Compare(key, length, Page.KeyOf(entry), Page.KeyLength(entry));
        }
    }

    private bool Replace(Page leaf, int position, byte* key, int length, byte* value, int valueLength, int tag)
    {
        byte* entry = leaf.Entry(position);
        List<uint>? old = Page.IsTagged(entry) ? TreeOverflow.Chain(_pages, TreeOverflow.Reference(entry)) : null;
        if (!PageChange.TryUpdate(leaf, position, key, length, value, valueLength, tag))
            InsertBySplit(key, length, value, valueLength, tag, true);
        foreach (uint page in old ?? []) _pages.Free(page);
        return false;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool SetLarge(byte* key, int length, scoped ReadOnlySpan<byte> value)
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
            return SetEntry(key, length, (byte*)&reference, TreeOverflow.ReferenceBytes, PageLayout.TagBit);
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
    private void InsertBySplit(byte* key, int length, byte* value, int valueLength, int tag, bool replaces)
    {
        // Both may lie in the pages that are split.
        byte* copy = stackalloc byte[length + valueLength];
        Block.Copy(copy, key, length);
        Block.Copy(copy + length, value, valueLength);
        Span<PathStep> path = stackalloc PathStep[_levels];
        FindPath(copy, length, path);
        _pages.Reserve(PagesToSplit(path));
        _guessHolds = false;
        _guess = 0;

        Page left = _pages.At(path[0].Number, 0), right = _pages.Take(0, out uint rightNumber);
        int position = PageSearch.Find(left, copy, length).Position;
        if (replaces) PageChange.RemoveAt(left, position);
        int at = PageRebuild.ChooseSplit(left, position);
        if (at < left.Count) PageRebuild.Split(left, right, at);
        bool goesLeft = position <= at && right.Count > 0;
        Insert(goesLeft ? left : right, goesLeft ? position : position - at, copy, length, copy + length, valueLength, tag);

        ReadOnlySpan<byte> above = right.Key(0);
        above = above[..SortedPage.SeparatorLength(left.Key(left.Count - 1), above)];
        byte* separator = stackalloc byte[_mostBytes];
        above.CopyTo(new Span<byte>(separator, _mostBytes));
        AddChild(path, separator, above.Length, rightNumber);
    }

    /// <summary>
    /// Adds a page behind those on the path, and splits the branches that have no room for it. The separator's memory is used for others.
    /// </summary>
    private void AddChild(Span<PathStep> path, byte* separator, int length, uint child)
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

            int at = position == count ? count - 1 : Math.Min(PageRebuild.ChooseSplit(branch, position), count - 1);
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
        Page top = _pages.Take(_levels, out uint topNumber);
        top.Header->FirstChild = _top;
        Insert(top, 0, separator, length, (byte*)&child, sizeof(uint), 0);
        _top = topNumber;
        _levels++;
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

    private void Create()
    {
        _pages.Reserve(2);
        _header = _pages.Take();
        byte* start = _pages.Raw(_header).Start;
        new Span<byte>(start, _pages.PageSize).Clear();
        *(TreeHeader*)start = new() { Magic = TreeHeader.TreeMagic, PageSize = (uint)_pages.PageSize };
        _pages.Take(0, out _top);
        _levels = 1;
        WriteHeader();
        _pages.Store.Root = _header;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void KeyTooLong(int length) => throw new ArgumentException(
        $"The key has {length} bytes; with pages of {_pages.PageSize} a key has at most {_mostBytes - TreeOverflow.ReferenceBytes}." +
        " Use larger pages or a shorter key.");
}

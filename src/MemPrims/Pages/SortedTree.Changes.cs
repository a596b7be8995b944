namespace MemPrims.Pages;

// Adding, updating, removing. After two changes in a row to one leaf, the next change tries that leaf first: a key between its first and
// last, or after the last key of the tree, needs no search from the top.
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
    public bool Set(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        if (key.Length > _mostBytes - TreeOverflow.ReferenceBytes) KeyTooLong(key.Length);
        FirstLook();
        if (_pages.Levels == 0) Create();
        BeginChange();
        bool isNew;
        try
        {
            fixed (byte* k = key, v = value)
            {
                isNew = value.Length <= _mostBytes - key.Length
                    ? SetEntry(k, key.Length, v, value.Length, 0) : SetLarge(k, key.Length, value);
            }
        }
        catch (Exception e)
        {
            FailChange(e);
            throw;
        }
        if (isNew) _pages.Count++;
        EndChange();
        GC.KeepAlive(this);
        return isNew;
    }

    /// <summary>Removes the entry with that key; false where there is none.</summary>
    /// <exception cref="PageDamagedException">A page on the way is damaged.</exception>
    public bool Remove(ReadOnlySpan<byte> key)
    {
        FirstLook();
        if (_pages.Levels == 0) return false;
        bool removed;
        try
        {
            fixed (byte* bytes = key) removed = RemoveEntry(bytes, key.Length);
        }
        catch (Exception e)
        {
            FailChange(e);
            throw;
        }
        if (removed) EndChange();
        GC.KeepAlive(this);
        return removed;
    }

    /// <summary>Forgets all entries and gives their pages back. It needs no new page, so a full store can be cleared.</summary>
    public void Clear()
    {
        FirstLook();
        if (_pages.Levels == 0) return;
        TreeWalk all = TreeWalk.Walk(this);
        BeginChange();
        foreach (uint page in all.Pages)
            if (page != _pages.Top) _pages.Free(page);
        _pages.Raw(_pages.Top).Initialize();
        _pages.Levels = 1;
        _pages.Count = 0;
        ForgetGuess();
        EndChange();
    }

    // Gives all pages back, the header among them. The store no longer has a root for the tree after that.
    internal void Drop()
    {
        Clear();
        if (_pages.Levels == 0) return;
        BeginChange();
        _pages.Free(_pages.Top);
        _pages.Free(_pages.Root);
        if (_pages.Header->Changes != _pages.Changes + 1) Refuse(breaks: true);
        // Before the pages go back: a reader that looks in meanwhile is told of a change, and reads none of them. The number of changes in
        // the header stays odd for those that came before.
        _pages.ForgetHeader();
        _pages.EndChange();
    }

    private bool SetEntry(byte* key, int length, byte* value, int valueLength, int tag)
    {
        Page leaf = LeafToChange(key, length, out bool isBehindAll);
        Place place = isBehindAll ? new(leaf.Count, 0) : PageSearch.Find(leaf, key, length);
        if (place.Found) return Replace(leaf, place.Position, key, length, value, valueLength, tag);
        if (IsFull(leaf, place.Position, length + valueLength)
            || !PageChange.TryInsert(leaf, place.Position, key, length, value, valueLength, tag))
        {
            ForgetGuess();
            _shape.InsertBySplit(key, length, value, valueLength, tag, false);
        }
        else _shape.NoteInsert(_guess, place.Position);
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
        // If a search throws, the guess stays what it was.
        uint number = Leaf(key, length, out bool isLast);
        _guessHolds = number == _guess && IsFoundByItsKeys(number);
        _guessIsLast = isLast;
        _guess = number;
        _pages.PrefetchHeads(number);
        return _pages.At(number, 0);

        int Compare(Page page, int position)
        {
            PageEntry entry = page.Entry(position);
            return KeyOrder.Compare(key, length, entry.Key, entry.KeyLength);
        }
    }

    // Else a key would be set in a leaf where no search from the top finds it.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool IsFoundByItsKeys(uint number)
    {
        Page leaf = _pages.At(number, 0);
        for (int last = leaf.Count - 1, i = 0; i <= last; i += Math.Max(last, 1))
        {
            PageEntry entry = leaf.Entry(i);
            if (Leaf(entry.Key, entry.KeyLength, out _) != number)
                throw new PageDamagedException("A leaf has keys that its parents' separators rule out", number);
        }
        return true;
    }

    private void ForgetGuess() => (_guess, _guessHolds) = (0, false);

    private bool Replace(Page leaf, int position, byte* key, int length, byte* value, int valueLength, int tag)
    {
        PageEntry entry = leaf.Entry(position);
        List<uint>? old = entry.IsTagged ? TreeOverflow.Chain(_pages, TreeOverflow.Reference(entry)) : null;
        if (valueLength < entry.ValueLength && _pages.Levels > 1 && _shape.IsSparse(leaf.Used - entry.ValueLength + valueLength))
            return ReplaceAndShrink(leaf, position, key, length, value, valueLength, tag, old);
        if (!PageChange.TryUpdate(leaf, position, key, length, value, valueLength, tag))
        {
            ForgetGuess();
            _shape.InsertBySplit(key, length, value, valueLength, tag, true);
        }
        if (old is not null) Free(old);
        return false;
    }

    // A shorter value always fits. The way to the leaf is found before: the key may lie in the value.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool ReplaceAndShrink(
        Page leaf, int position, byte* key, int length, byte* value, int valueLength, int tag, List<uint>? old)
    {
        Span<PathStep> path = stackalloc PathStep[_pages.Levels];
        _pages.FindPath(key, length, path);
        PageChange.TryUpdate(leaf, position, key, length, value, valueLength, tag);
        if (old is not null) Free(old);
        ForgetGuess();
        _shape.Shrink(path);
        return false;
    }

    private bool RemoveEntry(byte* key, int length)
    {
        Page leaf = _pages.At(Leaf(key, length, out _), 0);
        Place place = PageSearch.Find(leaf, key, length);
        if (!place.Found) return false;
        PageEntry entry = leaf.Entry(place.Position);
        List<uint>? overflow = entry.IsTagged ? TreeOverflow.Chain(_pages, TreeOverflow.Reference(entry)) : null;
        // The way to a page that may be merged is found while the key is there: it may be a span of this very page.
        Span<PathStep> path = stackalloc PathStep[_pages.Levels];
        bool shrinks = _pages.Levels > 1 && _shape.IsSparse(leaf.Used - entry.Bytes);
        if (shrinks) _pages.FindPath(key, length, path);
        BeginChange();
        PageChange.RemoveAt(leaf, place.Position);
        _pages.Count--;
        if (overflow is not null) Free(overflow);
        if (shrinks)
        {
            ForgetGuess();
            _shape.Shrink(path);
        }
        return true;
    }

    private void Free(List<uint> chain)
    {
        foreach (uint page in chain) _pages.Free(page);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool SetLarge(byte* key, int length, scoped ReadOnlySpan<byte> value)
    {
        _pages.Reserve(TreeOverflow.PagesFor(_pages, value.Length));
        ulong reference = TreeOverflow.Write(_pages, value);
        try
        {
            return SetEntry(key, length, (byte*)&reference, TreeOverflow.ReferenceBytes, PageLayout.TagBit);
        }
        catch
        {
            Free(TreeOverflow.Chain(_pages, reference));
            throw;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Create()
    {
        _pages.Use.Enter();
        try
        {
            // Another one has been faster.
            if (_pages.Root != 0) _pages.Use.Break();
            _pages.Reserve(2);
            uint number = _pages.Take();
            byte* start = _pages.Raw(number).Start;
            new Span<byte>(start, _pages.PageSize).Clear();
            _pages.Take(0, out uint top);
            TreeHeader* header = (TreeHeader*)start;
            *header = new()
            {
                Magic = TreeHeader.TreeMagic, PageSize = (uint)_pages.PageSize, Top = top, Levels = 1, Changes = TreeHeader.FirstChanges,
            };
            _pages.Root = number;
            Load();
        }
        finally
        {
            _pages.EndChange();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void KeyTooLong(int length) => throw new ArgumentException(
        $"The key has {length} bytes; with pages of {_pages.PageSize} a key has at most {_mostBytes - TreeOverflow.ReferenceBytes}." +
        " Use larger pages or a shorter key.");
}

namespace MemPrims.Pages;

// A store as a tree sees it: no page is used before it was proved, once, when it is first touched. A child has a level one less than its
// parent's, so that no chain of pages is a circle.
internal sealed unsafe class TreePages
{
    // Of 32 parts of a page: heads and slots of entries of some 30 bytes.
    private const int PrefetchedParts = 6;

    private readonly IPageStore _store;

    // The store that ships is asked without an interface in between.
    private readonly MemoryPages? _memory;

    // Where the root of one of several trees in a file is noted; null for the store's own.
    private readonly (Func<uint> Get, Action<uint> Set)? _root;

    // Pages that were reserved and not taken, and those that left the tree.
    private readonly Stack<uint> _spare = new();
    private ulong[] _proved = new ulong[4];

    // What the header of the tree says, and where it is. Only a writer changes it. Levels are 0 where there is no tree yet. The number of
    // changes is that at the end of the last one: it is even, and in the header it is odd while a change is being made.
    public TreeHeader* Header = TreeHeader.None;
    public uint Top;
    public int Levels;
    public long Count;
    public ulong Changes;

    public TreePages(IPageStore store, (Func<uint> Get, Action<uint> Set)? root = null)
    {
        (_store, _root) = (store, root);
        _memory = store as MemoryPages;
        Use = _memory?.Use ?? (store as MappedPages)?.Use ?? new();
        PageSize = store.PageSize;
        PageLayout.CheckSize(PageSize, nameof(store));
    }

    public uint PageCount => _store.PageCount;

    public uint Root
    {
        get => _root is { } named ? named.Get() : _store.Root;
        set
        {
            if (_root is { } named) named.Set(value);
            else _store.Root = value;
        }
    }

    public StoreUse Use { get; }

    // Begins a change: no other thread may make one until EndChange.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void BeginChange()
    {
        Use.Enter();
        if (_memory is null) TellStore();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void TellStore()
    {
        try
        {
            _store.BeginChange();
        }
        catch
        {
            Use.Leave();
            throw;
        }
    }

    // Ends a change. Pages go back to the store last, for it may throw.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void EndChange()
    {
        if (_spare.Count > 0) GiveBackAndLeave();
        else Use.Leave();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void GiveBackAndLeave()
    {
        try
        {
            // A page leaves the list only when the store has taken it. If the store throws, the next change offers the page again.
            while (_spare.TryPeek(out uint page))
            {
                _store.Free(page);
                _spare.Pop();
            }
        }
        finally
        {
            Use.Leave();
        }
    }

    public int PageSize { get; }

    // A page by its number, whatever is in it.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Page Raw(uint number)
    {
        byte* start = _memory is { } memory ? memory.Page(number) : _store.Page(number);
        if (start == null) Missing(number);
        return new(start, PageSize);
    }

    // A page of entries at a level of the tree.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Page At(uint number, int level)
    {
        Page page = Raw(number);
        uint word = number >> 6;
        ulong[] proved = _proved;
        if (word >= (uint)proved.Length || (proved[word] >> (int)(number & 63) & 1) == 0) Prove(page, number);
        if (page.Header->Level != level) WrongLevel(page, number, level);
        return page;
    }

    // Asks for the lines of a page; a number of no page does nothing. A store that is not ours may wait for its disk, so it is not asked.
    public void Prefetch(uint number, bool isOfFew)
    {
        byte* start = _memory is { } memory ? memory.Page(number) : _store is MappedPages mapped ? mapped.Page(number) : null;
        if (start != null) new Page(start, PageSize).Prefetch(isOfFew);
    }

    // Asks for the header, heads and slots of a page at once, for whoever changes it: a search waits for one after the other, and an
    // insert moves half of them. Without it a set in place, in a million entries, took 15 % more.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void PrefetchHeads(uint number)
    {
        if (!Sse.IsSupported) return;
        byte* start = Raw(number).Start;
        for (int at = 0, end = PageSize / 32 * PrefetchedParts; at < end; at += 64) Sse.Prefetch0(start + at);
    }

    // The child of a branch: -1 is the first, and the others are those of the separators.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static uint Child(Page branch, int index)
    {
        if (index < 0) return branch.Header->FirstChild;
        ushort* slot = branch.Slots + index;
        if (!branch.HasSlot(slot)) PageErrors.ThrowDamagedEntry(index, -1, branch.Size);
        // The four bytes lie in the page, which is all that reading a number needs.
        int offset = *slot;
        if (offset > branch.Size - PageLayout.EntryHeader) PageErrors.ThrowDamagedEntry(index, offset, branch.Size);
        uint lengths = *(uint*)(branch.Start + offset);
        int at = offset + PageLayout.EntryHeader + (ushort)lengths;
        if (lengths >> 16 != sizeof(uint) || at > branch.Size - sizeof(uint)) PageErrors.ThrowDamagedEntry(index, offset, branch.Size);
        return Unsafe.ReadUnaligned<uint>(branch.Start + at);
    }

    // The way to the leaf in which the key is: at 0 the leaf, at each level above it the branch.
    public void FindPath(byte* key, int length, Span<PathStep> path)
    {
        uint number = Top;
        for (int level = path.Length - 1; level > 0; level--)
        {
            Page branch = At(number, level);
            int child = PageSearch.Find(branch, key, length).Child;
            path[level] = new(number, child);
            number = Child(branch, child);
        }
        path[0] = new(number, 0);
    }

    // Takes so many pages from the store, to be taken one by one. Where it has too few, nothing has happened but an exception.
    public void Reserve(int pages)
    {
        while (_spare.Count < pages) _spare.Push(Allocate());
    }

    private uint Allocate()
    {
        uint page = _store.Allocate();
        return page != 0 ? page : throw new InvalidOperationException(
            "The store's Allocate gave page 0. Page numbers begin at 1, and a store without room throws an IOException.");
    }

    // A page that was reserved.
    public uint Take()
    {
        // So many were reserved as the branches on the way say that they need.
        if (!_spare.TryPop(out uint page)) PageErrors.ThrowDamagedLive();
        return page;
    }

    // Makes a page that was reserved one of entries.
    public Page Take(int level, out uint number)
    {
        number = Take();
        Page page = Raw(number);
        page.Initialize(level);
        MarkProved(number, true);
        return page;
    }

    // Takes a page out of the tree. The store gets it at the end of the change.
    public void Free(uint number)
    {
        MarkProved(number, false);
        // Whatever else leads here, in a damaged tree, is to find no page.
        *(uint*)Raw(number).Start = 0;
        _spare.Push(number);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Prove(Page page, uint number)
    {
        try
        {
            PageCheck.All(page);
            PageHeader* header = page.Header;
            int level = header->Level;
            // A tree that has no entries is one leaf.
            if (level == 0 && header->Count == 0 && (number != Top || Count != 0)) PageErrors.ThrowEmptyLeaf();
            for (int i = 0; i < header->Count; i++)
            {
                PageEntry entry = page.Entry(i);
                if (level > 0 && (entry.ValueLength != sizeof(uint) || entry.IsTagged))
                    PageErrors.ThrowDamaged($"Separator {i} of a branch has no child");
                if (entry.IsTagged && entry.ValueLength != TreeOverflow.ReferenceBytes)
                    PageErrors.ThrowDamaged($"The value of entry {i} should lie in overflow pages, but does not say where");
            }
        }
        catch (PageDamagedException e) when (e.Page < 0)
        {
            throw e.In(number);
        }
        MarkProved(number, true);
    }

    // Readers may come here together. A mark that one of them loses costs another proof.
    private void MarkProved(uint number, bool proved)
    {
        int word = (int)(number >> 6);
        ulong[] marks = _proved;
        if (word >= marks.Length)
        {
            Array.Resize(ref marks, Math.Max(word + 1, marks.Length * 2));
            _proved = marks;
        }
        if (proved) marks[word] |= 1ul << (int)(number & 63);
        else marks[word] &= ~(1ul << (int)(number & 63));
    }

    // The tree was dropped. No cursor of it has the number of changes of none.
    public void ForgetHeader()
    {
        Header = TreeHeader.None;
        (Levels, Changes) = (0, 0);
    }

    // After its end the memory of the store may not be read.
    public void RequireStore() => ObjectDisposedException.ThrowIf(Use.IsDisposed, _store);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Missing(uint number)
    {
        RequireStore();
        throw new PageDamagedException($"The tree leads to page {number}, and the store has none of that number", number);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void WrongLevel(Page page, uint number, int level) =>
        throw new PageDamagedException(
            $"The page is of level {page.Header->Level} and is reached where one of level {level} should be", number,
            (int)(&page.Header->Level - page.Start));
}

// A page on the way to a leaf, and the index of its child on that way.
internal readonly record struct PathStep(uint Number, int Index);

namespace MemPrims.Pages;

// Goes through all pages of a tree, top down: to verify it, to tell its size, to give its pages back.
internal sealed unsafe class TreeWalk
{
    private readonly TreePages _pages;
    private readonly HashSet<uint> _seen = [];
    private readonly ulong _changes;
    private readonly long _count;
    private readonly uint _header;
    private long _entries, _leaves, _branches, _overflow, _used;

    private TreeWalk(SortedTree tree)
    {
        (_pages, _changes) = (tree.Pages, tree.FirstLook());
        (_count, _header) = (_pages.Count, _pages.Root);
    }

    // Throws where a page is damaged.
    public static TreeWalk Walk(SortedTree tree)
    {
        TreeWalk walk = new(tree);
        TreePages pages = tree.Pages;
        if (pages.Levels == 0)
        {
            walk.RequireSame(tree);
            return walk;
        }
        try
        {
            walk.Visit(pages.Top, pages.Levels - 1, default, false, default, false);
        }
        catch (PageDamagedException e) when (TreeHeader.LastLook(&pages.Header->Changes) != walk._changes)
        {
            PageErrors.ThrowChangedMeanwhile(e);
        }
        if (TreeHeader.LastLook(&pages.Header->Changes) != walk._changes) PageErrors.ThrowChangedMeanwhile();
        return walk;
    }

    // A tree that was dropped since has no pages, and the count of before.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void RequireSame(SortedTree tree)
    {
        if (tree.FirstLook() != _changes) PageErrors.ThrowChangedMeanwhile();
    }

    // Every page but the header, each once.
    public IReadOnlyCollection<uint> Pages => _seen;

    public SortedTreeStatistics Statistics
    {
        get
        {
            long room = (_leaves + _branches) * (_pages.PageSize - PageHeader.Bytes);
            return new()
            {
                Levels = _pages.Levels, Pages = _seen.Count + (_pages.Levels > 0 ? 1 : 0), LeafPages = _leaves, OverflowPages = _overflow,
                Fill = room == 0 ? 0 : (double)_used / room,
            };
        }
    }

    public void CheckCount()
    {
        if (_entries != _count) throw new PageDamagedException($"The tree has {_entries} entries, and its header says {_count}");
    }

    // Levels bound the depth, and no page is visited twice.
    private void Visit(uint number, int level, ReadOnlySpan<byte> low, bool hasLow, ReadOnlySpan<byte> high, bool hasHigh)
    {
        See(number);
        Page page = _pages.At(number, level);
        try
        {
            PageCheck.All(page);
        }
        catch (PageDamagedException e) when (e.Page < 0)
        {
            throw e.In(number);
        }
        int count = page.Count;
        _used += page.Used;
        if (count > 0 && hasLow && Block.Compare(page.Key(0), low) < 0)
            throw new PageDamagedException("The first key is below the parent's separator", number);
        if (count > 0 && hasHigh && Block.Compare(page.Key(count - 1), high) >= 0)
            throw new PageDamagedException("The last key is not below the parent's next separator", number);
        if (level == 0)
        {
            if (count == 0 && _pages.Levels > 1) PageErrors.ThrowEmptyLeaf(number);
            _leaves++;
            _entries += count;
            for (int i = 0; i < count; i++)
                if (page.Entry(i) is { IsTagged: true } entry)
                    foreach (uint overflow in TreeOverflow.Chain(_pages, TreeOverflow.Reference(entry)))
                    {
                        See(overflow);
                        _overflow++;
                    }
            return;
        }
        _branches++;
        for (int i = -1; i < count; i++)
            Visit(TreePages.Child(page, i), level - 1, i < 0 ? low : page.Key(i), i >= 0 || hasLow,
                i + 1 < count ? page.Key(i + 1) : high, i + 1 < count || hasHigh);
    }

    private void See(uint number)
    {
        if (number == _header || !_seen.Add(number))
            throw new PageDamagedException("Two parts of the tree lead to the same page", number);
    }
}

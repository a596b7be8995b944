namespace MemPrims.Pages;

// How pages of a tree split and merge. A split takes all its pages from the store before it changes anything. A page that is less than a
// quarter full is merged with a neighbour under the same parent where both fit in seven eighths of a page, so that the next insert does
// not split it again. A page without entries is always given back.
internal sealed unsafe class TreeShape(TreePages pages, int mostBytes)
{
    private const int RecentLeaves = 64;

    // Where an entry was last inserted into some leaves: in the place of a leaf's number, modulo the length of the array.
    private readonly PathStep[] _lastInserts = new PathStep[RecentLeaves];

    // Notes an insert that found room.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void NoteInsert(uint leaf, int position) => _lastInserts[leaf % RecentLeaves] = new(leaf, position);

    // Whether a page with so many bytes in use is merged with a neighbour where that is possible.
    public bool IsSparse(int used) => used < Room / 4;

    // Adds an entry to a leaf in which it does not fit; where `replaces`, in place of the one with its key.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public void InsertBySplit(byte* key, int length, byte* value, int valueLength, int tag, bool replaces)
    {
        // Both may lie in the pages that are split.
        byte* copy = stackalloc byte[length + valueLength];
        Block.Copy(copy, key, length);
        Block.Copy(copy + length, value, valueLength);
        Span<PathStep> path = stackalloc PathStep[pages.Levels];
        pages.FindPath(copy, length, path);
        pages.Reserve(PagesToSplit(path));

        Page left = pages.At(path[0].Number, 0), right = pages.Take(0, out uint rightNumber);
        int position = PageSearch.Find(left, copy, length).Position;
        if (replaces) PageChange.RemoveAt(left, position);
        int at = GoesOnUpwards(path, left, position) ? left.Count : PageRebuild.ChooseSplit(left);
        // Else a full leaf would stay one that goes on upwards, and each key that undercuts its separator would have a leaf.
        _lastInserts[path[0].Number % RecentLeaves] = default;
        if (at < left.Count) PageRebuild.Split(left, right, at);
        bool goesLeft = position <= at && right.Count > 0;
        Insert(goesLeft ? left : right, goesLeft ? position : position - at, copy, length, copy + length, valueLength, tag);

        ReadOnlySpan<byte> below = left.Key(left.Count - 1), above = right.Key(0);
        if (Block.Compare(below, above) >= 0) PageErrors.ThrowDamaged("The keys of a leaf are not in order");
        above = SortedPage.Separator(below, above);
        if (above.Length > mostBytes) PageErrors.ThrowDamaged("A key of a leaf is longer than any can be");
        byte* separator = stackalloc byte[mostBytes];
        above.CopyTo(new Span<byte>(separator, mostBytes));
        AddChild(path, separator, above.Length, rightNumber);
    }

    // Whether a full leaf is left as it is, and the new entry alone goes to the next one, so that ascending keys leave full leaves. It is
    // so at the end of the tree, and in a leaf whose last insert was the one before this. A key that comes last in another leaf begins no
    // row of ascending keys: keys that undercut a separator again and again would have a leaf each.
    private bool GoesOnUpwards(ReadOnlySpan<PathStep> path, Page leaf, int position)
    {
        if (position < leaf.Count) return false;
        return IsLast(path, 1)
            || (position > 0 && _lastInserts[path[0].Number % RecentLeaves] == new PathStep(path[0].Number, position - 1));
    }

    // Whether the way leads to the last child of each branch, from a level on.
    private bool IsLast(ReadOnlySpan<PathStep> path, int level)
    {
        while (level < path.Length && path[level].Index + 1 == pages.At(path[level].Number, level).Count) level++;
        return level == path.Length;
    }

    // Adds a page after those on the path, and splits the branches that have no room for it. The separator's memory is used for others.
    private void AddChild(Span<PathStep> path, byte* separator, int length, uint child)
    {
        byte* up = stackalloc byte[mostBytes];
        for (int level = 1; level < path.Length; level++)
        {
            Page branch = pages.At(path[level].Number, level);
            int position = path[level].Index + 1, count = branch.Count;
            Place place = PageSearch.Find(branch, separator, length);
            if (place.Found || place.Position != position)
                throw new PageDamagedException("A child has keys that its parent's separators rule out", path[level].Number);
            if (PageChange.TryInsert(branch, position, separator, length, (byte*)&child, sizeof(uint))) return;

            int at = IsLast(path, level) ? count - 1 : Math.Min(PageRebuild.ChooseSplit(branch), count - 1);
            Page right = pages.Take(level, out uint rightNumber);
            ReadOnlySpan<byte> middle = branch.Key(at);
            int upLength = middle.Length;
            if (upLength > mostBytes) PageErrors.ThrowDamaged("A separator is longer than any key can be");
            middle.CopyTo(new Span<byte>(up, mostBytes));
            right.Header->FirstChild = TreePages.Child(branch, at);
            PageRebuild.CopyEntries(right, branch, at + 1, count);
            PageRebuild.Keep(branch, at);
            if (position <= at) Insert(branch, position, separator, length, (byte*)&child, sizeof(uint), 0);
            else Insert(right, position - at - 1, separator, length, (byte*)&child, sizeof(uint), 0);
            Block.Copy(separator, up, upLength);
            (length, child) = (upLength, rightNumber);
        }
        Page top = pages.Take(pages.Levels, out uint topNumber);
        top.Header->FirstChild = pages.Top;
        Insert(top, 0, separator, length, (byte*)&child, sizeof(uint), 0);
        pages.Top = topNumber;
        pages.Levels++;
    }

    // The new pages that a split at the end of the path can need: one for each branch that a separator may not fit, and one for a new top.
    private int PagesToSplit(ReadOnlySpan<PathStep> path)
    {
        int needed = 1, level = 1;
        while (level < path.Length && !HasRoomForSeparator(pages.At(path[level].Number, level))) (needed, level) = (needed + 1, level + 1);
        return level < path.Length ? needed : needed + 1;
    }

    private bool HasRoomForSeparator(Page branch) => PageChange.Fits(branch, PageLayout.EntryHeader + mostBytes + sizeof(uint));

    // After a split there is room for an entry of any size: no side has more than half of a page and one entry, which is an eighth.
    private static void Insert(Page page, int position, byte* key, int length, byte* value, int valueLength, int tag)
    {
        if (!PageChange.TryInsert(page, position, key, length, value, valueLength, tag))
            PageErrors.ThrowDamagedLive();
    }

    private int Room => pages.PageSize - PageHeader.Bytes;

    public void Shrink(ReadOnlySpan<PathStep> path)
    {
        int level = 0;
        bool childless = pages.At(path[0].Number, 0).Count == 0;
        for (; level < path.Length - 1; level++)
        {
            Page page = pages.At(path[level].Number, level), parent = pages.At(path[level + 1].Number, level + 1);
            if (childless)
            {
                childless = !TryRemoveChild(parent, path[level + 1].Index);
                pages.Free(path[level].Number);
            }
            else if (!IsSparse(page.Used) || !TryMerge(parent, path[level + 1], level))
            {
                break;
            }
        }
        if (childless)
        {
            pages.At(pages.Top, pages.Levels - 1).Initialize();
            pages.Levels = 1;
        }
        while (pages.Levels > 1)
        {
            Page top = pages.At(pages.Top, pages.Levels - 1);
            if (top.Count > 0) break;
            uint only = top.Header->FirstChild;
            pages.Free(pages.Top);
            pages.Top = only;
            pages.Levels--;
        }
    }

    // Takes a child out of a branch; false where it was the only one.
    private static bool TryRemoveChild(Page branch, int index)
    {
        if (index < 0)
        {
            if (branch.Count == 0) return false;
            branch.Header->FirstChild = TreePages.Child(branch, 0);
            index = 0;
        }
        PageChange.RemoveAt(branch, index);
        return true;
    }

    // With the neighbour below where there is one, else, or where that is too full, with the one above.
    private bool TryMerge(Page parent, PathStep step, int level) =>
        TryMerge(parent, step.Index, step.Number, level) || TryMerge(parent, step.Index + 1, step.Number, level);

    private bool TryMerge(Page parent, int rightIndex, uint parentNumber, int level)
    {
        if (rightIndex < 0 || rightIndex >= parent.Count) return false;
        uint leftNumber = TreePages.Child(parent, rightIndex - 1), rightNumber = TreePages.Child(parent, rightIndex);
        Page left = pages.At(leftNumber, level), right = pages.At(rightNumber, level);
        ReadOnlySpan<byte> separator = parent.Key(rightIndex);
        int between = level == 0 ? 0 : PageLayout.EntryHeader + separator.Length + sizeof(uint) + PageLayout.PerSlot;
        if (left.Used + right.Used + between > Room / 8 * 7) return false;
        if (leftNumber == rightNumber || (left.Count > 0 && right.Count > 0 && Block.Compare(left.Key(left.Count - 1), right.Key(0)) >= 0))
            throw new PageDamagedException("Two neighbours in the tree are not in the order of their keys", parentNumber);
        if (level > 0)
        {
            uint child = right.Header->FirstChild;
            fixed (byte* bytes = separator) Insert(left, left.Count, bytes, separator.Length, (byte*)&child, sizeof(uint), 0);
        }
        if (!PageRebuild.TryAppendAll(left, right)) PageErrors.ThrowDamagedLive();
        PageChange.RemoveAt(parent, rightIndex);
        pages.Free(rightNumber);
        return true;
    }
}

using System.Runtime.CompilerServices;

namespace MemPrims.Pages;

/// <content>
/// Removing. A page that is less than a quarter full is merged with a neighbour under the same parent where both fit in seven eighths of
/// a page, so that the next insert does not split it again. A page without entries is always given back.
/// </content>
public sealed unsafe partial class SortedTree
{
    /// <summary>Removes the entry with that key; false where there is none.</summary>
    /// <exception cref="PageDamagedException">A page on the way is damaged.</exception>
    [MethodImpl(Hot.Method)]
    public bool Remove(ReadOnlySpan<byte> key)
    {
        TreeState state = Current(out TreeHeader* header);
        if (state.Levels == 0) return false;
        bool removed;
        try
        {
            fixed (byte* bytes = key) removed = RemoveEntry(state, header, bytes, key.Length);
        }
        catch (Exception e)
        {
            FailChange(e);
            throw;
        }
        if (removed) EndChange(state);
        GC.KeepAlive(this);
        return removed;
    }

    [MethodImpl(Hot.Method)]
    private bool RemoveEntry(TreeState state, TreeHeader* header, byte* key, int length)
    {
        Page leaf = _pages.At(Leaf(state, key, length, out _), 0);
        Place place = PageSearch.Find(leaf, key, length);
        if (!place.Found) return false;
        PageEntry entry = leaf.Entry(place.Position);
        List<uint>? overflow = entry.IsTagged ? TreeOverflow.Chain(_pages, TreeOverflow.Reference(entry)) : null;
        // The way to a page that may be merged is found while the key is there: it may be a span of this very page.
        Span<PathStep> path = stackalloc PathStep[state.Levels];
        bool shrinks = state.Levels > 1 && leaf.Used - entry.Bytes < LeastUsed;
        if (shrinks) FindPath(key, length, path);
        BeginChange(state, header);
        PageChange.RemoveAt(leaf, place.Position);
        state.Count--;
        foreach (uint page in overflow ?? []) _pages.Free(page);
        if (shrinks) Shrink(state, path);
        return true;
    }

    private int Room => _pages.PageSize - PageHeader.Bytes;

    /// <summary>A page with fewer bytes in use is merged with a neighbour where that is possible.</summary>
    private int LeastUsed => Room / 4;

    private void Shrink(TreeState state, ReadOnlySpan<PathStep> path)
    {
        ForgetGuess();
        int level = 0;
        bool childless = _pages.At(path[0].Number, 0).Count == 0;
        for (; level < path.Length - 1; level++)
        {
            Page page = _pages.At(path[level].Number, level), parent = _pages.At(path[level + 1].Number, level + 1);
            if (childless)
            {
                childless = !TryRemoveChild(parent, path[level + 1].Index);
                _pages.Free(path[level].Number);
            }
            else if (page.Used >= LeastUsed || !TryMerge(parent, path[level + 1], level))
            {
                break;
            }
        }
        if (childless)
        {
            _pages.At(state.Top, state.Levels - 1).Initialize();
            state.Levels = 1;
        }
        while (state.Levels > 1)
        {
            Page top = _pages.At(state.Top, state.Levels - 1);
            if (top.Count > 0) break;
            uint only = top.Header->FirstChild;
            _pages.Free(state.Top);
            state.Top = only;
            state.Levels--;
        }
    }

    /// <summary>Takes a child out of a branch; false where it was the only one.</summary>
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
        Page left = _pages.At(leftNumber, level), right = _pages.At(rightNumber, level);
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
        if (!PageRebuild.TryAppendAll(left, right)) PageErrors.Damaged("The entries of a page have more bytes than its header says");
        PageChange.RemoveAt(parent, rightIndex);
        _pages.Free(rightNumber);
        return true;
    }
}

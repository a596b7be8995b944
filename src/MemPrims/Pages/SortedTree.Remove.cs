
namespace MemPrims.Pages;

/// <content>Removing.</content>
public sealed unsafe partial class SortedTree
{
    /// <summary>Removes the entry with that key; false where there is none.</summary>
    /// <exception cref="PageDamagedException">A page on the way is damaged.</exception>
    public bool Remove(ReadOnlySpan<byte> key)
    {
        TreeState state = Current();
        if (state.Levels == 0) return false;
        bool removed;
        try
        {
            fixed (byte* bytes = key) removed = RemoveEntry(state, bytes, key.Length);
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

    private bool RemoveEntry(TreeState state, byte* key, int length)
    {
        Page leaf = _pages.At(Leaf(state, key, length, out _), 0);
        Place place = PageSearch.Find(leaf, key, length);
        if (!place.Found) return false;
        PageEntry entry = leaf.Entry(place.Position);
        List<uint>? overflow = entry.IsTagged ? TreeOverflow.Chain(_pages, TreeOverflow.Reference(entry)) : null;
        // The way to a page that may be merged is found while the key is there: it may be a span of this very page.
        Span<PathStep> path = stackalloc PathStep[state.Levels];
        bool shrinks = state.Levels > 1 && _shape.IsSparse(leaf.Used - entry.Bytes);
        if (shrinks) _pages.FindPath(state, key, length, path);
        BeginChange(state);
        PageChange.RemoveAt(leaf, place.Position);
        state.Count--;
        if (overflow is not null) Free(overflow);
        if (shrinks)
        {
            ForgetGuess();
            _shape.Shrink(state, path);
        }
        return true;
    }
}

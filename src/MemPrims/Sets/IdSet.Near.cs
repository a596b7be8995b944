namespace MemPrims.Sets;

/// <content>The ids at the ends of the set and beside an id, without an exception where there is none.</content>
public sealed partial class IdSet
{
    /// <summary>The least id; false when the set is empty.</summary>
    public bool TryGetMin(out uint id) => TryGetNext(0, out id);

    /// <summary>The greatest id; false when the set is empty.</summary>
    public bool TryGetMax(out uint id) => TryGetPrevious(uint.MaxValue, out id);

    /// <summary>The least id at or above <paramref name="from"/>; false when there is none.</summary>
    public bool TryGetNext(uint from, out uint id)
    {
        SetView view = View();
        int key = (int)(from >> KeyShift), at = view.Seek(key, 0), below = 0;
        if (at < view.Length && view.Key(at) == key && (ushort)from > 0)
        {
            below = ContainerOrder.Rank(view[at], (ushort)(from - 1));
            if (below >= view.Cardinality(at)) (at, below) = (at + 1, 0);
        }
        bool exists = at < view.Length;
        id = exists ? IdAt(view, at, below) : 0;
        GC.KeepAlive(this);
        return exists;
    }

    /// <summary>The greatest id at or below <paramref name="from"/>; false when there is none.</summary>
    public bool TryGetPrevious(uint from, out uint id)
    {
        SetView view = View();
        int key = (int)(from >> KeyShift), at = view.Seek(key, 0), upTo = 0;
        if (at < view.Length && view.Key(at) == key) upTo = Math.Min(ContainerOrder.Rank(view[at], (ushort)from), view.Cardinality(at));
        if (upTo == 0 && at > 0) upTo = view.Cardinality(--at);
        id = upTo > 0 ? IdAt(view, at, upTo - 1) : 0;
        GC.KeepAlive(this);
        return upTo > 0;
    }
}

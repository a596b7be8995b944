namespace MemPrims.Buffers;

/// <summary>
/// The segments that a list no longer needs since it was cut, on two stacks: those with an array, and those without. So a list that is
/// filled again and again allocates nothing.
/// </summary>
internal struct SpareSegments
{
    private Segment? _arrays, _links;

    public void Add(Segment segment)
    {
        segment.MakeSpare();
        ref Segment? stack = ref segment.Owns ? ref _arrays : ref _links;
        segment.SpareBelow = stack;
        stack = segment;
    }

    /// <summary>A segment without an array.</summary>
    public Segment TakeLink()
    {
        Segment link = _links ?? new();
        _links = link.SpareBelow;
        link.SpareBelow = null;
        return link;
    }

    /// <summary>
    /// The first segment with an array that is large enough. The search is short: nearly all segments of a long list have the largest
    /// size.
    /// </summary>
    public Segment? TakeArray(int bytes)
    {
        ref Segment? at = ref _arrays;
        while (at is not null && at.Capacity < bytes) at = ref at.SpareBelow;
        Segment? taken = at;
        if (taken is null) return null;
        at = taken.SpareBelow;
        taken.SpareBelow = null;
        return taken;
    }

    /// <summary>Gives all arrays to the pool.</summary>
    public void ReturnAll()
    {
        for (; _arrays is not null; _arrays = _arrays.SpareBelow) Return(_arrays);
        _links = null;
    }

    /// <summary>Gives the array of a segment to the pool, if the segment owns one.</summary>
    public static void Return(Segment segment)
    {
        if (segment.GiveUp() is { } array) SegmentPool.Return(array);
    }
}

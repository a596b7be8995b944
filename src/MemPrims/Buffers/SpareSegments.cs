namespace MemPrims.Buffers;

// The segments that a list no longer needs since it was cut, on two stacks: those with an array, and those without. So a list that is
// filled again and again allocates nothing.
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

    // A segment without an array.
    public Segment TakeLink()
    {
        Segment link = _links ?? new();
        _links = link.SpareBelow;
        link.SpareBelow = null;
        return link;
    }

    // The first segment with an array that is large enough. The search is short: nearly all segments of a long list have the largest size.
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

    // Gives all arrays to the pool.
    public void ReturnAll()
    {
        for (; _arrays is not null; _arrays = _arrays.SpareBelow) _arrays.Return();
        _links = null;
    }
}

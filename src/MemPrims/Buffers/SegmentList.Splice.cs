namespace MemPrims.Buffers;

public sealed unsafe partial class SegmentList
{
    /// <summary>
    /// From this many bytes on, <see cref="Splice"/> refers to memory instead of copying it. For less, a copy costs less than one more
    /// segment, which every reader has to step over: benchmark cases "Splice or copy".
    /// </summary>
    public const int SpliceThreshold = 8192;

    /// <summary>
    /// Appends memory without copying it, if it has <see cref="SpliceThreshold"/> bytes or more. Less is copied. The caller must not
    /// change that memory, or give it back to a pool, until the list is cut before it, cleared or disposed.
    /// </summary>
    public void Splice(ReadOnlyMemory<byte> memory)
    {
        if (memory.Length < SpliceThreshold)
        {
            Append(memory.Span);
            return;
        }
        MakeRoom(0);
        int used = (int)(_position - _tail.Start);
        Segment link = _tail, rest = _spares.TakeLink();
        if (used > 0)
        {
            link = _spares.TakeLink();
            _tail.Close(used, link);
            rest.GoOn(_tail, used);
        }
        else
        {
            // The last segment is still empty. The caller's memory takes its place in the chain.
            rest.TakeOver(_tail);
        }
        link.Refer(memory);
        link.Close(memory.Length, rest);
        _end = _tail = rest;
        _position = rest.Start;
        Limit = rest.Start + rest.Capacity;
    }
}

namespace MemPrims.Buffers;

public sealed unsafe partial class SegmentList
{
    /// <summary>
    /// From how many bytes on <see cref="Splice"/> refers instead of copying. Below, a copy costs less than a segment of its own and the
    /// sequence staying in fewer pieces is worth more: benchmark cases "Splice or copy".
    /// </summary>
    public const int SpliceThreshold = 8192;

    /// <summary>
    /// Appends a caller's memory by reference from <see cref="SpliceThreshold"/> bytes on, and copies what is shorter. The caller leaves
    /// it unchanged, and does not give it back to a pool, until the list is cut before it, cleared or disposed.
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
        Segment link = _tail, rest = TakeLink();
        if (used > 0)
        {
            link = TakeLink();
            _tail.Close(used, link);
            rest.GoOn(_tail, used);
        }
        else
        {
            // Nothing is in the last segment yet: the caller's memory takes its place in the chain.
            rest.TakeOver(_tail);
        }
        link.Refer(memory);
        link.Close(memory.Length, rest);
        _end = _tail = rest;
        _position = rest.Start;
        Limit = rest.Start + rest.Capacity;
    }
}

namespace MemPrims;

/// <summary>The ranges in which two blocks differ: <see cref="Block.Diff"/>. It is its own enumerator.</summary>
public unsafe ref struct BlockDiff
{
    internal const int UsualGap = 8, HeaderBytes = 2 * sizeof(int);

    // A shorter range is copied by one move of so many bytes.
    private const int CopiedAtOnce = 32;

    private const int None = -1, Unread = -2;

    private readonly ReadOnlySpan<byte> _before, _after;
    private readonly int _gap;
    private DiffEdges _edges;

    // Next is where the range after this one starts.
    private int _start, _end, _next = Unread;

    internal BlockDiff(ReadOnlySpan<byte> before, ReadOnlySpan<byte> after, int gap)
    {
        _before = before;
        _after = after;
        _gap = gap;
    }

    /// <summary>The range.</summary>
    public readonly Range Current => _start.._end;

    /// <summary>This.</summary>
    public readonly BlockDiff GetEnumerator() => this;

    private readonly int Widening => Math.Min(_gap, DiffEdges.MostWidened);

    /// <summary>Goes to the next range; false where there is none.</summary>
    public bool MoveNext()
    {
        if (_before.IsEmpty) return false;
        if (_next == Unread) _next = NextEdge();
        if (_next == None) return false;
        _start = _next;
        do
        {
            _end = NextEdge() - Widening;
            _next = NextEdge();
        }
        while (_next >= 0 && _next - _end <= _gap);
        return true;
    }

    /// <summary>
    /// Writes all ranges that are left, each as its start and its length in 4 bytes, low byte first, and its bytes of the block as it is.
    /// <see cref="Block.Patch"/> reads them. Bytes of the destination past <paramref name="written"/> may be overwritten.
    /// </summary>
    /// <returns>False where the destination has no room for all. Blocks of n bytes that differ everywhere take n + 8.</returns>
    public bool TryWrite(Span<byte> destination, out int written)
    {
        written = 0;
        if (_before.IsEmpty) return true;
        if (_gap > DiffEdges.MostWidened)
        {
            while (MoveNext())
                if (!TryWriteRange(destination, _start, _end - _start, ref written)) return false;
            return true;
        }
        int* places = stackalloc int[DiffEdges.Most + 1];
        places[0] = _next;
        int count = _next >= 0 ? 1 : 0;
        if (_next != Unread) count = _edges.Take(places, count);
        _next = None;
        while (true)
        {
            int taken = count & ~1;
            if (!TryWriteRanges(destination, places, places + taken, ref written)) return false;
            // The end of the last range may be in the next group.
            places[0] = places[taken];
            if (!_edges.Look(ref MemoryMarshal.GetReference(_before), ref MemoryMarshal.GetReference(_after), _before.Length, _gap))
                return true;
            count = _edges.Take(places, count - taken);
        }
    }

    // Starts and ends of ranges.
    private readonly bool TryWriteRanges(Span<byte> destination, int* places, int* last, ref int written)
    {
        fixed (byte* to = destination, from = _after)
        {
            int position = written, lastTo = destination.Length - HeaderBytes - CopiedAtOnce, lastFrom = _after.Length - CopiedAtOnce,
                gap = _gap;
            for (; places < last; places += 2)
            {
                int start = places[0], length = places[1] - gap - start;
                if (length <= CopiedAtOnce & start <= lastFrom & position <= lastTo)
                {
                    WriteHeader(to + position, start, length);
                    Unsafe.CopyBlockUnaligned(to + position + HeaderBytes, from + start, CopiedAtOnce);
                    position += HeaderBytes + length;
                    continue;
                }
                written = position;
                if (!TryWriteRange(destination, start, length, ref written)) return false;
                position = written;
            }
            written = position;
            return true;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private readonly bool TryWriteRange(Span<byte> destination, int start, int length, ref int written)
    {
        if (destination.Length - written - HeaderBytes < length) return false;
        fixed (byte* to = destination) WriteHeader(to + written, start, length);
        Block.Copy(destination.Slice(written + HeaderBytes, length), _after.Slice(start, length));
        written += HeaderBytes + length;
        return true;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void WriteHeader(byte* to, int start, int length) =>
        BinaryPrimitives.WriteUInt64LittleEndian(new(to, HeaderBytes), (uint)start | (ulong)length << 32);

    private int NextEdge()
    {
        int edge;
        while ((edge = _edges.Take()) < 0)
            if (!_edges.Look(ref MemoryMarshal.GetReference(_before), ref MemoryMarshal.GetReference(_after), _before.Length, Widening))
                return None;
        return edge;
    }

    internal static int Start(ReadOnlySpan<byte> range) => BinaryPrimitives.ReadInt32LittleEndian(range);

    internal static int Length(ReadOnlySpan<byte> range) => BinaryPrimitives.ReadInt32LittleEndian(range[sizeof(int)..]);
}

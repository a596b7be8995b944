using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MemPrims.Buffers;

// What a SegmentReader does at the end of a segment, and with items that are not common. Each method takes a copy of the reader and
// returns it. A call on the reader itself would pass its address. The JIT would then keep its fields in memory, for the fast reads too.
public ref partial struct SegmentReader
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Moved<T> ReadSlow<T>(SegmentReader from)
        where T : unmanaged
    {
        T value = ReaderItems.Read<SegmentReader, T>(ref from);
        return new(from, value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Moved<ulong> ReadVarintSlow(SegmentReader from)
    {
        ulong value = ReaderItems.ReadVarint(ref from);
        return new(from, value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Moved<(OperationStatus Status, int Written)> ReadBlockSlow(SegmentReader from, scoped Span<byte> destination)
    {
        OperationStatus status = ReaderItems.TryReadBlock(ref from, destination, out int written);
        return new(from, (status, written));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Moved<(OperationStatus Status, string? Text)> ReadTextSlow(SegmentReader from)
    {
        OperationStatus status = ReaderItems.TryReadText(ref from, out string? text);
        return new(from, (status, text));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static SegmentReader AdvanceAcross(SegmentReader from, long bytes)
    {
        if ((ulong)bytes > (ulong)from.Remaining) BufferErrors.AdvancedBehindTheEnd(bytes, from.Remaining);
        while (bytes >= from._length - from._at && from._before + from._length < from._total)
        {
            bytes -= from._length - from._at;
            from.NextSegment();
        }
        from._at += (int)bytes;
        return from;
    }

    // Moves to the next segment that has bytes, or to an empty one at the end.
    private void NextSegment()
    {
        _before += _length;
        _length = _at = 0;
        for (SequencePosition at = _next; _length == 0 && _source.TryGet(ref _next, out ReadOnlyMemory<byte> memory); at = _next)
        {
            _current = at;
            _start = ref MemoryMarshal.GetReference(memory.Span);
            _length = memory.Length;
        }
    }

    // A reader after a read, and the value that was read.
    private readonly ref struct Moved<T>(SegmentReader reader, T value)
    {
        public readonly SegmentReader Reader = reader;
        public readonly T Value = value;
    }
}

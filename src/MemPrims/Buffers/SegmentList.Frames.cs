using System.Buffers;
using System.Runtime.CompilerServices;

namespace MemPrims.Buffers;

// The frame that an appender has begun and not yet ended. There is one at a time, so the list keeps it, and no handle can be used wrongly.
public sealed unsafe partial class SegmentList
{
    // Null when no frame is open. The segment is the one of the header: pinned, so the pointer stays valid while the appender is open.
    private byte* _frameHeader;
    private Segment? _frameSegment;
    private long _framePayload, _framePosition;
    private uint _frameSeed;

    /// <summary>Begins a frame at a header that was claimed.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static void BeginFrame(SegmentList? list, byte* header, byte* end, long ticket, long position, uint seed)
    {
        if (list is null && ticket != 0) BufferErrors.NoHoleInAValue();
        list = CheckOpen(list, end, ticket);
        if (list._frameHeader != null || position < 0)
        {
            bool isOpen = list._frameHeader != null;
            list.TakeBack();
            if (isOpen) BufferErrors.FrameIsOpen();
            BufferErrors.NegativePosition(position);
        }
        // Whoever looks at the unpublished bytes finds zeros, not what was in the memory before.
        Unsafe.WriteUnaligned(header, default(UInt128));
        list._frameHeader = header;
        list._frameSegment = list._tail;
        list._framePayload = list.PositionOf(header) + Frame.HeaderSize;
        (list._framePosition, list._frameSeed) = (position, seed);
    }

    /// <summary>Ends the frame at a place of the appender, and writes its header. Returns how many bytes the frame has.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static int EndFrame(SegmentList? list, byte* place, byte* end, long ticket)
    {
        if (list is null && ticket != 0) BufferErrors.NoHoleInAValue();
        list = CheckOpen(list, end, ticket);
        byte* header = list._frameHeader;
        if (header == null)
        {
            list.TakeBack();
            BufferErrors.NoFrameIsOpen();
        }
        long length = list.PositionOf(place) - list._framePayload;
        if (length > Frame.MaxPayload)
        {
            list.TakeBack();
            BufferErrors.PayloadOutOfRange(length);
        }
        if (list._holes.FirstOpen(list._framePayload, out long hole, out int size))
        {
            list.TakeBack();
            BufferErrors.HoleIsOpen(hole, size);
        }
        uint sum = Frame.SumOfHeader((int)length, list._framePosition, list._frameSeed);
        byte* payload = header + Frame.HeaderSize;
        if (list._frameSegment == list._tail) sum = Checksum.Crc32C(sum, payload, (nint)length);
        else
        {
            Segment first = list._frameSegment!;
            sum = Checksum.Crc32C(sum, new ReadOnlySequence<byte>(first, (int)(payload - first.Start), list._tail,
                (int)(place - list._tail.Start)));
        }
        Frame.StoreHeader(new(header, Frame.HeaderSize), (int)length, list._framePosition, sum);
        list._frameHeader = null;
        return Frame.HeaderSize + (int)length;
    }
}

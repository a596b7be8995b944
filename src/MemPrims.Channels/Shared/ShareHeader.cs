using System.Runtime.InteropServices;

namespace MemPrims.Channels.Shared;

/// <summary>
/// The first page of an end's shared memory. Only that end writes to it; what the peer has to say stands in the peer's. Each counter has
/// a cache line of its own: the other end polls it.
/// </summary>
[StructLayout(LayoutKind.Explicit, Size = ShareLayout.HeaderBytes)]
internal unsafe struct ShareHeader
{
    /// <summary>How many bytes this end has written to its ring so far.</summary>
    [FieldOffset(0)] public long Produced;

    /// <summary>How many bytes this end has taken from the peer's ring so far.</summary>
    [FieldOffset(64)] public long Consumed;

    /// <summary>Not 0 while this end sleeps on a counter of the peer's.</summary>
    [FieldOffset(128)] public int Sleepers;

    /// <summary>Not 0 when this end takes nothing more by the ring: it has another holder, who was not given the memory.</summary>
    [FieldOffset(192)] public int TakesNoRing;

    /// <summary>Not 0 when this end broke off in the middle of a message.</summary>
    [FieldOffset(256)] public int IsBroken;

    /// <summary>Counts the credits that this end gave, so that the peer can sleep on it.</summary>
    [FieldOffset(320)] public int CreditCount;

    /// <summary>Not 0 while this end sleeps in a receive: what wakes it takes its time.</summary>
    [FieldOffset(384)] public int ReceiveSleeps;

    /// <summary>
    /// Not 0 when this end has unmapped the peer's memory: nobody reads the peer's segments any more, however long the process lives.
    /// </summary>
    [FieldOffset(448)] public int HasLetGo;

    /// <summary>For each segment of the peer's, the generation that this end has given back last.</summary>
    [FieldOffset(1024)] public fixed uint Credits[ShareLayout.MostSegments];
}

/// <summary>Where things lie in an end's shared memory: the header, then its ring, then its segments.</summary>
internal readonly record struct ShareLayout(int RingBytes, int SegmentCount, int SegmentBytes)
{
    public const int HeaderBytes = 4096, MostSegments = 256, Page = 4096;

    // 256 KiB to 2 MiB differ by less than one of them does from run to run (channels.md). Larger rings leave the second-level cache.
    public const int UsualRing = 1 << 20;

    /// <summary>The memory of all segments together.</summary>
    public long PoolBytes => (long)SegmentCount * SegmentBytes;

    private nint SegmentsStart => HeaderBytes + RingBytes;

    public nint Length => SegmentsStart + ((nint)SegmentCount * SegmentBytes);

    public nint Segment(int number) => SegmentsStart + ((nint)number * SegmentBytes);

    /// <summary>Whether a peer's layout is one that this version makes.</summary>
    public bool IsSound => RingBytes is >= Page and <= 1 << 26 && int.IsPow2(RingBytes) && SegmentCount is >= 0 and <= MostSegments
        && SegmentBytes >= 0 && SegmentBytes % Page == 0 && (SegmentCount == 0 || SegmentBytes > 0);
}

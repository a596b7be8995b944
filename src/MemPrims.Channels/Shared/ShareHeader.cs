using System.Runtime.InteropServices;

namespace MemPrims.Channels.Shared;

/// <summary>
/// The first page of an end's shared memory. Only that end writes to it; what the peer has to say stands in the peer's. Each counter has
/// two cache lines of its own, since processors fetch lines in pairs: the other end polls it.
/// </summary>
[StructLayout(LayoutKind.Explicit, Size = ShareLayout.HeaderBytes)]
internal unsafe struct ShareHeader
{
    /// <summary>How many bytes this end has written to its ring so far.</summary>
    [FieldOffset(0)] public long Produced;

    /// <summary>How many bytes this end has taken from the peer's ring so far.</summary>
    [FieldOffset(128)] public long Consumed;

    // What a sender looks at after every message stands in one line: it changes only when somebody goes to sleep or leaves.

    /// <summary>Not 0 while this end's receiver sleeps on the peer's <see cref="Produced"/>.</summary>
    [FieldOffset(256)] public int SleepsOnProduced;

    /// <summary>
    /// Odd while this end's receiver sleeps on its socket, or may: then a packet has to wake it. Another number for each sleep.
    /// </summary>
    [FieldOffset(260)] public int SleepsOnSocket;

    /// <summary>One of <see cref="RingUse"/>.</summary>
    [FieldOffset(264)] public int TakesRing;

    /// <summary>Not 0 when this end is broken, or has been disposed and has no other holder.</summary>
    [FieldOffset(268)] public int HasEnded;

    /// <summary>Not 0 while this end's sender sleeps on the peer's <see cref="Consumed"/>.</summary>
    [FieldOffset(384)] public int SleepsOnConsumed;

    /// <summary>How many threads of this end sleep on the peer's <see cref="CreditCount"/>.</summary>
    [FieldOffset(388)] public int SleepersOnCredit;

    /// <summary>
    /// Not 0 when this end has unmapped the peer's memory: nobody reads the peer's segments any more, however long the process lives.
    /// </summary>
    [FieldOffset(392)] public int HasLetGo;

    /// <summary>Counts the credits that this end gave, so that the peer can sleep on it.</summary>
    [FieldOffset(512)] public int CreditCount;

    /// <summary>
    /// Not 0 while this end's sender begins an entry: from before its look at the peer's <see cref="TakesRing"/> until the entry's first
    /// bytes are counted.
    /// </summary>
    [FieldOffset(640)] public int IsBeginning;

    /// <summary>For each segment of the peer's, the generation that this end has given back last.</summary>
    [FieldOffset(1024)] public fixed uint Credits[ShareLayout.MostSegments];
}

/// <summary>Whether an end takes what its peer puts in the ring.</summary>
internal static class RingUse
{
    /// <summary>
    /// Nothing was received here yet. Messages come in packets, until a segment comes: the end may still be passed on, to a holder without
    /// this memory.
    /// </summary>
    public const int NotYet = 0;

    /// <summary>It receives, and everything comes by the ring.</summary>
    public const int Yes = 1;

    /// <summary>It has another holder, who was not given the memory: everything comes in packets.</summary>
    public const int NoMore = 2;
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

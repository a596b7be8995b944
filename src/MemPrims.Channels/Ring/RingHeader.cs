namespace MemPrims.Channels.Ring;

// The first page of an end's shared memory. Only that end writes to it; what the peer has to say stands in the peer's. Each counter has
// two cache lines of its own, since processors fetch lines in pairs: the other end polls it.
[StructLayout(LayoutKind.Explicit, Size = 4096)]
internal struct RingHeader
{
    // How many bytes this end has written to its ring so far.
    [FieldOffset(0)] public long Produced;

    // How many bytes this end has taken from the peer's ring so far.
    [FieldOffset(128)] public long Consumed;

    // What a sender looks at after every message stands in one line: it changes only when somebody goes to sleep or leaves.

    // Not 0 while this end's receiver sleeps on the peer's Produced.
    [FieldOffset(256)] public int SleepsOnProduced;

    // Odd while this end's receiver sleeps on its socket, or may: then a packet has to wake it. Another number for each sleep.
    [FieldOffset(260)] public int SleepsOnSocket;

    // Not 0 once this end has received, and has no other holder: then everything may come by the ring. Before that messages come in
    // packets, since the end may still be passed on, to a holder without this memory.
    [FieldOffset(264)] public int TakesRing;

    // Not 0 when this end is broken, or has been disposed and has no other holder.
    [FieldOffset(268)] public int HasEnded;

    // Not 0 while this end's sender sleeps on the peer's Consumed.
    [FieldOffset(384)] public int SleepsOnConsumed;
}

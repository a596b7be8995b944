namespace MemPrims.Channels.Link;

// Sizes of packets, of steps through a ring, and of its entries. Steps of 16 to 256 KiB are as fast for messages of 1 MiB.
internal static class Packets
{
    // The largest payload of one packet. A receiver has room for it; a longer packet is a breach of the protocol.
    public const int Largest = 128 << 10;

    // A packet takes at most one part in this many of the send buffer.
    public const int ShareOfSendBuffer = 2;

    // How much of a ring's bytes is written or taken before the other side is told.
    public const int RingStep = 64 << 10;

    // Entries of the ring begin at multiples of this, so that their headers lie in one piece.
    public const int EntryAlignment = 64;

    public static long EntrySize(long payload) => PacketHeader.Size + payload + EntryAlignment - 1 & -EntryAlignment;
}

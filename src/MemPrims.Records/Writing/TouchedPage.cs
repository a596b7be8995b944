namespace MemPrims.Records.Writing;

// A page that a transaction touches: the writer's copy of it, and which lines that copy has.
internal unsafe struct TouchedPage
{
    public byte* Bytes;
    public ulong Lines;

    // The memory that the bytes are in.
    public byte[] Slab;

    // A span over these bytes was handed out. It may be kept for longer than the transaction, so the bytes are never used again.
    public bool GivenOut;
}

namespace MemPrims.Records.Writing;

/// <summary>A page that a transaction touches: the writer's copy of it, and which lines that copy has.</summary>
internal unsafe struct TouchedPage
{
    public byte* Bytes;
    public ulong Lines;

    /// <summary>The memory that the bytes are in.</summary>
    public byte[] Slab;

    /// <summary>
    /// A span over these bytes was handed out. It may be kept for longer than the transaction, so the bytes are never used again.
    /// </summary>
    public bool GivenOut;
}

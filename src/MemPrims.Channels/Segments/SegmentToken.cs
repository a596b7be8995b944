using MemPrims.Channels.Shared;

namespace MemPrims.Channels.Segments;

/// <summary>
/// Where a message lies: segment and generation in one word, then offset and length. The generation tells one use of a segment from the
/// next.
/// </summary>
internal readonly record struct SegmentToken(int Number, uint Generation, long Offset, long Length)
{
    public SegmentToken(ulong id, long offset, long length)
        : this((int)(uint)id, (uint)(id >> 32), offset, length)
    {
    }

    public ulong Id => (uint)Number | ((ulong)Generation << 32);

    public bool IsIn(in ShareLayout layout) =>
        (uint)Number < (uint)layout.SegmentCount && Generation != 0 && Offset >= 0 && Length >= 0 && Offset <= layout.SegmentBytes
            && Length <= layout.SegmentBytes - Offset;
}

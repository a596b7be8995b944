using System.Runtime.InteropServices;

namespace MemPrims.Records.Format;

/// <summary>A meta, checked, in memory of its own: the header and which copy of each page is active (bit set: copy B).</summary>
internal sealed class Meta(MetaHeader header, ulong[] active)
{
    private readonly MetaHeader _header = header;

    public ref readonly MetaHeader Header => ref _header;

    public ulong[] Active { get; } = active;

    public long Bytes => MetaHeader.Size + Active.Length * 8L;

    /// <summary>
    /// Takes a private copy of a slot and checks that: the slot itself may be written by another process meanwhile, and then fails the check.
    /// </summary>
    public static unsafe Meta? Read(byte* slot, int index, uint slotBytes, out string problem)
    {
        MetaHeader header = *(MetaHeader*)slot;
        problem = header.Magic != MetaHeader.RightMagic ? "no magic" : header.Contradiction(index, slotBytes) ?? "";
        if (problem.Length > 0) return null;
        ulong[] active = new ReadOnlySpan<ulong>(slot + MetaHeader.Size, MetaHeader.BitmapWords(header.PageCount)).ToArray();
        uint checksum = ChecksumOf(header, active);
        if (checksum == header.Checksum) return new(header, active);
        problem = $"its checksum is {header.Checksum:x8}, and not {checksum:x8}";
        return null;
    }

    /// <summary>Fills a slot's worth of bytes, with zeros behind the bitmap.</summary>
    public void WriteTo(Span<byte> slot)
    {
        slot.Clear();
        MetaHeader sealedHeader = _header;
        sealedHeader.Checksum = ChecksumOf(_header, Active);
        MemoryMarshal.Write(slot, sealedHeader);
        MemoryMarshal.AsBytes(Active.AsSpan()).CopyTo(slot[MetaHeader.Size..]);
    }

    private static uint ChecksumOf(in MetaHeader header, ReadOnlySpan<ulong> active)
    {
        ReadOnlySpan<byte> bytes = MemoryMarshal.AsBytes(new ReadOnlySpan<MetaHeader>(in header));
        return Checksum.Crc32C(MemoryMarshal.AsBytes(active), Checksum.Crc32C(bytes[..MetaHeader.ChecksumOffset]));
    }
}

namespace MemPrims.Records.Format;

// A meta, checked, in memory of its own: header, which copy of each page is active (bit set: copy B), writes of a small commit.
internal sealed class Meta(MetaHeader header, ulong[] active, ReadOnlyMemory<byte> redo)
{
    private readonly MetaHeader _header = header;

    public ref readonly MetaHeader Header => ref _header;

    public ulong[] Active { get; } = active;

    public ReadOnlySpan<byte> Redo => redo.Span;

    public long Bytes => MetaHeader.Size + Active.Length * 8L + redo.Length;

    // The one with the higher transaction; null when neither is valid.
    public static Meta? Newer(Meta? even, Meta? odd) => even is null || odd?.Header.Transaction > even.Header.Transaction ? odd : even;

    // Checks a private copy of a slot: another process may write the slot itself meanwhile, which then fails the check.
    public static unsafe Meta? Read(byte* slot, int index, uint slotBytes, out string problem)
    {
        MetaHeader header = *(MetaHeader*)slot;
        problem = header.Magic != MetaHeader.RightMagic ? "no magic" : header.Contradiction(index, slotBytes) ?? "";
        if (problem.Length > 0) return null;
        ulong[] active = new ReadOnlySpan<ulong>(slot + MetaHeader.Size, MetaHeader.BitmapWords(header.PageCount)).ToArray();
        byte[] redo = new ReadOnlySpan<byte>(slot + MetaHeader.Size + active.Length * 8L, (int)header.RedoBytes).ToArray();
        // The one order between a meta and its pages: all of it was read before any page that it leads to is.
        Volatile.ReadBarrier();
        uint checksum = ChecksumOf(header, active);
        if (checksum != header.Checksum) problem = $"its checksum is {header.Checksum:x8}, and not {checksum:x8}";
        else if (SealOf(header, active, redo) != header.Seal) problem = "its seal is wrong";
        else problem = Format.Redo.Contradiction(redo, header, active) ?? "";
        return problem.Length == 0 ? new(header, active, redo) : null;
    }

    // Fills a slot's worth of bytes, with zeros after the writes.
    public unsafe void WriteTo(Span<byte> slot)
    {
        slot.Clear();
        MetaHeader sealedHeader = _header;
        sealedHeader.RedoBytes = (uint)redo.Length;
        sealedHeader.Seal = SealOf(sealedHeader, Active, Redo);
        sealedHeader.Checksum = ChecksumOf(sealedHeader, Active);
        new ReadOnlySpan<byte>(&sealedHeader, MetaHeader.Size).CopyTo(slot);
        fixed (ulong* bits = Active) new ReadOnlySpan<byte>(bits, Active.Length * sizeof(ulong)).CopyTo(slot[MetaHeader.Size..]);
        Redo.CopyTo(slot[(MetaHeader.Size + Active.Length * 8)..]);
    }

    // Bytes by pointers: MemoryMarshal's methods over types of ours are compiled at their first call.
    private static unsafe uint ChecksumOf(in MetaHeader header, ulong[] active)
    {
        fixed (MetaHeader* start = &header)
        fixed (ulong* bits = active)
            return Checksum.Crc32C(Checksum.Crc32C((byte*)start, MetaHeader.ChecksumOffset), (byte*)bits, active.Length * sizeof(ulong));
    }

    private static unsafe ulong SealOf(in MetaHeader header, ulong[] active, ReadOnlySpan<byte> redo)
    {
        fixed (MetaHeader* start = &header)
        fixed (ulong* bits = active)
        {
            ulong seal = Format.Redo.Seal(0, new ReadOnlySpan<byte>(start, MetaHeader.SealOffset));
            return Format.Redo.Seal(Format.Redo.Seal(seal, new ReadOnlySpan<byte>(bits, active.Length * sizeof(ulong))), redo);
        }
    }
}

namespace MemPrims.Records.Maintenance;

// Writes the two metas of a file without records: transaction 1 into slot 1, 2 into slot 0.
internal static class EmptyFile
{
    public static void Make(string path, RecordLayout layout, MappedFileOptions options)
    {
        if (!MetaHeader.IsSlotBytes(options.MetaSlotBytes))
            throw new ArgumentOutOfRangeException(nameof(options), options.MetaSlotBytes,
                "MetaSlotBytes is a power of two from 4096 to 1048576.");
        NewFile.Make(path, "make the file", made => Write(made, layout, (uint)options.MetaSlotBytes));
    }

    public static void Write(IStorage storage, RecordLayout layout, uint slotBytes)
    {
        MetaHeader header = new()
        {
            Magic = MetaHeader.RightMagic, Format = MetaHeader.RightFormat, SlotBytes = slotBytes, PageBytes = PageHeader.PageBytes,
            RecordId = layout.Id, RecordVersion = (ushort)layout.Version, ReadableFrom = (ushort)layout.ReadableFrom,
            RecordBytes = layout.Newest.RecordBytes, FixedBytes = layout.Newest.FixedBytes,
            LayoutHash = layout.Newest.Hash, ReadableHash = layout.Versions[layout.ReadableFrom - 1].Hash, Transaction = 1,
        };
        WriteMetas(storage, header);
    }

    // For a new file that has its pages: the metas of this transaction and the next, in which all copies A are active.
    public static void WriteMetas(IStorage storage, MetaHeader header)
    {
        header.FileId = RandomId.New();
        byte[] slots = new byte[2 * header.SlotBytes];
        for (int commit = 0; commit < 2; commit++, header.Transaction++)
            new Meta(header, new ulong[MetaHeader.BitmapWords(header.PageCount)], default)
                .WriteTo(slots.AsSpan((int)((header.Transaction & 1) * header.SlotBytes), (int)header.SlotBytes));
        storage.Write(0, slots);
        storage.Sync();
    }
}

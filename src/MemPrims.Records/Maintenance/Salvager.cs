namespace MemPrims.Records.Maintenance;

// Reads the pages without trusting any meta: a copy is whole when its checksum, number and record type are right. The copy that a valid
// meta calls active is preferred; without it, or without a meta, the newest whole copy is taken and reported as stale.
internal static class Salvager<T> where T : IMappedRecord<T>, allows ref struct
{
    public static SalvageReport Run(string damagedPath, string newPath, MappedFileOptions options)
    {
        using FileStorage damaged = FileStorage.Open(damagedPath, FileMode.Open, FileAccess.Read);
        return Run(damaged, newPath, options);
    }

    // The file is read by calls of the system alone: a copy of a page that the disk cannot read is not whole.
    public static SalvageReport Run(IStorage damaged, string newPath, MappedFileOptions options)
    {
        Meta? meta = FindMeta(damaged, out uint slotBytes, out int pages, out int perPage);
        int newSlotBytes = Math.Max((int)slotBytes, options.MetaSlotBytes);
        options = options with { MetaSlotBytes = newSlotBytes, Durability = Durability.PowerLoss };
        SalvageReport? report = null;
        NewFile.Make(newPath, "write the new file", made =>
        {
            using MappedFile<T> target = MappedFile<T>.Create(made, options);
            report = CopyPages(damaged, meta, slotBytes, pages, perPage, target);
        }, damaged.Rights);
        return report!;
    }

    private static SalvageReport CopyPages(IStorage damaged, Meta? meta, uint slotBytes, int pages, int perPage, MappedFile<T> target)
    {
        List<RecordRange> lost = [], stale = [];
        int total = meta is null ? -1 : (int)meta.Header.RecordCount;
        byte[] first = new byte[PageHeader.PageBytes], second = new byte[PageHeader.PageBytes];
        NewFile.CopyPages(target, pages, (transaction, page) =>
        {
            string lack = "neither copy of the page is whole";
            PageHeader? a = WholeCopy(damaged, slotBytes, page, 0, first, meta, ref lack),
                b = WholeCopy(damaged, slotBytes, page, 1, second, meta, ref lack);
            int start = page * perPage;
            int expected = total < 0 ? perPage : Math.Min(perPage, total - start);
            byte[]? chosen = Choose(meta, page, a, b, first, second, out string? doubt);
            int records = chosen is null ? expected : total < 0 && page < pages - 1 ? perPage
                : Math.Min(PageHeader.Of(chosen).Records, expected);
            if (chosen is null) Note(lost, start, expected, lack);
            else if (doubt is not null) Note(stale, start, records, doubt);
            if (chosen is not null && records < expected && total >= 0) Note(lost, start + records, expected - records,
                "the whole copy of the page is from before they were appended");
            Copy(transaction, chosen, records, total >= 0 ? expected : records, start, perPage, lost);
        });
        return new(target.Count, lost, stale, meta is not null);
    }

    private static byte[]? Choose(Meta? meta, int page, PageHeader? a, PageHeader? b, byte[] first, byte[] second, out string? doubt)
    {
        doubt = null;
        if (meta is not null)
        {
            bool useB = (meta.Active[page >> 6] >> page & 1) != 0;
            PageHeader? active = useB ? b : a;
            if (active is { } header && header.Transaction <= meta.Header.Transaction) return useB ? second : first;
            doubt = "the active copy of the page is damaged: this is the other one";
        }
        else doubt = "no meta is valid: this is the newest whole copy";
        if (a is null && b is null) return null;
        return b is null || (a is not null && a.Value.Transaction >= b.Value.Transaction) ? first : second;
    }

    private static void Copy(WriteTransaction<T> transaction, byte[]? page, int records, int total, int start, int perPage,
        List<RecordRange> lost)
    {
        for (int i = 0; i < total; i++)
        {
            Span<byte> to = transaction.AppendRaw();
            if (page is null || i >= records) continue;
            ref PageHeader header = ref PageHeader.Of(page);
            if (PageHeader.IsFree(page, i, perPage))
            {
                transaction.Free(start + i);
                continue;
            }
            ReadOnlySpan<byte> from = page.AsSpan(PageHeader.Size + i * header.RecordBytes, header.RecordBytes);
            if (!T.Layout.TryCopy(from, header.FixedBytes, to)) Note(lost, start + i, 1, "its fields point outside the record");
        }
    }

    // Without a meta, the size of its slots is the one with which the first pages are where they should be.
    private static Meta? FindMeta(IStorage damaged, out uint slotBytes, out int pages, out int perPage)
    {
        MappedFileException why;
        try
        {
            MetaSearch found = new(damaged);
            slotBytes = found.SlotBytes;
            Meta meta = found.Winner;
            (pages, perPage) = ((int)meta.Header.PageCount, meta.Header.RecordsPerPage);
            return Fits(meta.Header.RecordId, meta.Header.RecordVersion, meta.Header.RecordBytes, meta.Header.FixedBytes)
                ? meta : throw new MappedFileException(MappedFileReason.WrongRecord, damaged.Path,
                    $"The file holds other records than {T.Layout.Name}, or a version of them that is not known: salvage it as the type "
                        + "whose id was found, by a program that knows the version", null, T.Layout.Id, meta.Header.RecordId);
        }
        catch (MappedFileException e) when (e.Reason is not MappedFileReason.WrongRecord)
        {
            why = e;
        }
        for (slotBytes = MetaHeader.MinSlotBytes; slotBytes <= MetaHeader.MaxSlotBytes; slotBytes *= 2)
        {
            if (LastWholePage(damaged, slotBytes) is not { } last) continue;
            (pages, perPage) = ((int)last.Page + 1, PageHeader.PerPage(last.RecordBytes));
            return null;
        }
        throw new MappedFileException(why.Reason, damaged.Path,
            $"There is nothing to salvage: no meta is valid, and no page of {T.Layout.Name} is whole ({why.What})", inner: why);
    }

    private static PageHeader? LastWholePage(IStorage damaged, uint slotBytes)
    {
        byte[] buffer = new byte[PageHeader.PageBytes];
        string lack = "";
        long first = 2L * slotBytes, beyond = MetaHeader.MaxPages(slotBytes);
        // From the end, and past the holes: a sparse file can be of any length.
        foreach ((long start, long end) in damaged.DataParts().Reverse())
        {
            long last = Math.Min((end - 1 - first) / (2 * PageHeader.PageBytes), beyond - 1);
            for (long page = end <= first ? -1 : last; page >= 0 && PageHeader.OffsetOf(slotBytes, (int)page + 1, 0) > start; page--)
            {
                PageHeader? whole = WholeCopy(damaged, slotBytes, (int)page, 0, buffer, null, ref lack)
                    ?? WholeCopy(damaged, slotBytes, (int)page, 1, buffer, null, ref lack);
                if (whole is not null) return whole;
            }
        }
        return null;
    }

    private static PageHeader? WholeCopy(IStorage damaged, uint slotBytes, int page, int copy, byte[] buffer, Meta? meta, ref string lack)
    {
        long offset = PageHeader.OffsetOf(slotBytes, page, copy);
        try
        {
            if (damaged.Read(offset, buffer) < buffer.Length) return null;
        }
        catch (IOException e)
        {
            lack = $"neither copy of the page is whole, and one cannot be read ({e.Message})";
            return null;
        }
        // A small commit's writes may have been lost with the power: its meta carries them.
        ReadOnlySpan<byte> writes = meta is null ? [] : meta.Redo;
        while (Redo.TryTake(ref writes, out long place, out ReadOnlySpan<byte> lines))
            if (place >= offset && place < offset + buffer.Length) lines.CopyTo(buffer.AsSpan((int)(place - offset)));
        PageHeader header = PageHeader.Of(buffer);
        bool whole = header.Transaction != 0 && header.Page == (uint)page && header.Checksum == PageHeader.ChecksumOf(buffer, (uint)page)
            && Fits(header.RecordId, header.RecordVersion, header.RecordBytes, header.FixedBytes)
                && header.Records <= PageHeader.Room / header.RecordBytes;
        return whole ? header : null;
    }

    private static bool Fits(uint id, int version, int recordBytes, int fixedBytes) =>
        id == T.Layout.Id && version >= 1 && version <= T.Layout.Version
        && T.Layout.Versions[version - 1].RecordBytes == recordBytes && T.Layout.Versions[version - 1].FixedBytes == fixedBytes;

    private static void Note(List<RecordRange> ranges, int first, int count, string why)
    {
        if (count <= 0) return;
        if (ranges is [.., var last] && last.First + last.Count == first
            && last.Why == why) ranges[^1] = new(last.First, last.Count + count, why);
        else ranges.Add(new(first, count, why));
    }
}

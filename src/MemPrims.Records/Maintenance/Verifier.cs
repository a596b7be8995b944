namespace MemPrims.Records.Maintenance;

// Checks each active page's checksum, number and transaction, every descriptor and text in it, and at last the sum of the checksums
// against the meta's: a page whose last write the disk dropped is whole and old, and only the sum tells.
internal static class Verifier
{
    private const int PagesPerReport = 256;

    public static unsafe void Run(RecordFile file, IProgress<VerifyProgress>? progress, CancellationToken cancellationToken)
    {
        using Pin pin = file.Pins.Take();
        FileState state = pin.State;
        VariableField[] variables = file.Layout.Variables;
        ulong sum = 0;
        uint free = 0;
        // At a multiple of its size, as a page lies in a map: a record's error finds its page by that.
        byte* room = stackalloc byte[2 * PageHeader.PageBytes];
        byte* start = (byte*)((nint)(room + PageHeader.PageBytes - 1) & -PageHeader.PageBytes);
        for (int page = 0; page < state.PageCount; page++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            state.ReadPage(page, file.Storage, new(start, PageHeader.PageBytes));
            sum += ((PageHeader*)start)->Checksum;
            free += CountFree(new(start, PageHeader.PageBytes), state, page);
            for (int record = 0; record < state.RecordsIn(page); record++)
                CheckRecord(new(start + PageHeader.Size + record * state.RecordBytes, state), variables, state, page, record);
            if ((page + 1) % PagesPerReport == 0 || page + 1 == state.PageCount) progress?.Report(new(page + 1, state.PageCount));
        }
        if (free != state.Meta.Header.FreeCount)
            throw new MappedFileException(MappedFileReason.DamagedMeta, state.Path,
                "The pages have another number of free records than the meta: Salvage copies out what is there", null,
                state.Meta.Header.FreeCount, free);
        if (sum != state.Meta.Header.PageSum)
            throw new MappedFileException(MappedFileReason.DamagedPage, state.Path,
                "The sum of all pages' checksums is not the meta's, though each page is whole: the disk dropped or undid a write. "
                    + "Salvage copies out what is there", null, state.Meta.Header.PageSum, sum);
    }

    private static uint CountFree(ReadOnlySpan<byte> page, FileState state, int number)
    {
        uint count = 0;
        for (int record = 0; (record = PageHeader.FirstFree(page, record, state.RecordsPerPage,
            state.RecordsPerPage)) < state.RecordsPerPage; record++, count++)
        {
            if (record < state.RecordsIn(number)) continue;
            throw new MappedFileException(MappedFileReason.DamagedPage, state.Path,
                "A record is marked as free that the page does not have: Salvage copies out what is there", number,
                (ulong)state.RecordsIn(number), (ulong)record);
        }
        return count;
    }

    private static void CheckRecord(RecordBytes record, VariableField[] variables, FileState state, int page, int at)
    {
        foreach (ref readonly VariableField field in variables.AsSpan())
        {
            ReadOnlySpan<byte> value = record.GetVariable(field.Offset);
            if (value.Length > field.Max)
                throw new MappedFileException(MappedFileReason.DamagedRecord, state.Path,
                    $"{Where(field)} is longer than its maximum: set it anew", page, field.Max, (ulong)value.Length);
            if (field.IsText && !System.Text.Unicode.Utf8.IsValid(value))
                throw new MappedFileException(MappedFileReason.DamagedRecord, state.Path,
                    $"{Where(field)} is not UTF-8: set it anew", page);
        }

        string Where(in VariableField field) => $"The text or block {field.Name} of record {(long)page * state.RecordsPerPage + at}";
    }
}

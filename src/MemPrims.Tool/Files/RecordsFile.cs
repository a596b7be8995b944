using MemPrims.Records.Format;

namespace MemPrims.Tool.Files;

// A file of mapped records. The file tells the records' size and number, but not their fields: with the .recordlayout of the program that
// wrote it, texts and blocks are checked and values shown.
internal sealed class RecordsFile(string path, string? layoutPath) : StoredFile
{
    public override string Kind => "a file of records";

    public override void Describe(Report report)
    {
        MetaHeader header = Open(out RecordFields? fields);
        report.Add("record id", $"0x{header.RecordId:X8}");
        report.Add("record version", (int)header.RecordVersion);
        report.Add("readable from version", (int)header.ReadableFrom);
        report.Add("record bytes", (int)header.RecordBytes);
        report.Add("fixed bytes", (int)header.FixedBytes);
        report.Add("layout hash", $"0x{header.LayoutHash:X16}");
        if (fields is not null) report.Add("layout", fields.Line);
        using MappedFile<StoredRecord> file = MappedFile<StoredRecord>.OpenRead(path);
        report.Add("records", file.Count);
        report.Add("free records", file.FreeCount);
        report.Add("transaction", file.Transaction);
    }

    public override void Verify(Report report, Action<long, long> progress)
    {
        Open(out RecordFields? fields);
        using MappedFile<StoredRecord> file = MappedFile<StoredRecord>.OpenRead(path);
        // Told on this thread, page by page; Progress<T> would hand it to others.
        file.Verify(new Told(progress));
        report.Add("records checked", file.Count);
        if (fields is null)
            report.Add("not checked", "Where texts and blocks lie within records: give --layout, or call Verify in the program.");
    }

    public override void WriteTo(Dump dump)
    {
        MetaHeader header = Open(out RecordFields? fields);
        using MappedFile<StoredRecord> file = MappedFile<StoredRecord>.OpenRead(path);
        // Each record by itself: a pin for so long would make the file's writer wait.
        for (int id = 0, count = file.Count; id < count && !dump.IsFull; id++)
        {
            if (file.IsFree(id)) continue;
            byte[] record = file.ReadView<StoredRecord.View, byte[]>(id, static view => view.Raw.ToArray());
            if (fields is null) dump.Line(("id", id), ("bytes", Printable.Hex(record)));
            else dump.Line([("id", id), .. fields.Values(record, header.FixedBytes)]);
        }
    }

    public override bool Salvage(string newPath, Report report)
    {
        Open(out _);
        SalvageReport found = MappedFiles.Salvage<StoredRecord>(path, newPath);
        report.Add("records", found.Records);
        report.Add("lost records", found.LostRecords);
        report.Add("lost ids", found.Lost.Select(range => range.ToString()));
        report.Add("stale ids", found.Stale.Select(range => range.ToString()));
        report.Add("meta was whole", found.MetaWasWhole);
        if (found.Lost.Count == 0 && found.Stale.Count == 0) return true;
        report.Add("note", "Records keep their ids. Lost ones have default values in the new file, stale ones perhaps older values.");
        return false;
    }

    private MetaHeader Open(out RecordFields? fields)
    {
        MetaHeader header = RecordHeader.Read(path);
        fields = layoutPath is null ? null : RecordFields.In(layoutPath, header);
        StoredRecord.Layout = RecordHeader.ToLayout(header, fields?.Variables ?? []);
        return header;
    }

    private sealed class Told(Action<long, long> progress) : IProgress<VerifyProgress>
    {
        public void Report(VerifyProgress value) => progress(value.Pages, value.Total);
    }
}

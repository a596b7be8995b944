using System.Buffers.Binary;
using MemPrims.Records;
using MemPrims.Records.Tests;
using static MemPrims.Fuzz.WrongAnswerException;

namespace MemPrims.Fuzz;

/// <summary>
/// A file of records. An input is a list of changes to a sound one: their place in two bytes, their length in one, and what stands there
/// then. The head says which file, whether checksums are made right after the changes, and where the file is cut off. The model is a
/// reader that was written from FORMAT.md.
/// </summary>
internal sealed class RecordTarget : Target
{
    private const int Slot = 4096, Page = 4096, MostRead = 300;

    private readonly byte[][] _files;
    private readonly string _path = Ram.Path("records"), _salvaged = Ram.Path("salvaged");

    public RecordTarget() => _files = [.. ((int[])[0, 3, 300]).Select(Made)];

    public override string Name => "record";

    public override int HeadBytes => 4;

    public override int Rounds => 600;

    public override bool BeginsSettled => true;

    // Flags, one of the files, and where it is cut off in units of 64 bytes: 0 for not at all.
    public override IEnumerable<byte[]> Seeds()
    {
        foreach (byte flags in (byte[])[0, 1, 2, 3])
            foreach (byte file in (byte[])[0, 1, 2])
            {
                yield return [flags, file, 0, 0];
                yield return [flags, file, 0x81, 0];
                yield return [flags, file, 0, 0, .. Change(68, 5), .. Change(48, 4)];
                yield return [flags, file, 0, 0, .. Change(Slot + 80, 16), .. Change(Slot + 128, 0xFF)];
                yield return [flags, file, 0, 0, .. Change(2 * Slot + 26, 7), .. Change(2 * Slot + Page + 8, 9)];
                yield return [flags, file, 0, 0, .. Change(2 * Slot + 32 + 12, 0xFF), .. Change(2 * Slot + Page + 32 + 12, 0xFF)];
            }

        static byte[] Change(int at, byte value) => [(byte)at, (byte)(at >> 8), 1, value];
    }

    private byte[] Made(int records)
    {
        File.Delete(_path);
        using (MappedFile<Visit> file = MappedFile<Visit>.Create(_path, new() { MetaSlotBytes = Slot }))
        {
            using WriteTransaction<Visit> all = file.BeginWrite();
            for (int i = 0; i < records; i++)
            {
                Visit visit = all.Append();
                visit.Count = i;
                visit.Page = "page"u8[..(i % 5)];
                visit.Hash = [(byte)i];
            }
            if (records > 2) all.Free(2);
            all.Commit();
            if (records > 0) file.Update(1, static visit => visit.IsOpen = true);
        }
        byte[] bytes = File.ReadAllBytes(_path);
        // The file's random id would make an input another one in each process.
        for (int slot = 0; slot < 2; slot++) bytes.AsSpan(slot * Slot + 72, 8).Fill(7);
        Seal(bytes, pages: false);
        return bytes;
    }

    public override void Run(ReadOnlySpan<byte> head, GuardedInput input)
    {
        byte[] bytes = [.. _files[head[1] % _files.Length]];
        for (ReadOnlySpan<byte> left = input.Span; left.Length > 3;)
        {
            int at = BinaryPrimitives.ReadUInt16LittleEndian(left), length = Math.Min(left[2], left.Length - 3);
            left.Slice(3, Math.Min(length, Math.Max(0, bytes.Length - at))).CopyTo(bytes.AsSpan(Math.Min(at, bytes.Length)));
            left = left[(3 + length)..];
        }
        if ((head[0] & 1) != 0) Seal(bytes, (head[0] & 2) != 0);
        int end = BinaryPrimitives.ReadUInt16LittleEndian(head[2..]) * 64;
        if (end > 0 && end < bytes.Length) bytes = bytes[..end];
        Read(bytes);
    }

    private void Read(byte[] bytes)
    {
        File.WriteAllBytes(_path, bytes);
        File.Delete(_salvaged);
        bool isSound = false;
        int count = -1;
        Try(() =>
        {
            using MappedFile<Visit> file = MappedFile<Visit>.OpenRead(_path);
            count = file.Count;
            for (int id = 0; id < Math.Min(count, MostRead); id++)
                Try(() => file.Read(id, static visit => visit.Count + visit.Page.Length + visit.Hash.Length + (visit.IsOpen ? 1 : 0)));
            isSound = Try(() => file.Verify());
            // The model takes every write that a meta carries for one that lies within a page.
            bool carries = U32(bytes, 80) != 0 || U32(bytes, Slot + 80) != 0;
            if (isSound && !carries) Check(file, new([.. bytes]));
        });
        Try(() =>
        {
            SalvageReport report = MappedFiles.Salvage<Visit>(_path, _salvaged);
            using MappedFile<Visit> saved = MappedFile<Visit>.OpenRead(_salvaged);
            saved.Verify();
            Unless(saved.Count == report.Records && (!isSound || (report.Records == count && report.LostRecords == 0)),
                $"of {count} records {report} were saved");
        });
        MappedFileException? refused = Refusal(() =>
        {
            using MappedFile<Visit> file = MappedFile<Visit>.Open(_path);
            using WriteTransaction<Visit> change = file.BeginWrite();
            change.Append().Page = "new"u8;
            change.Commit();
        });
        if (!isSound) return;
        // What a later version of the record wrote may be read, and not be written.
        Unless(refused is null or { Reason: MappedFileReason.Newer }, "a sound file cannot be written");
        using MappedFile<Visit> sound = MappedFile<Visit>.OpenRead(_path);
        sound.Verify();
    }

    private static uint U32(byte[] bytes, int at) => BinaryPrimitives.ReadUInt32LittleEndian(bytes.AsSpan(at));

    private static void Check(MappedFile<Visit> file, IndependentReader model)
    {
        Unless(file.Count == model.Records && file.Transaction == (long)model.Transaction,
            $"{model.Records} records of transaction {model.Transaction}, read {file.Count} of {file.Transaction}");
        for (int id = 0; id < file.Count; id++)
        {
            Unless(file.IsFree(id) == model.IsFree(id), $"record {id} is free, or is not");
            if (file.IsFree(id)) continue;
            (long Count, bool IsOpen, byte[] Page, byte[] Hash) read =
                file.Read(id, static visit => (visit.Count, visit.IsOpen, visit.Page.ToArray(), visit.Hash.ToArray()));
            ReadOnlySpan<byte> record = model.Record(id);
            Unless(read.Count == BitConverter.ToInt64(record) && read.IsOpen == (record[12] != 0)
                && model.Variable(id, 8).SequenceEqual(read.Page) && model.Variable(id, 16).SequenceEqual(read.Hash), $"record {id}");
        }
    }

    private static bool Try(Action use) => Refusal(use) is null;

    private static MappedFileException? Refusal(Action use)
    {
        try
        {
            use();
            return null;
        }
        catch (MappedFileException e)
        {
            return e;
        }
    }

    // Makes the checks right: those of the pages and their sum, then those of the metas, as FORMAT.md says.
    private static void Seal(Span<byte> file, bool pages)
    {
        for (int at = 2 * Slot; pages && at + Page <= file.Length; at += Page)
            BinaryPrimitives.WriteUInt32LittleEndian(file[at..],
                Checksum.Crc32C((uint)((at - 2 * Slot) / (2 * Page)), file.Slice(at + 4, Page - 4)));
        for (int slot = 0; slot < 2; slot++)
        {
            Span<byte> meta = file.Slice(slot * Slot, Slot);
            int count = (int)Math.Min(BinaryPrimitives.ReadUInt32LittleEndian(meta[68..]), (Slot - 128) * 8);
            int bitmap = Math.Min((count + 63) / 64 * 8, Slot - 128);
            int writes = (int)Math.Min(BinaryPrimitives.ReadUInt32LittleEndian(meta[80..]), Slot - 128 - bitmap) & ~7;
            ulong sum = 0;
            for (int page = 0; page < count; page++)
            {
                int copy = 2 * Slot + (2 * page + (meta[128 + page / 8] >> page % 8 & 1)) * Page;
                if (copy + 4 <= file.Length) sum += BinaryPrimitives.ReadUInt32LittleEndian(file[copy..]);
            }
            if (pages) BinaryPrimitives.WriteUInt64LittleEndian(meta[56..], sum);
            ulong seal = 0;
            foreach ((int from, int length) in ((int, int)[])[(0, 88), (128, bitmap), (128 + bitmap, writes)])
                for (int at = from; at < from + length; at += 8)
                    seal = ulong.RotateLeft((seal ^ BinaryPrimitives.ReadUInt64LittleEndian(meta[at..])) * 0x9E3779B97F4A7C15, 29);
            BinaryPrimitives.WriteUInt64LittleEndian(meta[88..], seal);
            BinaryPrimitives.WriteUInt32LittleEndian(meta[124..], Checksum.Crc32C(Checksum.Crc32C(meta[..124]), meta.Slice(128, bitmap)));
        }
    }
}

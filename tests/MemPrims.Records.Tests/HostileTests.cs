namespace MemPrims.Records.Tests;

// Files made to hurt, and systems that refuse: an error of the library's own, in little memory and little time.
public class HostileTests
{
    private const long Mebi = 1 << 20, Tebi = 1L << 40;

    [Theory, InlineData(1 * Tebi), InlineData(8 * Tebi)]
    public void A_sparse_file_of_tebibytes_costs_no_memory(long length)
    {
        using TempFolder folder = TempFolder.With("sparse", out string path);
        MappedFileTests.Made(path, 100).Dispose();
        try
        {
            using FileStream file = new(path, FileMode.Open);
            file.SetLength(length);
        }
        catch (Exception e) when (e is IOException or ArgumentOutOfRangeException)
        {
            // The file system has no such length: nobody can make such a file there.
            return;
        }
        // Of this thread: other tests run beside.
        long before = GC.GetAllocatedBytesForCurrentThread();
        using (var file = MappedFile<IndexStats>.Open(path))
        {
            file.Increment(99, IndexStats.Fields.Attempts);
            file.Verify();
        }
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 16 * Mebi);
        using (FileStream file = new(path, FileMode.Open)) file.Write(new byte[8192]);
        SalvageReport report = MappedFiles.Salvage<IndexStats>(path, folder.File("salvaged"));
        Assert.Equal((100, 0, false), (report.Records, report.LostRecords, report.MetaWasWhole));
    }

    [Fact]
    public void Metas_of_random_numbers_under_right_checksums_are_refused_or_read()
    {
        using TempFolder folder = TempFolder.With("made", out string path);
        MappedFileTests.Made(path, 40).Dispose();
        byte[] good = File.ReadAllBytes(path);
        Random random = Seeds.Random();
        ulong[] sharp = [0, 1, 2, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, 1UL << 62, ulong.MaxValue - 1, ulong.MaxValue];
        (int At, int Bytes)[] fields = [(8, 4), (12, 4), (16, 4), (20, 2), (22, 2), (24, 2), (26, 2), (28, 4), (32, 8), (40, 8), (48, 8),
            (56, 8), (64, 4), (68, 4), (80, 4)];
        int refused = 0, read = 0;
        using CrashDisk disk = new();
        for (int i = 0; i < 3000 * Seeds.Scale; i++)
        {
            byte[] bad = [.. good];
            int slot = random.Next(2) * Small.SlotBytes;
            for (int change = random.Next(1, 4); change > 0; change--)
            {
                (int at, int bytes) = fields[random.Next(fields.Length)];
                ulong value = random.Next(3) == 0 ? (ulong)random.NextInt64() : sharp[random.Next(sharp.Length)];
                if (at == 48 && random.Next(2) == 0) value = value & ~1UL | (uint)slot / Small.SlotBytes;
                BitConverter.GetBytes(value).AsSpan(0, bytes).CopyTo(bad.AsSpan(slot + at));
            }
            Seal(bad.AsSpan(slot, Small.SlotBytes));
            bad.AsSpan((random.Next(4) == 0 ? slot : Small.SlotBytes - slot), Small.SlotBytes).Clear();
            disk.Clear();
            disk.Write(0, bad);
            try
            {
                using MappedFile<IndexStats> file = new(new CrashStorage(disk));
                for (int id = 0; id < Math.Min(file.Count, 100); id++) file.Read(id, static s => s.LastError.Length + s.Attempts);
                file.Verify();
                if (file.Count > 0) file.Increment(0, IndexStats.Fields.Attempts);
                Assert.True(file.Transaction > 0);
                read++;
            }
            catch (MappedFileException)
            {
                refused++;
            }
        }
        Assert.True(refused > 500 && read > 10, $"{refused} refused, {read} read");
    }

    [Fact]
    public void A_newer_version_that_names_no_reader_and_a_last_transaction_are_told()
    {
        using TempFolder folder = TempFolder.With("made", out string path);
        MappedFileTests.Made(path, 40).Dispose();
        byte[] good = File.ReadAllBytes(path), newer = [.. good], last = [.. good];
        for (int slot = 0; slot < 2; slot++)
        {
            newer[slot * Small.SlotBytes + 20] = 9;
            newer[slot * Small.SlotBytes + 22] = 0;
            BitConverter.TryWriteBytes(last.AsSpan(slot * Small.SlotBytes + 48), MetaHeader.LastTransaction - (ulong)slot);
            Seal(newer.AsSpan(slot * Small.SlotBytes, Small.SlotBytes));
            Seal(last.AsSpan(slot * Small.SlotBytes, Small.SlotBytes));
        }
        File.WriteAllBytes(path, newer);
        Assert.Equal(MappedFileReason.WrongRecord, Assert.Throws<MappedFileException>(() => MappedFile<IndexStats>.Open(path)).Reason);
        File.WriteAllBytes(path, last);
        using var file = MappedFile<IndexStats>.Open(path);
        Assert.Equal(MappedFileReason.Full,
            Assert.Throws<MappedFileException>(() => file.Increment(0, IndexStats.Fields.Attempts)).Reason);
        Assert.Equal(0, file.Read(0, static s => s.Attempts));
    }

    [Theory, InlineData(Durability.PowerLoss), InlineData(Durability.ProcessCrash)]
    public void A_bit_that_rots_in_an_untouched_line_stays_damage_through_commits(Durability durability)
    {
        using CrashDisk disk = new();
        MappedFile<IndexStats> file = MappedFile<IndexStats>.Create(new CrashStorage(disk),
            new() { Durability = durability, MetaSlotBytes = Small.SlotBytes });
        file.AppendNew(26);
        file.Verify();
        // Found right, and then a bit of record 20 flips; record 0 is in other lines.
        int at = new IndependentReader(disk.View[..(int)disk.Length].ToArray()).PageAt(0) + 32 + 20 * 152;
        disk.View[at] ^= 4;
        for (int commit = 0; commit < 3; commit++) file.Increment(0, IndexStats.Fields.Attempts);
        MappedFile<IndexStats> after = new(new CrashStorage(disk));
        Assert.Equal(MappedFileReason.DamagedPage, Assert.Throws<MappedFileException>(() => after.Verify()).Reason);
    }

    [SkippableFact]
    public void A_file_that_could_not_be_made_is_not_in_the_way_of_the_next_attempt()
    {
        using SmallDisk disk = new("64k");
        string path = disk.File("small");
        File.WriteAllBytes(disk.File("filler"), new byte[40_000]);
        Assert.Equal(MappedFileReason.Full, Assert.Throws<MappedFileException>(() => MappedFile<IndexStats>.Create(path)).Reason);
        Assert.False(File.Exists(path));
        MappedFile<IndexStats>.Create(path, Small.Slots).Dispose();
        using (var file = MappedFile<IndexStats>.OpenOrCreate(path)) Assert.Equal(0, file.Count);
        disk.MakeReadOnly();
        Assert.Equal(MappedFileReason.ReadOnly,
            Assert.Throws<MappedFileException>(() => MappedFile<IndexStats>.Create(disk.File("other"))).Reason);
        Assert.Equal(MappedFileReason.ReadOnly, Assert.Throws<MappedFileException>(() => MappedFile<IndexStats>.Open(path)).Reason);
    }

    private static void Seal(Span<byte> slot)
    {
        int bitmap = (int)Math.Min((BitConverter.ToUInt32(slot[68..]) + 63L) / 64 * 8, slot.Length - 128),
            writes = (int)Math.Min(BitConverter.ToUInt32(slot[80..]), slot.Length - 128 - bitmap);
        if (slot[8] == 2) BitConverter.TryWriteBytes(slot[88..],
            Redo.Seal(Redo.Seal(Redo.Seal(0, slot[..88]), slot.Slice(128, bitmap)), slot.Slice(128 + bitmap, writes)));
        BitConverter.TryWriteBytes(slot[124..],
            IndependentReader.Crc32C(slot.Slice(128, bitmap), IndependentReader.Crc32C(slot[..124], 0)));
    }
}

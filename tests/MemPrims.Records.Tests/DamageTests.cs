namespace MemPrims.Records.Tests;

// Every bit flipped, every length cut, hostile bytes under right checksums: an error of the library's own, or nothing changed at all.
public class DamageTests
{
    private const int Records = 40;

    [Theory, InlineData(true), InlineData(false)]
    public void No_flipped_bit_gives_a_wrong_answer(bool closedCleanly)
    {
        using TempFolder folder = new();
        byte[] good = SmallFile(folder, closedCleanly);
        IndependentReader reader = new(good);
        using CrashDisk disk = new();
        ulong newest = Opened(good), before = newest;
        int newestSlot = (int)(reader.Transaction & 1) * 4096, metaBytes = 128 + 8 + BitConverter.ToInt32(good, newestSlot + 80);
        if (!closedCleanly)
        {
            // Where the newest meta rots, the commit before is all that can be known.
            byte[] older = [.. good];
            older.AsSpan(newestSlot, 4096).Clear();
            Assert.NotEqual(newest, before = Opened(older));
        }
        disk.Clear();
        disk.Write(0, good);
        // What the newest meta carries is put right from there.
        HashSet<int> carried = Carried(good, newestSlot, metaBytes);
        int refused = 0, unchanged = 0, rotten = 0, repaired = 0;
        // Of each byte one bit, or all of them.
        int bits = LongRuns.Of(1, 8);
        for (int flip = 0; flip < good.Length * bits; flip++)
        {
            int at = flip / bits, bit = (at * 5 + flip % bits) & 7;
            disk.View[at] ^= (byte)(1 << bit);
            bool repairs = carried.Contains(at);
            long damaged = repairs ? -1
                : Enumerable.Range(0, reader.Pages).FirstOrDefault(page => at - reader.PageAt(page) is >= 0 and < 4096, -1);
            try
            {
                ulong found = Digest(new(new CrashStorage(disk)));
                // After a clean close the other slot says the same; behind the bitmap nothing is said.
                bool rots = !closedCleanly && at >= newestSlot && at < newestSlot + metaBytes;
                Assert.True(damaged < 0 && found == (rots ? before : newest), $"bit {bit} of byte {at} changed the contents unseen");
                if (repairs) repaired++;
                if (rots) rotten++;
                else unchanged++;
            }
            catch (MappedFileException e)
            {
                Assert.True(damaged >= 0 && (e.Reason, e.Page) == (MappedFileReason.DamagedPage, damaged),
                    $"bit {bit} of byte {at}: {e.Message}");
                refused++;
            }
            disk.View[at] ^= (byte)(1 << bit);
        }
        Assert.Equal((closedCleanly, carried.Count * bits), (carried.Count == 0, repaired));
        Assert.Equal(((reader.Pages * 4096 - carried.Count) * bits, closedCleanly ? 0 : metaBytes * bits), (refused, rotten));
        Assert.Equal(good.Length * bits, refused + rotten + unchanged);

        ulong Opened(byte[] file)
        {
            disk.Clear();
            disk.Write(0, file);
            return Digest(new(new CrashStorage(disk)));
        }
    }

    internal static HashSet<int> Carried(byte[] file, int meta, int metaBytes)
    {
        HashSet<int> places = [];
        for (int at = meta + 128 + 8; at < meta + metaBytes;)
        {
            (int place, int bytes) = ((int)(BitConverter.ToUInt64(file, at) / 256 * 64), file[at] * 64);
            places.UnionWith(Enumerable.Range(place, bytes));
            at += 8 + bytes;
        }
        return places;
    }

    [Fact]
    public void No_truncation_gives_a_wrong_answer()
    {
        using TempFolder folder = new();
        byte[] good = SmallFile(folder, closedCleanly: true);
        IndependentReader reader = new(good);
        string path = Write(folder, good), whole = Contents(path);
        using FileStream file = new(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
        // A writer makes the file longer by whole pages: what is cut off there is garbage, and all is still there.
        Assert.Equal(PageHeader.FileBytes(4096, reader.Pages), good.Length);
        for (int length = good.Length - 1; length >= 0; length--)
        {
            file.SetLength(length);
            MappedFileException e = Assert.Throws<MappedFileException>(() => MappedFile<IndexStats>.OpenRead(path));
            Assert.Equal(length < 8 ? MappedFileReason.NotThisFormat : MappedFileReason.Truncated, e.Reason);
            // Regions are unmapped by the garbage collector, and the system allows a process so many.
            if (length % 4096 == 0) GC.Collect();
        }
        File.WriteAllBytes(path, [.. good, .. new byte[5000]]);
        Assert.Equal(whole, Contents(path));
    }

    [Fact]
    public void Hostile_bytes_under_a_right_checksum_are_a_damaged_record()
    {
        using TempFolder folder = new();
        byte[] good = SmallFile(folder, closedCleanly: true);
        IndependentReader reader = new(good);
        int descriptor = reader.PageAt(0) + 32 + 12;
        foreach (uint hostile in (ReadOnlySpan<uint>)[0xFFFF_FFFF, 0x0000_FFFF | 1 << 16, 0xFFFF_0000, 129 << 16, 0x0001_0000 | 128,
            0x8000_8000])
        {
            byte[] bad = [.. good];
            BitConverter.TryWriteBytes(bad.AsSpan(descriptor), hostile);
            Reseal(bad, reader);
            using var file = MappedFile<IndexStats>.Open(Write(folder, bad));
            foreach (Action read in (Action[])[() => file.Read(0, static s => s.LastError.Length), () => file.Verify()])
            {
                MappedFileException e = Assert.Throws<MappedFileException>(read);
                Assert.Equal((MappedFileReason.DamagedRecord, 0), (e.Reason, e.Page));
                Assert.Contains("Record 0 ", e.Message);
            }
            using (var tx = file.BeginWrite()) Assert.Equal(MappedFileReason.DamagedRecord,
                Assert.Throws<MappedFileException>(() => tx[0].LastError.Length).Reason);
            Assert.Equal(3, file.Read(0, static s => s.Attempts));
            Assert.Equal("error 1", file.Read(1, static s => System.Text.Encoding.UTF8.GetString(s.LastError)));
        }
    }

    [Theory, InlineData(0), InlineData(0xFF)]
    public void A_page_that_the_disk_lost_is_no_page_of_empty_records(byte left)
    {
        using TempFolder folder = new();
        byte[] bad = SmallFile(folder, closedCleanly: true);
        bad.AsSpan(new IndependentReader([.. bad]).PageAt(0), 4096).Fill(left);
        using var file = MappedFile<IndexStats>.Open(Write(folder, bad));
        using var snapshot = file.Pin();
        using var tx = file.BeginWrite();
        foreach (Action read in (Action[])[() => file.Read(0, static s => s.Attempts), () => snapshot.View(0), () =>
            { foreach (var s in snapshot) _ = s.Attempts; }, () => _ = tx[0]])
            Assert.Equal((MappedFileReason.DamagedPage, 0),
                (Assert.Throws<MappedFileException>(read) is var e ? e.Reason : default, e.Page));
    }

    [Theory, InlineData(4, 4, 1UL, "Another page"), InlineData(8, 8, 1UL << 40, "newer than the meta")]
    [InlineData(8, 8, 0UL, "contradicts"), InlineData(16, 4, 0x1D58UL, "contradicts"), InlineData(22, 2, 160UL, "contradicts")]
    [InlineData(24, 2, 8UL, "contradicts"), InlineData(26, 2, 27UL, "contradicts")]
    public void A_page_that_does_not_belong_there_is_damaged_under_a_right_checksum(int at, int bytes, ulong value, string said)
    {
        using TempFolder folder = new();
        byte[] bad = SmallFile(folder, closedCleanly: true);
        IndependentReader reader = new([.. bad]);
        BitConverter.GetBytes(value).AsSpan(0, bytes).CopyTo(bad.AsSpan(reader.PageAt(0) + at));
        Reseal(bad, reader);
        using var file = MappedFile<IndexStats>.OpenRead(Write(folder, bad));
        foreach (Action read in (Action[])[() => file.Read(0, static s => s.Attempts), () => file.Verify(), () =>
            { using var pin = file.Pin(); pin.View(0); }])
        {
            MappedFileException e = Assert.Throws<MappedFileException>(read);
            Assert.Equal((MappedFileReason.DamagedPage, 0), (e.Reason, e.Page));
            Assert.Contains(said, e.Message);
        }
        Assert.Equal(3, file.Read(Records - 1, static s => s.Attempts));
    }

    [Theory, InlineData(0, 21, "longer than its maximum"), InlineData(1, 2, "not UTF-8")]
    public void A_text_that_no_setter_takes_is_found_by_verify_and_not_rewritten(int from, int length, string said)
    {
        using TempFolder folder = TempFolder.With("all", out string path);
        using (var file = MappedFile<Everything>.Create(path, Small.Slots))
        {
            using var tx = file.BeginWrite();
            Everything e = tx.Append();
            e.Name = "größte"u8;
            e.Note = "abc"u8;
            tx.Commit();
        }
        byte[] bad = File.ReadAllBytes(path);
        IndependentReader reader = new([.. bad]);
        // The name, of 20 bytes at most in a tail of 41: too many of them, or from the middle of a letter on.
        BitConverter.GetBytes((from == 0 ? 0 : 3) | length << 16).CopyTo(bad.AsSpan(reader.PageAt(0) + 32 + 96));
        Reseal(bad, reader);
        File.WriteAllBytes(path, bad);
        using var hostile = MappedFile<Everything>.Open(path);
        MappedFileException told = Assert.Throws<MappedFileException>(() => hostile.Verify());
        Assert.Equal((MappedFileReason.DamagedRecord, 0), (told.Reason, told.Page));
        Assert.Contains($"Name of record 0 is {said}: set it anew", told.Message);
        using (var change = hostile.BeginWrite())
        {
            if (from == 0)
                Assert.Equal(MappedFileReason.DamagedRecord,
                    Assert.Throws<MappedFileException>(() => { Everything e = change[0]; e.Note = "abcd"u8; }).Reason);
            // As the errors advise.
            Everything again = change[0];
            again.Name = "größte"u8;
            again.Note = "abcd"u8;
            change.Commit();
        }
        hostile.Verify();
    }

    [Fact]
    public void A_meta_in_the_other_ones_slot_is_none()
    {
        using TempFolder folder = new();
        byte[] good = SmallFile(folder, closedCleanly: false), bad = [.. good];
        int newest = (int)(new IndependentReader(good).Transaction & 1) * 4096, other = 4096 - newest;
        string whole = Contents(Write(folder, good));
        good.AsSpan(newest, 4096).CopyTo(bad.AsSpan(other));
        Assert.Equal(whole, Contents(Write(folder, bad)));
        bad.AsSpan(newest, 4096).Clear();
        MappedFileException e = Assert.Throws<MappedFileException>(() => Contents(Write(folder, bad)));
        Assert.Equal(MappedFileReason.DamagedMeta, e.Reason);
        Assert.Contains("does not belong into slot", e.Message);
    }

    [Fact]
    public void A_hostile_date_or_boolean_is_a_damaged_record_and_not_a_strange_value()
    {
        using TempFolder folder = TempFolder.With("all", out string path);
        using (var file = MappedFile<Everything>.Create(path, Small.Slots)) file.AppendNew();
        byte[] bad = File.ReadAllBytes(path);
        IndependentReader reader = new(bad);
        bad.AsSpan(reader.PageAt(0) + 32, reader.FixedBytes).Fill(0x7F);
        Reseal(bad, reader);
        File.WriteAllBytes(path, bad);
        using var hostile = MappedFile<Everything>.OpenRead(path);
        Assert.True(hostile.Read(0, static e => e.Flag));
        Assert.Equal(MappedFileReason.DamagedRecord,
            Assert.Throws<MappedFileException>(() => hostile.Read(0, static e => e.Changed)).Reason);
        Assert.Equal(MappedFileReason.DamagedRecord,
            Assert.Throws<MappedFileException>(() => hostile.Read(0, static e => e.Flags.Length)).Reason);
        Assert.Equal(MappedFileReason.DamagedRecord,
            Assert.Throws<MappedFileException>(() => hostile.Read(0, static e => e.Dates.Length)).Reason);
        Assert.Equal(MappedFileReason.DamagedRecord,
            Assert.Throws<MappedFileException>(() => hostile.Read(0, static e => e.Name.Length)).Reason);
    }

    [Fact]
    public void A_page_in_another_pages_place_and_a_dropped_write_are_seen()
    {
        using TempFolder folder = new();
        byte[] good = SmallFile(folder, closedCleanly: true);
        IndependentReader reader = new(good);
        Assert.True(reader.Pages >= 2);
        byte[] misplaced = [.. good];
        good.AsSpan(reader.PageAt(1), 4096).CopyTo(misplaced.AsSpan(reader.PageAt(0)));
        MappedFileException e = Assert.Throws<MappedFileException>(() => Contents(Write(folder, misplaced)));
        Assert.Equal((MappedFileReason.DamagedPage, 0), (e.Reason, e.Page));

        // The older copy of the page, whole in every way, where the newest should be: only the sum tells.
        byte[] dropped = [.. good];
        int other = reader.PageAt(0) + (reader.IsActiveB(0) ? -4096 : 4096);
        good.AsSpan(other, 4096).CopyTo(dropped.AsSpan(reader.PageAt(0)));
        Assert.Contains("sum", Assert.Throws<MappedFileException>(() => Contents(Write(folder, dropped))).Message);
    }

    [Fact]
    public void Foreign_and_unsuitable_files_are_named()
    {
        using TempFolder folder = new();
        byte[] good = SmallFile(folder, closedCleanly: true);
        Assert.Equal(MappedFileReason.NotThisFormat, Reason<IndexStats>(Write(folder, new byte[20000])));
        Assert.Equal(MappedFileReason.NotThisFormat, Reason<IndexStats>(Write(folder, [])));
        Assert.Equal(MappedFileReason.WrongRecord, Reason<Everything>(Write(folder, good)));
        byte[] newerFormat = [.. good];
        newerFormat[8] = newerFormat[4096 + 8] = 3;
        Assert.Equal(MappedFileReason.Newer, Reason<IndexStats>(Write(folder, newerFormat)));
        Assert.Throws<FileNotFoundException>(() => MappedFile<IndexStats>.Open(folder.File("none")));
        Assert.Throws<IOException>(() => MappedFile<IndexStats>.Create(Write(folder, good)));
    }

    // Computes the checksums anew, as an attacker would: of the pages, their sum, and both metas.
    internal static void Reseal(byte[] file, IndependentReader reader)
    {
        ulong sum = 0;
        for (int page = 0; page < reader.Pages; page++)
        {
            Span<byte> bytes = file.AsSpan(reader.PageAt(page), 4096);
            uint crc = IndependentReader.Crc32C(bytes[4..], (uint)page);
            BitConverter.TryWriteBytes(bytes, crc);
            sum += crc;
        }
        for (int slot = 0; slot < 2; slot++)
        {
            Span<byte> meta = file.AsSpan(slot * reader.SlotBytes, reader.SlotBytes);
            BitConverter.TryWriteBytes(meta[56..], sum);
            int bitmap = (reader.Pages + 63) / 64 * 8;
            // The writes that the metas carry are of before.
            meta.Slice(80, 4).Clear();
            ulong seal = 0;
            foreach (int at in Enumerable.Range(0, (88 + bitmap) / 8).Select(word => word < 11 ? word * 8 : 128 + (word - 11) * 8))
                seal = ulong.RotateLeft((seal ^ BitConverter.ToUInt64(meta[at..])) * 0x9E3779B97F4A7C15, 29);
            BitConverter.TryWriteBytes(meta[88..], seal);
            BitConverter.TryWriteBytes(meta[124..],
                IndependentReader.Crc32C(meta.Slice(128, bitmap), IndependentReader.Crc32C(meta[..124], 0)));
        }
    }

    internal static byte[] SmallFile(TempFolder folder, bool closedCleanly)
    {
        string path = folder.File("made");
        var file = MappedFile<IndexStats>.Create(path, Small.Slots);
        for (int commit = 0; commit < 3; commit++)
        {
            using var tx = file.BeginWrite();
            for (int i = 0; i < Records; i++)
            {
                IndexStats s = commit == 0 ? tx.Append() : tx[i];
                s.Attempts++;
                s.LastEtag = i;
                s.LastError = System.Text.Encoding.UTF8.GetBytes($"error {i}");
            }
            tx.Commit();
        }
        if (closedCleanly) file.Dispose();
        byte[] bytes = File.ReadAllBytes(path);
        file.Dispose();
        File.Delete(path);
        // Without the room that the writer made for more pages.
        return bytes[..(int)PageHeader.FileBytes(4096, new IndependentReader(bytes).Pages)];
    }

    // All that can be read, as a number: half a million files are looked at.
    private static ulong Digest(MappedFile<IndexStats> file)
    {
        using (file)
        {
            ulong digest = (ulong)file.Count;
            for (int i = 0; i < file.Count; i++)
                digest = file.Read(i, digest, static (s, before) =>
                    ((before * 31 + (ulong)s.LastEtag) * 31 + (ulong)s.Attempts) * 31
                        + Checksum.Crc32C(s.LastError) + (ulong)s.ReduceAttempts);
            // At last, for a read must see by itself what is wrong with its page.
            file.Verify();
            return digest;
        }
    }

    private static string Contents(string path)
    {
        using var file = MappedFile<IndexStats>.OpenRead(path);
        file.Verify();
        return string.Join(";",
            Enumerable.Range(0, file.Count).Select(i =>
            file.Read(i, static s => $"{s.LastEtag} {s.Attempts} {System.Text.Encoding.UTF8.GetString(s.LastError)} {s.ReduceAttempts}")));
    }

    private static MappedFileReason Reason<T>(string path) where T : IMappedRecord<T>, allows ref struct =>
        Assert.Throws<MappedFileException>(() => MappedFile<T>.Open(path)).Reason;

    private static string Write(TempFolder folder, ReadOnlySpan<byte> bytes)
    {
        string path = folder.File($"{Guid.NewGuid():N}");
        File.WriteAllBytes(path, bytes);
        return path;
    }
}

using System.Text;

namespace MemPrims.Records.Tests;

// Programs of one version of a record and files of another.
public partial class EvolutionTests
{
    [Fact]
    public void An_older_file_is_read_with_defaults_and_written_only_after_its_upgrade()
    {
        using TempFolder folder = new();
        string path = OldFile(folder);
        using (var file = MappedFile<Everything>.Open(path))
        {
            file.Verify();
            Assert.Equal(500, file.Count);
            CheckOld(file);
            Assert.True(file.Read(7, static e => e.Note.IsEmpty && e.U128 == 0 && e.Dates.SequenceEqual([default, default])
                && e.Phases.SequenceEqual([Phase.New, Phase.New])));
            Assert.Equal(MappedFileReason.Older, Assert.Throws<MappedFileException>(file.BeginWrite).Reason);
        }
        using var before = MappedFile<Everything>.OpenRead(path);
        MappedFiles.Upgrade<Everything>(path);
        using var upgraded = MappedFile<Everything>.Open(path);
        upgraded.Verify();
        CheckOld(upgraded);
        Assert.True(upgraded.Read(7, static e => e.Note.IsEmpty && e.U128 == 0));
        using (var tx = upgraded.BeginWrite())
        {
            Everything e = tx[7];
            e.Note = "new field"u8;
            e.U128 = 5;
            tx.Commit();
        }
        CheckOld(upgraded);
        Assert.Equal("new field", upgraded.Read(7, static e => Encoding.UTF8.GetString(e.Note)));
        // Who had the old file open goes on with it.
        CheckOld(before);
        Assert.Equal(["all"], Directory.GetFiles(folder.Path).Select(Path.GetFileName));
        MappedFiles.Upgrade<Everything>(path);
    }

    [Fact]
    public void A_field_that_an_older_record_lacks_is_not_read_out_of_its_tail()
    {
        using TempFolder folder = TempFolder.With("tails", out string path);
        using (var file = MappedFile<Versions.Tail>.Create(path))
        {
            using var tx = file.BeginWrite();
            Versions.Tail r = tx.Append();
            // Where the newer record's fields would be.
            r.Text = "all of these are bytes of a text"u8;
            tx.Commit();
        }
        using var newer = MappedFile<Versions.TailWithMore>.OpenRead(path);
        Assert.True(newer.Read(0, static r => r.Text.SequenceEqual("all of these are bytes of a text"u8) && r.Small == 0
            && r.Array.SequenceEqual((ReadOnlySpan<short>)[0, 0]) && r.Large == 0 && r.Other.IsEmpty));
    }

    [Fact]
    public void An_upgrade_carries_over_permissions_and_no_damage()
    {
        using TempFolder folder = new();
        string path = OldFile(folder);
        byte[] good = File.ReadAllBytes(path), bad = [.. good];
        IndependentReader reader = new(good);
        bad.AsSpan(reader.PageAt(1) + 32 + 96, 4).Fill(0xFF);
        DamageTests.Reseal(bad, reader);
        File.WriteAllBytes(path, bad);
        Assert.Equal(MappedFileReason.DamagedRecord,
            Assert.Throws<MappedFileException>(() => MappedFiles.Upgrade<Everything>(path)).Reason);
        Assert.Equal(["all"], Directory.GetFiles(folder.Path).Select(Path.GetFileName));
        Assert.Equal(bad, File.ReadAllBytes(path));
        File.WriteAllBytes(path, good);
        if (!OperatingSystem.IsWindows()) File.SetUnixFileMode(path,
            UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead);
        MappedFiles.Upgrade<Everything>(path);
        if (!OperatingSystem.IsWindows()) Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead,
            File.GetUnixFileMode(path));
    }

    [Fact]
    public void Layouts_whose_old_tail_is_padding_are_upgraded_and_a_link_stays_one()
    {
        using TempFolder folder = TempFolder.With("small", out string path);
        string link = folder.File("link");
        using (var file = MappedFile<Versions.SmallOld>.Create(path))
        {
            using var tx = file.BeginWrite();
            for (int i = 0; i < 1000; i++)
            {
                Versions.SmallOld r = tx.Append();
                r.Value = i;
            }
            tx.Commit();
        }
        File.CreateSymbolicLink(link, path);
        MappedFiles.Upgrade<Versions.SmallNew>(link);
        Assert.Equal(path, File.ResolveLinkTarget(link, returnFinalTarget: true)?.FullName);
        using var upgraded = MappedFile<Versions.SmallNew>.Open(path);
        upgraded.Verify();
        Assert.Equal(1, upgraded.Increment(999, Versions.SmallNew.Fields.More));
        Assert.Equal((999, 1), upgraded.Read(999, static r => (r.Value, r.More)));
    }

    [Fact]
    public void A_newer_file_is_read_where_it_allows_that_and_never_written()
    {
        using TempFolder folder = TempFolder.With("new", out string path);
        using (var file = MappedFile<Everything>.Create(path))
        {
            using var tx = file.BeginWrite();
            Everything e = tx.Append();
            (e.I64, e.Flag) = (12, true);
            e.Name = "name"u8;
            e.Note = "unseen"u8;
            tx.Commit();
        }
        using (var file = MappedFile<Before.Everything>.Open(path))
        {
            Assert.Equal("12 True name", file.Read(0, static e => $"{e.I64} {e.Flag} {Encoding.UTF8.GetString(e.Name)}"));
            Assert.Equal(MappedFileReason.Newer, Assert.Throws<MappedFileException>(file.BeginWrite).Reason);
        }
        string closed = folder.File("closed");
        MappedFile<Versions.Second>.Create(closed).Dispose();
        MappedFileException newer = Assert.Throws<MappedFileException>(() => MappedFile<Versions.First>.Open(closed));
        Assert.Equal(MappedFileReason.Newer, newer.Reason);
        Assert.Contains("use a program with that version", newer.Message);
        MappedFileException changed = Assert.Throws<MappedFileException>(() => MappedFile<Versions.Changed>.Open(closed));
        Assert.Equal(MappedFileReason.WrongRecord, changed.Reason);
        Assert.Contains("declare them as they were", changed.Message);
    }

    // Its numbers are those of the declaration, so they are written as there.
    [Fact]
    public void Other_records_are_told_with_the_ids_of_both_declarations()
    {
        using TempFolder folder = new();
        string path = folder.File("other");
        MappedFile<Everything>.Create(path).Dispose();
        MappedFileException e = Assert.Throws<MappedFileException>(() => MappedFile<Versions.First>.Open(path));
        Assert.Equal(MappedFileReason.WrongRecord, e.Reason);
        Assert.Contains("open it as the type whose id was found", e.Message);
        Assert.Contains($"expected 0x{e.Expected:x}, found 0x{e.Actual:x}", e.Message);
    }

    [Fact]
    public void Files_kept_from_earlier_formats_are_opened_for_good()
    {
        string[] files = Directory.GetFiles(Path.Combine(AppContext.BaseDirectory, "Kept"));
        Assert.Equal(["format-2.bin"], files.Select(Path.GetFileName).Order());
        foreach (string old in files)
        {
            using var file = MappedFile<IndexStats>.OpenRead(old);
            file.Verify();
            Assert.Equal(25, file.Count);
            for (int i = 0; i < 25; i++)
                Assert.Equal($"{i * 1000003L} {i - 7} error {i} {(i == 3 ? -9 : 0)}",
                    file.Read(i, static s => $"{s.LastEtag} {s.Attempts} {Encoding.UTF8.GetString(s.LastError)} {s.ReduceAttempts}"));
        }
        // The library writes what it wrote then, but for the file's random id.
        string kept = files.Single(name => name.EndsWith("format-2.bin", StringComparison.Ordinal));
        using TempFolder folder = new();
        Keep([folder.File("made")]);
        byte[] now = File.ReadAllBytes(folder.File("made")), then = File.ReadAllBytes(kept);
        foreach (byte[] bytes in (byte[][])[now, then])
        {
            foreach (int slot in (int[])[0, 4096])
            {
                bytes.AsSpan(slot + 72, 8).Clear();
                bytes.AsSpan(slot + 88, 8).Clear();
                bytes.AsSpan(slot + 124, 4).Clear();
            }
        }
        Assert.Equal(then, now[..then.Length]);
    }

    // Made the kept file, cut off behind its last page; makes the next format's.
    private static void Keep(string[] arguments)
    {
        using (var made = MappedFile<IndexStats>.Create(arguments[0], Small.Slots))
        {
            using (var tx = made.BeginWrite())
            {
                for (int i = 0; i < 25; i++)
                {
                    IndexStats s = tx.Append();
                    (s.LastEtag, s.Attempts) = (i * 1000003L, i - 7);
                    s.LastError = Encoding.UTF8.GetBytes($"error {i}");
                }
                tx.Commit();
            }
            made.Increment(3, IndexStats.Fields.ReduceAttempts, -9);
        }
    }

    private static string OldFile(TempFolder folder)
    {
        string path = folder.File("all");
        using var file = MappedFile<Before.Everything>.Create(path, Small.Slots);
        using var tx = file.BeginWrite();
        for (int i = 0; i < 500; i++)
        {
            Before.Everything e = tx.Append();
            e.I64 = i;
            e.Name = Encoding.UTF8.GetBytes($"name {i}");
            e.Blob = [(byte)i, 1];
            e.Flags[2] = true;
        }
        tx.Commit();
        return path;
    }

    private static void CheckOld(MappedFile<Everything> file)
    {
        for (int i = 0; i < 500; i++)
            Assert.Equal($"{i} name {i} {(byte)i} True",
                file.Read(i, static e => $"{e.I64} {Encoding.UTF8.GetString(e.Name)} {e.Blob[0]} {e.Flags[2]}"));
    }

    internal static partial class Versions
    {
        [MappedRecord(0x7A11)]
        public readonly ref partial struct Tail
        {
            [Field(0)] public partial long Value { get; set; }
            [Utf8(1, Max = 40)] public partial ReadOnlySpan<byte> Text { get; set; }
        }

        [MappedRecord(0x7A11, Version = 2)]
        public readonly ref partial struct TailWithMore
        {
            [Field(0)] public partial long Value { get; set; }
            [Utf8(1, Max = 40)] public partial ReadOnlySpan<byte> Text { get; set; }
            [Field(2, Since = 2)] public partial int Small { get; set; }
            [Field(3, Length = 2, Since = 2)] public partial Span<short> Array { get; }
            [Field(4, Since = 2)] public partial long Large { get; set; }
            [Utf8(5, Max = 4, Since = 2)] public partial ReadOnlySpan<byte> Other { get; set; }
        }

        [MappedRecord(0x5A11)]
        public readonly ref partial struct SmallOld
        {
            [Field(0)] public partial int Value { get; set; }
        }

        [MappedRecord(0x5A11, Version = 2)]
        public readonly ref partial struct SmallNew
        {
            [Field(0)] public partial int Value { get; set; }
            [Field(1, Since = 2)] public partial int More { get; set; }
        }

        [MappedRecord(0x5EC0)]
        public readonly ref partial struct First
        {
            [Field(0)] public partial long Value { get; set; }
        }

        [MappedRecord(0x5EC0, Version = 2)]
        public readonly ref partial struct Second
        {
            [Field(0)] public partial long Value { get; set; }
            [Field(1, Since = 2)] public partial int More { get; set; }
        }

        [MappedRecord(0x5EC0, Version = 2)]
        public readonly ref partial struct Changed
        {
            [Field(0)] public partial long Value { get; set; }
            [Field(1, Since = 2)] public partial uint More { get; set; }
        }
    }
}

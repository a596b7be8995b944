using System.Text;

namespace MemPrims.Records.Tests;

// What is whole comes out of a damaged file under its id, and what was lost is listed.
public class SalvageTests
{
    private const int Records = 100, PerPage = 4064 / 152;

    [Fact]
    public void A_whole_file_is_salvaged_whole()
    {
        using TempFolder folder = new();
        SalvageReport report = Salvage(folder, File.ReadAllBytes(Made(folder)), out var file);
        using (file) CheckAll(file, _ => true, _ => 1);
        Assert.Equal((Records, 0, 0, true), (report.Records, report.LostRecords, report.Stale.Count, report.MetaWasWhole));
    }

    [Fact]
    public void Without_any_meta_the_newest_whole_copies_are_taken_and_called_doubtful()
    {
        using TempFolder folder = new();
        byte[] bytes = File.ReadAllBytes(Made(folder));
        bytes.AsSpan(0, 8192).Fill(0xEE);
        SalvageReport report = Salvage(folder, bytes, out var file);
        using (file) CheckAll(file, _ => true, _ => 1);
        Assert.Equal((Records, 0, false), (report.Records, report.LostRecords, report.MetaWasWhole));
        Assert.Equal(Records, report.Stale.Sum(r => r.Count));
    }

    [Fact]
    public void A_page_with_one_whole_copy_is_stale_and_with_none_is_lost()
    {
        using TempFolder folder = new();
        byte[] bytes = File.ReadAllBytes(Made(folder));
        IndependentReader reader = new([.. bytes]);
        bytes[reader.PageAt(0) + 100] ^= 1;
        bytes[8192 + 1 * 8192 + 500] ^= 1;
        bytes[8192 + 1 * 8192 + 4096 + 500] ^= 1;
        SalvageReport report = Salvage(folder, bytes, out var file);
        using (file) CheckAll(file, i => i / PerPage != 1, i => i / PerPage == 0 ? 0 : 1);
        Assert.Equal([(PerPage, PerPage)], report.Lost.Select(r => (r.First, r.Count)));
        Assert.Equal([(0, PerPage)], report.Stale.Select(r => (r.First, r.Count)));
    }

    [Fact]
    public void A_cut_off_file_gives_its_first_records()
    {
        using TempFolder folder = new();
        byte[] bytes = File.ReadAllBytes(Made(folder));
        SalvageReport report = Salvage(folder, bytes[..(8192 + 2 * 8192)], out var file);
        using (file) CheckAll(file, i => i / PerPage < 2, _ => 1);
        Assert.Equal((Records, Records - 2 * PerPage), (report.Records, report.LostRecords));
        Assert.True(report.MetaWasWhole);
    }

    [Fact]
    public void A_record_with_a_hostile_descriptor_is_lost_alone()
    {
        using TempFolder folder = new();
        byte[] bytes = File.ReadAllBytes(Made(folder));
        IndependentReader reader = new([.. bytes]);
        bytes.AsSpan(reader.PageAt(0) + 32 + 2 * 152 + 12, 4).Fill(0xFF);
        DamageTests.Reseal(bytes, reader);
        SalvageReport report = Salvage(folder, bytes, out var file);
        using (file) CheckAll(file, i => i != 2, _ => 1);
        Assert.Equal([(2, 1)], report.Lost.Select(r => (r.First, r.Count)));
    }

    [Theory, InlineData(0, 0, true), InlineData(0, 24, true), InlineData(23, 1, true), InlineData(0, 25, false), InlineData(24, 1, false)]
    [InlineData(25, 0, false), InlineData(0xFFFF, 0xFFFF, false)]
    public void A_record_is_copied_into_a_larger_one_whole_or_not_at_all(int from, int length, bool isWhole)
    {
        // Of the first version, which ends with the descriptor of the text, and with a tail of 24 bytes.
        const int fixedBytes = 16, descriptor = 12;
        byte[] old = [.. Enumerable.Range(1, 40).Select(static i => (byte)i)], made = new byte[IndexStats.Layout.RecordBytes];
        BitConverter.TryWriteBytes(old.AsSpan(descriptor), from | length << 16);
        Assert.Equal(isWhole, IndexStats.Layout.TryCopy(old, fixedBytes, made));
        byte[] expected = new byte[made.Length];
        if (isWhole)
        {
            old.AsSpan(0, fixedBytes).CopyTo(expected);
            old.AsSpan(fixedBytes, from + length).CopyTo(expected.AsSpan(IndexStats.Layout.FixedBytes));
        }
        Assert.Equal(expected, made);
    }

    [Fact]
    public void Another_records_file_is_refused()
    {
        using TempFolder folder = new();
        string path = Made(folder);
        Assert.Equal(MappedFileReason.WrongRecord,
            Assert.Throws<MappedFileException>(() => MappedFiles.Salvage<Everything>(path, folder.File("x"))).Reason);
    }

    // Each page has two whole copies: Attempts is 0 in the older, 1 in the newer.
    private static string Made(TempFolder folder)
    {
        string path = folder.File("made");
        using var file = MappedFileTests.Made(path, Records);
        using var tx = file.BeginWrite();
        for (int i = 0; i < Records; i++)
        {
            IndexStats s = tx[i];
            s.Attempts = 1;
        }
        tx.Commit();
        return path;
    }

    private static SalvageReport Salvage(TempFolder folder, byte[] damaged, out MappedFile<IndexStats> file)
    {
        File.WriteAllBytes(folder.File("damaged"), damaged);
        SalvageReport report = MappedFiles.Salvage<IndexStats>(folder.File("damaged"), folder.File("new"));
        file = MappedFile<IndexStats>.Open(folder.File("new"));
        file.Verify();
        return report;
    }

    private static void CheckAll(MappedFile<IndexStats> file, Func<int, bool> kept, Func<int, int> attempts)
    {
        Assert.Equal(Records, file.Count);
        for (int i = 0; i < Records; i++)
        {
            string expected = kept(i) ? $"{i} error {i} {attempts(i)}" : "0  0";
            Assert.Equal(expected, file.Read(i, static s => $"{s.LastEtag} {Encoding.UTF8.GetString(s.LastError)} {s.Attempts}"));
        }
    }
}

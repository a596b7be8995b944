using System.ComponentModel;
using System.Diagnostics;
using System.Globalization;
using MemPrims.Records.Tests.Log;

namespace MemPrims.Records.Tests;

// The two readers in Python that lie beside FORMAT.md and LOG-FORMAT.md and follow from these pages alone: what a stranger can do with the
// files.
public class ReaderScriptTests
{
    [Theory, InlineData("read_log.py"), InlineData("read_records.py")]
    public void A_reader_is_a_page_long(string script) =>
        Assert.InRange(Repository.Read("src/MemPrims.Records/" + script).Split('\n').Length, 20, 61);

    [SkippableFact]
    public void A_log_is_read_with_its_payloads_and_damage_is_refused()
    {
        using TempFolder folder = new();
        LogFormatTests.Fill(folder, out List<long> places);
        List<(long First, byte[] Bytes)> files = LogFileTests.Files(folder);
        string[] payloads = [.. places.Select((place, i) => $"{place} {Hex(LogFileTests.Payload(i))}".TrimEnd())];
        (string[] lines, string? refusal) = Run("read_log.py", folder.Path);
        Assert.Null(refusal);
        Assert.Equal([.. payloads, $"end {LogModel.Recover(files).End}"], lines.Select(line => line.TrimEnd()));
        // A header of a file, of a frame, a payload, and the place of a frame.
        foreach (int at in (int[])[0, 20, 66, 72, 64 + 32])
        {
            byte[] bytes = [.. files[1].Bytes];
            bytes[at] ^= 4;
            File.WriteAllBytes(folder.File($"{files[1].First:D19}.log"), bytes);
            (lines, refusal) = Run("read_log.py", folder.Path);
            Assert.Contains("damaged", refusal);
            Assert.Equal(payloads[..lines.Length], lines.Select(line => line.TrimEnd()));
        }
        File.WriteAllBytes(folder.File($"{files[1].First:D19}.log"), files[1].Bytes);
        Assert.Null(Run("read_log.py", folder.Path).Refusal);
        // The last one, and one in the middle.
        foreach (int file in (int[])[files.Count - 1, 1])
        {
            File.Delete(folder.File($"{files[file].First:D19}.log"));
            Assert.Contains("damaged", Run("read_log.py", folder.Path).Refusal);
        }
    }

    [SkippableFact]
    public void The_unsynced_end_of_a_log_is_no_damage()
    {
        using TempFolder folder = new();
        using (LogFile log = LogFile.Create(folder.Path)) log.Append("kept"u8);
        string path = folder.File($"{0:D19}.log");
        byte[] bytes = File.ReadAllBytes(path);
        // A close writes no zeros ahead.
        Assert.Equal(168, bytes.Length);
        // In the place of its mark: a frame that tells of nothing synced, and is torn.
        byte[] torn = LogModel.Frame(bytes[8..16], 136, 0, "lost"u8.ToArray());
        torn[33] ^= 1;
        File.WriteAllBytes(path, [.. bytes[..136], .. torn]);
        (string[] lines, string? refusal) = Run("read_log.py", folder.Path);
        Assert.Null(refusal);
        Assert.Equal([$"64 {Hex("kept"u8)}", "end 136"], lines);
    }

    [SkippableFact]
    public void Records_are_read_with_their_bytes_also_out_of_the_meta_slot()
    {
        using TempFolder folder = new();
        foreach (bool closed in (bool[])[true, false])
        {
            byte[] file = DamageTests.SmallFile(folder, closed);
            IndependentReader reader = new([.. file]);
            int slot = (int)(reader.Transaction & 1) * Small.SlotBytes, carried = 128 + 8 + BitConverter.ToInt32(file, slot + 80);
            HashSet<int> lost = DamageTests.Carried(file, slot, carried);
            Assert.Equal(closed, lost.Count == 0);
            foreach (int at in lost) file[at] = 0xEE;
            File.WriteAllBytes(folder.File("file"), file);
            (string[] lines, string? refusal) = Run("read_records.py", folder.File("file"));
            Assert.Null(refusal);
            Assert.Equal(Enumerable.Range(0, reader.Records).Select(id => $"{id} {Hex(reader.Record(id))}"), lines);
            if (closed) continue;
            // Rotten writes, which only the seal sees: the state is that of the commit before.
            byte[] rotten = DamageTests.SmallFile(folder, closed);
            rotten[slot + carried - 1] ^= 1;
            IndependentReader before = new([.. rotten]);
            Assert.Equal(reader.Transaction - 1, before.Transaction);
            File.WriteAllBytes(folder.File("file"), rotten);
            Assert.Equal(Enumerable.Range(0, before.Records).Select(id => $"{id} {Hex(before.Record(id))}"),
                Run("read_records.py", folder.File("file")).Lines);
        }
    }

    [SkippableFact]
    public void Fields_are_read_and_free_records_left_out()
    {
        using TempFolder folder = new();
        using (var file = MappedFile<Tiny>.Create(folder.File("file")))
        {
            using var tx = file.BeginWrite();
            for (int i = 0; i < 1500; i++) tx.Append().Value = -i;
            foreach (int id in (int[])[0, 31, 32, 33, 505, 1499]) tx.Free(id);
            tx.Commit();
        }
        (string[] lines, string? refusal) = Run("read_records.py", folder.File("file"), "<q");
        Assert.Null(refusal);
        Assert.Equal(Enumerable.Range(0, 1500).Except([0, 31, 32, 33, 505, 1499])
            .Select(i => string.Create(CultureInfo.InvariantCulture, $"{i} {-i}")), lines);
    }

    [SkippableFact]
    public void Damaged_records_are_refused()
    {
        using TempFolder folder = new();
        byte[] good = DamageTests.SmallFile(folder, closedCleanly: true);
        IndependentReader reader = new([.. good]);
        int page = reader.PageAt(0);
        foreach (int at in (int[])[page, page + 5, page + 9, page + 28, page + 40, page + 4095])
            Assert.Contains("page 0 is damaged", RunWith(bytes => bytes[at] ^= 1));
        int other = page ^ 4096;
        Assert.Contains("an old page", RunWith(bytes => bytes.AsSpan(other, 4096).CopyTo(bytes.AsSpan(page))));
        Assert.Contains("no sound meta slot", RunWith(static bytes => bytes[24] = bytes[Small.SlotBytes + 24] ^= 1));
        Assert.Contains("no sound meta slot", RunWith(static bytes => bytes.AsSpan(0, 8192).Clear()));
        Assert.Contains("damaged", RunWith(static bytes => bytes.AsSpan(8192).Clear()));

        string RunWith(Action<byte[]> damage)
        {
            byte[] bytes = [.. good];
            damage(bytes);
            File.WriteAllBytes(folder.File("file"), bytes);
            (string[] lines, string? refusal) = Run("read_records.py", folder.File("file"));
            Assert.Empty(lines);
            return refusal ?? "taken for sound";
        }
    }

    private static string Hex(ReadOnlySpan<byte> bytes) => Convert.ToHexStringLower(bytes);

    // What it wrote, and its one line of refusal, null when it took all for sound.
    private static (string[] Lines, string? Refusal) Run(string script, params string[] arguments)
    {
        try
        {
            ProcessStartInfo start = new("python3", [Path.Combine(Repository.Root, "src", "MemPrims.Records", script), .. arguments])
            {
                RedirectStandardOutput = true,
                RedirectStandardError = true,
            };
            using Process process = Process.Start(start)!;
            Task<string> errors = process.StandardError.ReadToEndAsync();
            string output = process.StandardOutput.ReadToEnd(), refusal = errors.Result.TrimEnd();
            process.WaitForExit();
            Assert.DoesNotContain('\n', refusal);
            Assert.Equal(refusal.Length > 0, process.ExitCode == 1);
            return (output.Split('\n', StringSplitOptions.RemoveEmptyEntries), refusal.Length == 0 ? null : refusal);
        }
        catch (Win32Exception e)
        {
            throw new SkipTestException($"needs python3, and cannot run it: {e.Message}");
        }
    }
}

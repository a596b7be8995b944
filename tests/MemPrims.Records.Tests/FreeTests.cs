namespace MemPrims.Records.Tests;

// A record so small that a page has more of them than bits in its header.
[MappedRecord(0xF4EE)]
public readonly ref partial struct Tiny
{
    [Field(0)] public partial long Value { get; set; }
}

// Records are freed and their ids used again; what is free is known in transactions, snapshots, copies and to the format page.
public class FreeTests
{
    private static readonly MappedFileOptions s_fast = new() { Durability = Durability.ProcessCrash, MetaSlotBytes = Small.SlotBytes };

    [Fact]
    public void Free_records_read_as_defaults_are_passed_over_and_cannot_be_changed()
    {
        using TempFolder folder = TempFolder.With("tiny", out string path);
        using var file = Made(path, 1200);
        long[] freed = [0, 31, 32, 33, 499, 500, 700, 1199];
        using (var tx = file.BeginWrite())
        {
            foreach (long id in freed) tx.Free(id);
            Assert.Equal((1200, freed.Length), (tx.Count, tx.FreeCount));
            Assert.Throws<InvalidOperationException>(() => { Tiny t = tx[32]; });
            Assert.Throws<InvalidOperationException>(() => tx.Free(32));
            Assert.Throws<ArgumentOutOfRangeException>(() => tx.Free(1200));
            Assert.True(tx.IsFree(33) && !tx.IsFree(34));
            Assert.Equal((0, 34), (tx.Read(33, static t => t.Value), tx.Read(34, static t => t.Value)));
            tx.Commit();
        }
        file.Verify();
        IndependentReader reader = new(File.ReadAllBytes(path));
        for (int id = 0; id < 1200; id++)
        {
            bool free = freed.Contains(id);
            Assert.Equal((free, free, free ? 0 : id), (file.IsFree(id), reader.IsFree(id), (int)file.Read(id, static t => t.Value)));
        }
        Assert.Throws<ArgumentOutOfRangeException>(() => file.IsFree(1200));
        using var snapshot = file.Pin();
        Assert.True(snapshot.IsFree(499) && !snapshot.IsFree(498));
        foreach ((int first, int last) in (ReadOnlySpan<(int, int)>)[(0, 1200), (31, 34), (33, 34), (0, 1), (490, 510), (1199, 1200)])
        {
            List<long> seen = [];
            foreach (Tiny.View t in snapshot.Scan(first..last)) seen.Add(t.Value);
            Assert.Equal(Enumerable.Range(first, last - first).Select(i => (long)i).Except(freed), seen);
            // Each record's value is its id.
            RecordScan<Tiny.View> scan = snapshot.Scan(first..last);
            List<long> ids = [];
            while (scan.MoveNext()) ids.Add(scan.CurrentId);
            Assert.Equal(seen, ids);
        }
    }

    [Theory, InlineData(Durability.PowerLoss), InlineData(Durability.ProcessCrash)]
    public void Random_histories_agree_with_a_dictionary(Durability durability)
    {
        using TempFolder folder = TempFolder.With("tiny", out string path);
        Random random = Seeds.Random();
        Dictionary<int, long> expected = [];
        int count = 0;
        MappedFile<Tiny> file = MappedFile<Tiny>.Create(path, s_fast with { Durability = durability });
        for (int round = 0; round < 60; round++)
        {
            Dictionary<int, long> changed = new(expected);
            int counted = count;
            using (var tx = file.BeginWrite())
            {
                for (int step = random.Next(200); step > 0; step--)
                {
                    if (random.Next(5) < 3 || changed.Count == 0)
                    {
                        long value = random.NextInt64();
                        Tiny t = tx.Append(out int id);
                        Assert.Equal(0, t.Value);
                        t.Value = value;
                        Assert.True(changed.TryAdd(id, value), "an id in use was given out");
                        // Nothing is added at the end while anything is free.
                        Assert.Equal(changed.Count > counted ? ++counted : counted, tx.Count);
                    }
                    else
                    {
                        int id = changed.Keys.ElementAt(random.Next(changed.Count));
                        tx.Free(id);
                        changed.Remove(id);
                    }
                }
                if (random.Next(4) > 0)
                {
                    tx.Commit();
                    (expected, count) = (changed, counted);
                }
            }
            if (random.Next(10) == 0)
            {
                file.Dispose();
                file = MappedFile<Tiny>.Open(path, s_fast with { Durability = durability });
            }
            Assert.Equal((count, count - expected.Count), (file.Count, file.FreeCount));
        }
        file.Verify();
        for (int id = 0; id < count; id++)
            Assert.Equal(expected.TryGetValue(id, out long value) ? (false, value) : (true, 0),
                (file.IsFree(id), file.Read(id, static t => t.Value)));
        file.Dispose();
        _ = new IndependentReader(File.ReadAllBytes(path));
    }

    [Fact]
    public void Threads_that_free_and_append_get_each_id_once()
    {
        using TempFolder folder = new();
        using var file = Made(folder.File("tiny"), 600, new());
        Parallel.For(0, 4, new() { MaxDegreeOfParallelism = 4 }, thread =>
        {
            for (int round = 0; round < 15; round++)
            {
                using (var tx = file.BeginWrite())
                {
                    tx.Free(thread * 100 + round);
                    tx.Commit();
                }
                using (var tx = file.BeginWrite())
                {
                    Tiny t = tx.Append(out int id);
                    Assert.Equal(0, t.Value);
                    t.Value = -1 - id;
                    tx.Commit();
                    Assert.False(file.IsFree(id) && file.Read(id, static t => t.Value) != 0);
                }
            }
        });
        Assert.Equal((600, 0), (file.Count, file.FreeCount));
        file.Verify();
    }

    [Fact]
    public void An_upgrade_keeps_ids_and_compaction_tells_the_new_ones()
    {
        using TempFolder folder = TempFolder.With("tiny", out string path);
        using (var file = Made(path, 1000))
        {
            using (var tx = file.BeginWrite())
            {
                for (int id = 0; id < 1000; id += 3) tx.Free(id);
                tx.Commit();
            }
            file.CopyTo(folder.File("copy"));
        }
        SalvageReport report = MappedFiles.Salvage<Tiny>(path, folder.File("salvaged"));
        Assert.Equal((1000, 0), (report.Records, report.LostRecords));
        byte[] noMeta = File.ReadAllBytes(path);
        noMeta.AsSpan(0, 8192).Clear();
        File.WriteAllBytes(folder.File("damaged"), noMeta);
        MappedFiles.Salvage<Tiny>(folder.File("damaged"), folder.File("salvaged without meta"));
        foreach (string name in (string[])["copy", "salvaged", "salvaged without meta"])
        {
            using var copy = MappedFile<Tiny>.Open(folder.File(name));
            copy.Verify();
            Assert.Equal((1000, 334), (copy.Count, copy.FreeCount));
            Assert.True(copy.IsFree(999) && copy.Read(998, static t => t.Value) == 998, name);
        }
        IReadOnlyList<int> newIds = MappedFiles.Compact<Tiny>(path);
        using var compacted = MappedFile<Tiny>.Open(path);
        compacted.Verify();
        Assert.Equal((1000, 666, 0), (newIds.Count, compacted.Count, compacted.FreeCount));
        for (int id = 0; id < 1000; id++)
        {
            if (id % 3 == 0) Assert.Equal(-1, newIds[id]);
            else Assert.Equal(id, compacted.Read(newIds[id], static t => t.Value));
        }
    }

    private static MappedFile<Tiny> Made(string path, int records, MappedFileOptions? options = null)
    {
        var file = MappedFile<Tiny>.Create(path, options ?? s_fast);
        using var tx = file.BeginWrite();
        for (int i = 0; i < records; i++) tx.Append().Value = i;
        tx.Commit();
        return file;
    }
}

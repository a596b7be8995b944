namespace MemPrims.Records.Tests;

// What is kept for longer than it is good for: it ends the process never, and changes nothing.
public class LifetimeTests
{
    [Fact]
    public void A_span_that_outlives_snapshot_file_and_collection_can_be_read()
    {
        using TempFolder folder = TempFolder.With("stats", out string path);
        MappedFileTests.Made(path, 3000).Dispose();
        Child.Run(ReadLate, [path]).AssertSucceeded();
    }

    private static void ReadLate(string[] arguments)
    {
        for (int round = 0; round < 20; round++)
        {
            scoped ReadOnlySpan<byte> kept = Keep(arguments[0]);
            Collect();
            int sum = 0;
            foreach (byte b in kept) sum += b;
            if (sum != 0 && sum != "error 2999"u8.ToArray().Sum(b => b)) throw new InvalidOperationException($"{sum}");
        }
    }

    // Through the call that generated code makes, since the generated one does not let a span out.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ReadOnlySpan<byte> Keep(string path)
    {
        var file = MappedFile<IndexStats>.OpenRead(path);
        return file.Pin().ViewOf<IndexStats.View>(2999).LastError;
    }

    [Fact]
    public void A_span_kept_from_a_transaction_changes_no_later_one()
    {
        using TempFolder folder = new();
        using var file = MappedFile<Everything>.Create(folder.File("all"));
        file.AppendNew(50);
        for (int round = 1; round <= 40; round++)
        {
            var tx = file.BeginWrite();
            Span<int> kept = tx[3].Counts;
            Everything first = tx[3];
            first.Name = "of the first"u8;
            ReadOnlySpan<byte> name = tx[3].Name;
            kept[0] = round;
            tx.Commit();
            using var next = file.BeginWrite();
            Everything e = next[3];
            e.Name = "not committed"u8;
            kept.Fill(-1);
            Assert.Equal([round, 0, 0], next[3].Counts.ToArray());
            Assert.Equal("of the first"u8, name);
            Assert.Equal([round, 0, 0], file.Read(3, static e => e.Counts.ToArray()));
            // Whose record it is has ended: it shows nothing of the next one's.
            bool thrown = false;
            try
            {
                _ = first.I32;
            }
            catch (ObjectDisposedException)
            {
                thrown = true;
            }
            Assert.True(thrown);
        }
        file.Verify();
    }

    [Fact]
    public async Task A_span_kept_while_its_commit_is_under_way_changes_nothing()
    {
        using TempFolder folder = new();
        using var file = MappedFile<Everything>.Create(folder.File("all"));
        for (int i = 0; i < 50; i++)
        {
            await Start(i);
            Assert.Equal(i, file.Read(i, static e => e.Counts[0]));
        }
        file.Verify();

        Task Start(int i)
        {
            using var tx = file.BeginWrite();
            Span<int> kept = tx.Append().Counts;
            kept[0] = i;
            Task commit = tx.CommitAsync();
            kept[0] = -1;
            return commit;
        }
    }

    [Fact]
    public void A_pin_that_nobody_disposed_ends_with_the_collection_that_finds_it()
    {
        using TempFolder folder = new();
        MappedFileTests.Made(folder.File("stats"), 3).Dispose();
        using var file = MappedFile<IndexStats>.Open(folder.File("stats"));
        Lose(file);
        file.Increment(0, IndexStats.Fields.Attempts);
        Collect();
        Assert.Equal(2, file.Increment(0, IndexStats.Fields.Attempts));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Lose(MappedFile<IndexStats> file) => file.Pin();

    private static void Collect()
    {
        for (int i = 0; i < 3; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
    }
}

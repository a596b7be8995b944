using System.Text;
using MemPrims.Pages;

namespace MemPrims.Tests.Pages;

// The contract of threads: any number of readers, or one writer. A breach is told, and no reader disturbs another.
public class ThreadsTests
{
    private const int Keys = 2000;

    private static byte[] Key(int number) => Encoding.ASCII.GetBytes($"orders/{number:0000}");

    private static byte[] Value(int number, int length) => Enumerable.Repeat((byte)number, length).ToArray();

    [Fact]
    public void Readers_beside_a_writer_get_right_answers_or_are_told()
    {
        (int told, int wrong, int answers) = BesideAWriter(static (tree, random) =>
        {
            int number = random.Next(Keys);
            byte[] key = Key(number);
            // Even keys are never removed, and values are all of one byte.
            bool found = tree.TryGet(key, out ReadOnlySpan<byte> value);
            return found || number % 2 == 1;
        });
        Assert.Equal(0, wrong);
        Assert.True(told > 0 && answers > 0, $"{told} told, {answers} answers");
    }

    [Fact]
    public void Cursors_beside_a_writer_keep_the_order_or_are_told()
    {
        (int told, int wrong, int answers) = BesideAWriter(static (tree, random) =>
        {
            int at = random.Next(Keys / 2) * 2, least = at;
            bool up = random.Next(2) == 0;
            SortedCursor cursor = up ? tree.Scan(Key(at)) : tree.ScanAfter(Key(at));
            for (int i = 0; i < 30 && (up ? cursor.Next() : cursor.Previous()); i++)
            {
                // A span may change under its reader. What the cursor says afterwards tells whether it has.
                string key = Encoding.ASCII.GetString(cursor.Key);
                _ = cursor.Value.Length;
                int number = int.Parse(key[7..]);
                // Even keys are all there, so no step is longer than two.
                if (i > 0 && Math.Abs(number - at) > 2 || i == 0 && number != least) return false;
                at = number;
            }
            return true;
        });
        Assert.Equal(0, wrong);
        Assert.True(told > 0 && answers > 0, $"{told} told, {answers} answers");
    }

    [Fact]
    public void A_walk_beside_a_writer_is_right_or_told()
    {
        (int told, int wrong, _) = BesideAWriter(static (tree, random) =>
        {
            tree.Verify();
            return true;
        });
        Assert.Equal(0, wrong);
        Assert.True(told > 0);
    }

    [Fact]
    public void Two_writers_are_told()
    {
        using MemoryPages pages = new(512);
        SortedTree tree = new(pages);
        tree.Set(Key(0), []);
        int told = 0;
        bool stop = false;
        Thread[] writers = [.. Enumerable.Range(0, 2).Select(i => new Thread(() =>
        {
            Random random = Seeds.Random(i);
            while (!Volatile.Read(ref stop))
            {
                try
                {
                    tree.Set(Key(random.Next(50)), Value(1, random.Next(8)));
                }
                catch (Exception e) when (e is InvalidOperationException or PageDamagedException)
                {
                    if (e is InvalidOperationException) Interlocked.Increment(ref told);
                    Volatile.Write(ref stop, true);
                }
            }
        }))];
        foreach (Thread writer in writers) writer.Start();
        bool ended = SpinWait.SpinUntil(() => Volatile.Read(ref stop), TimeSpan.FromSeconds(20));
        Volatile.Write(ref stop, true);
        foreach (Thread writer in writers) writer.Join();
        Assert.True(ended && told > 0);
    }

    [Theory]
    [InlineData(50, 7000, 1), InlineData(0, 1, 1), InlineData(1, 1, 0.1), InlineData(1, 7000, 0.1), InlineData(50, 1, 0.1)]
    [InlineData(50, 120, 0.1), InlineData(99, 133, 0.1)]
    public void A_source_that_changes_the_tree_it_builds_is_named(int at, int key, double fill)
    {
        using MemoryPages pages = new(512);
        SortedTree tree = new(pages);
        InvalidOperationException told = Assert.Throws<InvalidOperationException>(() => tree.BuildFrom(Entries(), fill));
        Assert.Contains("changed", told.Message);
        tree.Verify();
        Assert.True(tree.TryGet(Key(key), out ReadOnlySpan<byte> value) && value.SequenceEqual("mine"u8));

        IEnumerable<KeyValuePair<ReadOnlyMemory<byte>, ReadOnlyMemory<byte>>> Entries()
        {
            for (int i = 0; i < 100; i++)
            {
                if (i == at) tree.Set(Key(key), "mine"u8);
                yield return new(Key(100 + i), Key(i));
            }
        }
    }

    [Fact]
    public void A_change_that_was_not_finished_is_told_when_the_tree_is_opened()
    {
        using MemoryPages pages = new(512);
        SortedTree tree = new(pages);
        tree.Set(Key(1), []);
        unsafe
        {
            pages.Page(pages.Root)[24] ^= 1;
        }
        Assert.Contains("not finished", Assert.Throws<PageDamagedException>(() => new SortedTree(pages)).Message);
        Assert.Throws<InvalidOperationException>(() => tree.TryGet(Key(1), out _));
        Assert.Throws<InvalidOperationException>(() => tree.Set(Key(2), []));
    }

    private static (int Told, int Wrong, int Answers) BesideAWriter(Func<SortedTree, Random, bool> read)
    {
        using MemoryPages pages = new(512);
        SortedTree tree = new(pages);
        for (int i = 0; i < Keys; i++) tree.Set(Key(i), Value(i, 20));
        int told = 0, wrong = 0, answers = 0;
        bool stop = false;
        Thread[] readers = [.. Enumerable.Range(0, 3).Select(i => new Thread(() =>
        {
            Random random = Seeds.Random(i);
            while (!Volatile.Read(ref stop))
            {
                try
                {
                    Interlocked.Increment(ref read(tree, random) ? ref answers : ref wrong);
                }
                catch (InvalidOperationException)
                {
                    Interlocked.Increment(ref told);
                }
                catch (PageDamagedException)
                {
                    Interlocked.Increment(ref wrong);
                }
            }
        }))];
        foreach (Thread reader in readers) reader.Start();
        Random random = Seeds.Random(9);
        long end = Environment.TickCount64 + LongRuns.Of(1000, 10_000);
        while (Environment.TickCount64 < end)
        {
            for (int i = 0; i < 200; i++)
            {
                int number = random.Next(Keys);
                if (number % 2 == 0) tree.Set(Key(number), Value(number, random.Next(50)));
                else if (random.Next(2) == 0) tree.Remove(Key(number));
                else tree.Set(Key(number), Value(number, random.Next(50)));
            }
            // Readers have the tree to themselves for a while.
            Thread.Sleep(1);
        }
        Volatile.Write(ref stop, true);
        foreach (Thread reader in readers) reader.Join();
        tree.Verify();
        return (told, wrong, answers);
    }
}

using System.Text;
using MemPrims.Pages;

namespace MemPrims.Tests.Pages;

// Pages whose bytes another thread changes while they are read. Each page ends at a guard page, in a child process: an access behind it
// ends the process. Nothing but the library's exceptions may come.
public unsafe class FlippedBytesTests
{
    [Theory, InlineData(512), InlineData(4096), InlineData(65_536)]
    public void A_page_is_read_inside_its_bounds(int size) => Child.Run(ReadPage, [size.ToString()]).AssertSucceeded();

    [Fact]
    public void A_tree_is_read_inside_its_pages() => Child.Run(ReadTree).AssertSucceeded();

    private static byte[] Key(int number) => Encoding.ASCII.GetBytes($"orders/{number / 7:0000}/{number:0000}");

    private static void ReadPage(string[] arguments)
    {
        int size = int.Parse(arguments[0]), count = 0;
        using GuardedMemory memory = new(size);
        byte* start = memory.EndingAtGuard(size);
        byte[] sound = new byte[size];
        SortedPage filled = SortedPage.Create(sound);
        while (filled.TrySet(Key(count), new byte[count % 5])) count++;
        sound.CopyTo(new Span<byte>(start, size));
        SortedPage page = SortedPage.Attach(new Span<byte>(start, size));
        (int answers, int told) = BesideChanges([(nint)start], size, page, count, static (page, number) =>
        {
            byte[] key = Key(number);
            page.Find(key, out _);
            page.Find(key.AsSpan(0, 5), out _);
            page.Find([.. key, .. new byte[40]], out _);
            page.Find(key, out int position);
            _ = page.Key(position).Length + page.Value(position).Length;
            if (number % 20 == 0) page.Validate();
            if (number % 20 == 1) page.ReadAll();
        });
        Assert.True(answers > 0 && told > 0, $"{answers} {told}");
    }

    private static void ReadTree(string[] arguments)
    {
        using GuardedPages pages = new(512);
        SortedTree tree = new(pages);
        const int count = 600;
        for (int i = 0; i < count; i++) tree.Set(Key(i), new byte[i % 40 == 0 ? 700 : i % 9]);
        (int answers, int told) = BesideChanges(pages.Addresses(from: 2), 512, tree, count, static (tree, number) =>
        {
            tree.TryGet(Key(number), out _);
            SortedCursor up = tree.Scan(Key(number)), down = tree.ScanAfter(Key(number));
            for (int i = 0; i < 40 && up.Next(); i++) _ = up.Key.Length + up.Value.Length;
            for (int i = 0; i < 40 && down.Previous(); i++) _ = down.Key.Length + down.Value.Length;
            if (number % 50 == 0) tree.Verify();
            if (number % 50 == 1) _ = tree.Statistics;
        });
        Assert.True(answers > 0 && told > 0, $"{answers} {told}");
    }

    private delegate void Reader<T>(T of, int number) where T : allows ref struct;

    private static (int Answers, int Told) BesideChanges<T>(nint[] pages, int size, T of, int count, Reader<T> read)
        where T : allows ref struct
    {
        bool stop = false;
        Thread writer = new(() =>
        {
            Random random = Seeds.Random(size);
            while (!Volatile.Read(ref stop))
            {
                // Half of the changes are to the header, and mostly for a moment only, so that the page is not refused at once.
                byte* at = (byte*)pages[random.Next(pages.Length)] + (random.Next(2) == 0 ? random.Next(24) : random.Next(size));
                byte before = *at;
                Volatile.Write(ref *at, (byte)(random.Next(2) == 0 ? 0xFF : random.Next(256)));
                Thread.SpinWait(random.Next(40));
                Volatile.Write(ref *at, before);
                Thread.SpinWait(random.Next(40));
            }
        });
        writer.Start();
        int answers = 0, told = 0;
        Random random = Seeds.Random(1);
        long end = Environment.TickCount64 + LongRuns.Of(700, 10_000), last = end + 60_000;
        // On a machine with much to do a reader comes to five reads in that time, of which none may meet a change: it goes on.
        while (Environment.TickCount64 < (answers > 0 && told > 0 ? end : last))
        {
            try
            {
                read(of, random.Next(count));
                answers++;
            }
            catch (Exception e) when (e is PageDamagedException or InvalidOperationException or ArgumentOutOfRangeException)
            {
                told++;
            }
        }
        Volatile.Write(ref stop, true);
        writer.Join();
        return (answers, told);
    }
}

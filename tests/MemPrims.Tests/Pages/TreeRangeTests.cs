using System.Text;
using MemPrims.Pages;

namespace MemPrims.Tests.Pages;

// Ranges of a tree in both directions, against the same range of a list.
public class TreeRangeTests
{
    private static byte[] Key(int number) => Encoding.ASCII.GetBytes($"{number:0000}");

    [Theory, InlineData(1), InlineData(7), InlineData(60), InlineData(700)]
    public void A_range_is_kept_in_both_directions(int count)
    {
        using MemoryPages pages = new(512);
        SortedTree tree = new(pages);
        for (int i = 0; i < count; i++) tree.Set(Key(i * 2), new byte[12]);
        Random random = Seeds.Random(count);
        for (int round = 0; round < 400; round++)
        {
            int from = random.Next(-1, count * 2 + 2), to = round % 4 == 0 ? from + random.Next(-3, 6) : random.Next(-1, count * 2 + 2);
            (from, to) = (Math.Max(from, 0), Math.Max(to, 0));
            int first = Math.Min((from + 1) / 2, count), behind = Math.Max(first, Math.Min((to + 1) / 2, count));
            Walk(tree.Scan(Key(from), Key(to)), first, behind, first, random);
            SortedCursor back = tree.Scan(Key(from), Key(to));
            if (round % 2 == 0) back.Next();
            back.GoToEnd();
            Walk(back, first, behind, behind, random);
            // Without the lesser one.
            int least = Math.Min(from / 2 + 1, count), most = Math.Max(Math.Min((to + 1) / 2, count), least);
            SortedCursor between = tree.ScanAfter(Key(from), Key(to));
            between.GoToEnd();
            Walk(between, least, most, most, random);
            SortedCursor all = tree.Scan(Key(from));
            all.GoToEnd();
            Walk(all, 0, count, count, random);
        }
    }

    [Fact]
    public void Ranges_of_an_empty_tree_are_empty()
    {
        using MemoryPages pages = new(512);
        SortedTree tree = new(pages);
        for (int round = 0; round < 2; round++)
        {
            SortedCursor range = tree.Scan([1], [9]), back = tree.ScanAfter([1], [9]), all = tree.Scan();
            Assert.False(range.Next() || range.Previous() || back.Previous() || back.Next());
            range.GoToEnd();
            back.GoToEnd();
            all.GoToEnd();
            Assert.False(range.Next() || range.Previous() || back.Previous() || all.Previous() || all.Next());
            tree.Set([1], []);
            tree.Remove([1]);
        }
    }

    [Fact]
    public void The_end_of_a_range_needs_a_tree_that_has_not_changed()
    {
        using MemoryPages pages = new(512);
        SortedTree tree = new(pages);
        tree.Set([1], []);
        SortedCursor stale = tree.Scan([1], [2]);
        tree.Set([2], []);
        try
        {
            stale.GoToEnd();
        }
        catch (InvalidOperationException e)
        {
            Assert.Contains("has changed", e.Message);
            return;
        }
        Assert.Fail("a stale cursor was used");
    }

    // The cursor stands between two entries, or on one; what it should say follows from that and from the range.
    private static void Walk(SortedCursor cursor, int first, int behind, int between, Random random)
    {
        int on = -1;
        bool mostlyBack = random.Next(2) == 0;
        for (int step = 0; step < 60; step++)
        {
            bool back = random.Next(8) == 0 ? !mostlyBack : mostlyBack;
            int at = back ? (on >= 0 ? on : between) - 1 : on >= 0 ? on + 1 : between;
            bool there = at >= first && at < behind;
            Assert.Equal(there, back ? cursor.Previous() : cursor.Next());
            if (there) Assert.True(cursor.Key.SequenceEqual(Key(at * 2)), $"{at * 2} and not {Encoding.ASCII.GetString(cursor.Key)}");
            between = there ? at : back ? first : behind;
            on = there ? at : -1;
        }
    }
}

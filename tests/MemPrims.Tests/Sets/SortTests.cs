using System.Numerics;
using MemPrims.Sets;

namespace MemPrims.Tests.Sets;

public class SortTests
{
    [Fact]
    public void Ids_come_into_order_once_each()
    {
        Random random = Seeds.Random();
        for (int round = 0; round < 600; round++)
        {
            int length = random.Next(round % 3 == 0 ? 5000 : 300), bits = 1 + random.Next(64);
            ulong[] wide = new ulong[length];
            int shift = round % 2 == 0 ? 0 : random.Next(64 - bits + 1);
            foreach (ref ulong id in wide.AsSpan()) id = (ulong)random.NextInt64() << 1 >> 64 - bits << shift;
            uint[] narrow = [.. wide.Select(id => (uint)(id ^ id >> 32))];
            Check(wide, SortedIds.Sort);
            Check(narrow, SortedIds.Sort);
            Check([.. wide.Order()], SortedIds.Sort);
            Check([.. narrow.OrderDescending()], SortedIds.Sort);
        }
    }

    [Fact]
    public void The_ends_of_the_range_and_nothing_at_all()
    {
        Check<uint>([], SortedIds.Sort);
        Check([uint.MaxValue, 0u, uint.MaxValue, 1u], SortedIds.Sort);
        Check([.. Enumerable.Repeat(7ul, 1000)], SortedIds.Sort);
        Check([.. Enumerable.Repeat(ulong.MaxValue, 500), .. Enumerable.Repeat(0ul, 500)], SortedIds.Sort);
    }

    private delegate int Sort<T>(Span<T> ids);

    private static void Check<T>(T[] ids, Sort<T> sort) where T : unmanaged, IBinaryInteger<T>
    {
        T[] wanted = [.. ids.Distinct().Order()], sorted = [.. ids];
        int count = sort(sorted);
        Assert.Equal(wanted, sorted[..count]);
    }
}

using System.Text;
using MemPrims.Pages;

namespace MemPrims.Tests.Pages;

// Keys whose heads are equal, so that the search must go by the keys themselves: one stray key takes the page's prefix away from all
// others.
public class EqualHeadsTests
{
    public static TheoryData<string> Kinds => ["numbers", "zeros", "eight bytes alike", "short and long", "every number of keys",
        "groups", "groups of groups", "groups of numbers without zeros", "groups behind long keys", "groups of short keys"];

    [Theory, MemberData(nameof(Kinds))]
    public void Keys_with_equal_heads_are_found(string kind)
    {
        foreach (int size in (int[])[512, 2048, 8192])
        {
            SortedDictionary<byte[], byte[]> model = ByteOrder.NewModel();
            SortedPage page = SortedPage.Create(new byte[size]);
            if (!kind.StartsWith("groups")) Set(page, model, [0]);
            foreach (byte[] key in Keys(kind))
            {
                if (!Set(page, model, key)) break;
                if (model.Count < 40 || model.Count % 37 == 0) ModelCheck.Same(model, page);
            }
            ModelCheck.Same(model, page);
            // Without values, entries lie up to the last byte of the page; removing moves the edges of the search.
            while (model.Count > 2)
            {
                byte[] middle = page.Key(page.Count / 2).ToArray();
                Assert.True(page.Remove(middle) && model.Remove(middle));
                if (model.Count < 40 || model.Count % 37 == 0) ModelCheck.Same(model, page);
            }
        }
    }

    private static bool Set(SortedPage page, SortedDictionary<byte[], byte[]> model, byte[] key)
    {
        if (!page.TrySet(key, [])) return false;
        model[key] = [];
        return true;
    }

    private static IEnumerable<byte[]> Keys(string kind)
    {
        Random random = Seeds.Random(9);
        for (int i = 0; i < 1000; i++)
            yield return kind switch
            {
                "numbers" => Encoding.ASCII.GetBytes($"orders/{random.Next(10_000):0000000}"),
                // They differ by their length alone: as numbers of 8 bytes, padded with zeros, they are equal.
                "zeros" => [.. "orders/"u8, .. new byte[i % 40]],
                "eight bytes alike" => [.. "orders/"u8, .. "=="u8, .. "12345678"u8, .. Encoding.ASCII.GetBytes($"{random.Next(300)}")],
                "short and long" => [.. "orders/"u8, .. Enumerable.Repeat((byte)random.Next(254, 256), random.Next(12))],
                "groups" => Encoding.ASCII.GetBytes($"orders/{random.Next(9)}00/{random.Next(100_000):0000000}"),
                "groups of groups" => Encoding.ASCII.GetBytes($"orders/{random.Next(4)}000/part-{random.Next(300)}/file-{random.Next(3)}"),
                "groups of numbers without zeros" => Encoding.ASCII.GetBytes($"orders/{random.Next(30)}000/{random.Next(3000)}"),
                "groups behind long keys" => Encoding.ASCII.GetBytes(
                    $"orders/{random.Next(4)}000/{random.Next(2)}of those with the same 8 bytes/{random.Next(50)}"),
                "groups of short keys" => [(byte)random.Next(3), 7, 7, 7, .. new byte[random.Next(4)], (byte)random.Next(40)],
                _ => [.. "orders/"u8, (byte)(i >> 4), (byte)(i * 16)],
            };
    }
}

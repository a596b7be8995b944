using System.Text;
using MemPrims.Pages;

namespace MemPrims.Tests.Pages;

/// <summary>
/// Keys whose heads are equal, so that the search must go by the keys themselves: one stray key takes the page's prefix away from all
/// others.
/// </summary>
public class EqualHeadsTests
{
    public static TheoryData<string> Kinds => ["numbers", "zeros", "eight bytes alike", "short and long", "every number of keys"];

    [Theory, MemberData(nameof(Kinds))]
    public void Keys_with_equal_heads_are_found(string kind)
    {
        foreach (int size in (int[])[512, 2048, 8192])
        {
            SortedDictionary<byte[], byte[]> model = ByteOrder.NewModel();
            SortedPage page = SortedPage.Create(new byte[size]);
            Set(page, model, [0]);
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
                _ => [.. "orders/"u8, (byte)(i >> 4), (byte)(i * 16)],
            };
    }
}

using System.Buffers.Binary;
using System.Text;

namespace MemPrims.Benchmarks.Pages;

/// <summary>What the keys of an engine's pages look like: as many of each shape as fill a page of 8 KiB, in order.</summary>
internal static class SlotKeyShapes
{
    private static readonly string[] s_names =
    [
        "src", "lib", "include", "share", "local", "config", "documents", "customers", "projects", "archive", "2024", "2025", "images",
        "reports",
    ];

    public static (string Name, Func<Random, byte[][]> Keys)[] All { get; } =
    [
        ("paths", random => Make(90, () => Text(
            $"/home/data/tenants/acme-corporation{Folders(random)}/file-{random.Next(100_000):D5}.json"))),
        ("urls", random => Make(90, () => Text($"https://www.example-shop.com/{Name(random)}/{Name(random)}/"
            + $"product-{random.Next(1_000_000)}?ref={random.Next(100)}&lang=en"))),
        ("documents", random => Make(360, () => Text($"documents/{random.Next(1, 1000)}"))),
        ("orders", random => Make(250, () => Text($"orders/{random.Next(1_234_000, 1_235_000):D12}"))),
        ("ids", random => Make(300, () =>
        {
            byte[] key = new byte[sizeof(ulong)];
            BinaryPrimitives.WriteUInt64BigEndian(key, (ulong)random.Next(1_000_000, 1_100_000));
            return key;
        })),
        ("random 16", random => Make(300, () =>
        {
            byte[] key = new byte[16];
            random.NextBytes(key);
            return key;
        })),
        ("words", random => Make(400, () =>
        {
            byte[] word = new byte[random.Next(3, 13)];
            foreach (ref byte letter in word.AsSpan()) letter = (byte)('a' + Math.Min(random.Next(26), random.Next(26)));
            return word;
        })),
    ];

    private static byte[][] Make(int count, Func<byte[]> next)
    {
        SortedSet<byte[]> keys = new(PageKeys.Bytes);
        while (keys.Count < count) keys.Add(next());
        return [.. keys];
    }

    private static byte[] Text(string text) => Encoding.ASCII.GetBytes(text);

    private static string Name(Random random) => s_names[random.Next(s_names.Length)];

    private static string Folders(Random random) =>
        string.Concat(Enumerable.Range(0, random.Next(2, 5)).Select(_ => $"/{Name(random)}"));
}

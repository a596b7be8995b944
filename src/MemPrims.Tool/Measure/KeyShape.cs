namespace MemPrims.Tool.Measure;

// What the keys of a search look like: see KeyShapes.Name. Together these are the keys that storage engines see.
public enum KeyShape
{
    Random8To60, Random16, Random8, Words, Orders, Shared30, Paths,
}

public static class KeyShapes
{
    public static readonly KeyShape[] All = Enum.GetValues<KeyShape>();

    public const int Longest = 80;

    public static string Name(KeyShape shape) => s_shapes[(int)shape].Name;

    // How many bytes all keys of the shape begin with.
    public static int SharedPrefix(KeyShape shape) => s_shapes[(int)shape].Shared;

    // In the order of the enum.
    private static readonly (string Name, int Shared)[] s_shapes =
    [
        ("random bytes, 8–60", 0), ("random bytes, 16", 0), ("random bytes, 8", 0), ("words of 3–12", 0), ("orders/ and a number", 7),
        ("30 shared bytes, 8 more", 30), ("64 shared bytes and 10 digits", 64),
    ];

    // Writes a random key and tells its length. Numbers are drawn below `numbers`.
    public static int Draw(KeyShape shape, Random random, int numbers, Span<byte> to)
    {
        switch (shape)
        {
            case KeyShape.Random8To60: return Bytes(random, to[..random.Next(8, 61)]);
            case KeyShape.Random16: return Bytes(random, to[..16]);
            case KeyShape.Random8: return Bytes(random, to[..8]);
            case KeyShape.Words:
                int letters = random.Next(3, 13);
                for (int i = 0; i < letters; i++) to[i] = (byte)('a' + random.Next(26));
                return letters;
            case KeyShape.Orders:
                "orders/"u8.CopyTo(to);
                random.Next(numbers).TryFormat(to[7..], out int digits);
                return 7 + digits;
            case KeyShape.Shared30:
                "tenants/0042/index/by-customer"u8.CopyTo(to);
                return 30 + Bytes(random, to.Slice(30, 8));
            case KeyShape.Paths:
                "databases/northwind/documents/customers/europe/france/orders/20/"u8.CopyTo(to);
                ((uint)random.Next(numbers) * 2_654_435_761).TryFormat(to[64..], out int more, "D10");
                return 64 + more;
            default: throw new ArgumentOutOfRangeException(nameof(shape), shape, "There is no such shape.");
        }
    }

    private static int Bytes(Random random, Span<byte> to)
    {
        random.NextBytes(to);
        return to.Length;
    }
}

namespace MemPrims.Tool.Measure;

/// <summary>What the keys of a search look like. Together these are the keys that storage engines see.</summary>
public enum KeyShape
{
    /// <summary>8 to 60 random bytes.</summary>
    Random8To60,

    /// <summary>16 random bytes.</summary>
    Random16,

    /// <summary>8 random bytes.</summary>
    Random8,

    /// <summary>3 to 12 random letters.</summary>
    Words,

    /// <summary><c>orders/</c> and a number.</summary>
    Orders,

    /// <summary>30 bytes that all keys share, then 8 random ones.</summary>
    Shared30,
}

/// <summary>Draws keys.</summary>
public static class KeyShapes
{
    /// <summary>All shapes, in the order of the tables.</summary>
    public static readonly KeyShape[] All = Enum.GetValues<KeyShape>();

    /// <summary>The longest key of any shape.</summary>
    public const int Longest = 60;

    /// <summary>The name in the tables.</summary>
    /// <param name="shape">The shape.</param>
    /// <returns>Its name.</returns>
    public static string Name(KeyShape shape) => shape switch
    {
        KeyShape.Random8To60 => "random bytes, 8–60",
        KeyShape.Random16 => "random bytes, 16",
        KeyShape.Random8 => "random bytes, 8",
        KeyShape.Words => "words of 3–12",
        KeyShape.Orders => "orders/ and a number",
        KeyShape.Shared30 => "30 shared bytes, 8 more",
        _ => throw new ArgumentOutOfRangeException(nameof(shape), shape, "There is no such shape."),
    };

    /// <summary>How many bytes all keys of the shape begin with.</summary>
    /// <param name="shape">The shape.</param>
    /// <returns>The length of what they share.</returns>
    public static int SharedPrefix(KeyShape shape) => shape switch
    {
        KeyShape.Orders => 7,
        KeyShape.Shared30 => 30,
        _ => 0,
    };

    /// <summary>Writes a random key.</summary>
    /// <param name="shape">The shape.</param>
    /// <param name="random">Where from.</param>
    /// <param name="numbers">Numbers are drawn below this.</param>
    /// <param name="to">Room for <see cref="Longest"/> bytes.</param>
    /// <returns>How many were written.</returns>
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
            default: throw new ArgumentOutOfRangeException(nameof(shape), shape, "There is no such shape.");
        }
    }

    private static int Bytes(Random random, Span<byte> to)
    {
        random.NextBytes(to);
        return to.Length;
    }
}

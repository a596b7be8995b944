using Google.Protobuf;
using Google.Protobuf.Reflection;
using MemPrims.Benchmarks.Wire.Generated;
using MemPrims.Wire;

namespace MemPrims.Benchmarks.Wire;

/// <summary>
/// 256 different messages of each shape, the same for both sides, others in each process. The order in which a batch takes them is one of
/// 64 shuffles, drawn anew for each batch.
/// </summary>
internal static class Samples
{
    public const int Count = 256;

    private static readonly int[][] s_orders = [.. Enumerable.Range(0, 64).Select(Shuffle)];
    private static readonly Random s_draw = new();
    private static readonly int s_seed = Environment.TickCount;

    public static MessageSchema Schema { get; } = MessageSchema.Load(DescriptorSet(WireReflection.Descriptor));

    /// <summary>A FileDescriptorSet with the files of the peer's generated code.</summary>
    public static byte[] DescriptorSet(params FileDescriptor[] files)
    {
        FileDescriptorSet set = new();
        foreach (FileDescriptor file in files) set.File.Add(FileDescriptorProto.Parser.ParseFrom(file.SerializedData));
        return set.ToByteArray();
    }

    public static int[] NextOrder() => s_orders[s_draw.Next(s_orders.Length)];

    public static Mixed[] Mixed() => Make(random => MixedOf(random));

    public static Small[] Small() => Make(random => new Small
    {
        Id = random.Next(1, 100_000), Key = Word(random, 3, 12), Live = true,
        Hash = (uint)random.Next()
    });

    public static Nest[] Nest(int depth) => Make(random =>
    {
        Nest? at = null;
        for (int i = 0; i < depth; i++) at = new() { Id = random.Next(1, 1000), Name = Word(random, 4, 12), Child = at };
        return at!;
    });

    public static Packed[] Packed() => Make(random => new Packed
    {
        Values = { Enumerable.Range(0, 1000).Select(_ => random.Next(1 << random.Next(1, 28))) },
        Weights = { Enumerable.Range(0, 100).Select(_ => random.NextDouble()) },
    });

    public static Generated.Wide[] Wide() => Make(random =>
    {
        Generated.Wide wide = new();
        for (int i = 0; i < 20; i++) wide.Labels[Word(random, 4, 12) + i] = Word(random, 4, 20);
        for (int i = 0; i < 20; i++) wide.Counts[random.Next()] = random.NextInt64();
        for (int i = 0; i < 20; i++) wide.Tags.Add(Word(random, 3, 10));
        return wide;
    });

    public static Order[] Orders() => Make(random => new Order
    {
        Id = Word(random, 8, 12),
        Customer = MixedOf(random),
        Lines = { Enumerable.Range(0, 32).Select(_ => new Line { Sku = Word(random, 6, 12), Count = random.Next(1, 9),
            Price = random.NextDouble(), Article = MixedOf(random) }) },
        Note = Word(random, 10, 40),
        ShipTo = MixedOf(random),
    });

    public static Varied[] Varied() => Make(random =>
    {
        Varied varied = new() { Head = MixedOf(random) };
        foreach (FieldDescriptor field in Generated.Mixed.Descriptor.Fields.InDeclarationOrder())
            if (random.Next(10) < 4) field.Accessor.Clear(varied.Head);
            else if (field.FieldType == FieldType.String && random.Next(10) == 0)
                field.Accessor.SetValue(varied.Head, field.Accessor.GetValue(varied.Head) + "é");
        for (int i = random.Next(6); i > 0; i--) varied.Tags.Add(Word(random, 3, 10));
        for (int i = random.Next(12); i > 0; i--) varied.Scores.Add(random.Next(1 << random.Next(1, 20)));
        return varied;
    });

    public static Event[] Events() => Make(random => new Event
    {
        Time = (ulong)random.NextInt64(),
        Kind = (uint)random.Next(1, 200),
        User = random.Next(4) == 0 ? 0 : random.NextInt64(1L << 36),
        Key = Word(random, 4, 24),
        Value = random.Next(3) == 0 ? 0 : random.Next(1 << random.Next(1, 30)),
        Ok = random.Next(2) == 0,
        Load = random.Next(2) == 0 ? 0 : random.NextSingle(),
        Shard = (uint)random.Next(4),
    });

    public static Invoice[] Invoices() => Make(random => new Invoice
    {
        Id = Word(random, 8, 12),
        Items = { Enumerable.Range(0, random.Next(25, 300)).Select(_ => new Item { Sku = Word(random, 6, 12), Count = random.Next(1, 9),
            Price = random.NextDouble() }) },
        Note = Word(random, 10, 40),
    });

    private static Mixed MixedOf(Random random) => new()
    {
        Id = random.Next(1, 1 << 20),
        Name = Word(random, 6, 20),
        Email = Word(random, 5, 12) + "@" + Word(random, 5, 12) + ".org",
        Active = true,
        Created = random.NextInt64(1L << 40),
        Score = random.NextDouble() + 0.1,
        City = Word(random, 4, 12),
        Street = Word(random, 8, 24),
        Visits = (uint)random.Next(1, 5000),
        Balance = random.Next(-100_000, -1),
        Token = (ulong)random.NextInt64() | 1,
        Rating = random.NextSingle() + 0.1f,
        Phone = "+" + random.NextInt64(100_000_000, 100_000_000_000),
        Color = (Color)random.Next(1, 4),
        Verified = true,
        Company = Word(random, 5, 18),
        Updated = random.NextInt64(1L << 40),
        Quota = (ulong)random.NextInt64(1, 1L << 32),
        Title = Word(random, 3, 14),
        Digest = ByteString.CopyFrom(Bytes(random, 16)),
        Country = Word(random, 4, 10),
        Latitude = random.NextDouble() * 90 + 0.1,
        Longitude = random.NextDouble() * 180 + 0.1,
        Level = random.Next(1, 100),
        Note = Word(random, 10, 40),
    };

    private static T[] Make<T>(Func<Random, T> make)
    {
        Random random = new(s_seed);
        return [.. Enumerable.Range(0, Count).Select(_ => make(random))];
    }

    private static byte[] Bytes(Random random, int length)
    {
        byte[] bytes = new byte[length];
        random.NextBytes(bytes);
        return bytes;
    }

    private static string Word(Random random, int shortest, int longest) =>
        string.Create(random.Next(shortest, longest + 1), random, (span, from) =>
    {
        foreach (ref char c in span) c = (char)('a' + from.Next(26));
    });

    private static int[] Shuffle(int seed)
    {
        int[] order = [.. Enumerable.Range(0, Count)];
        new Random(seed).Shuffle(order);
        return order;
    }
}

namespace MemPrims.Guard;

/// <summary>Order, equality, copies of blocks of memory; peers are .NET's own routines.</summary>
internal sealed unsafe class BlockRows : IRows
{
    private const int Blocks = 4096, Room = 8192;

    public IEnumerable<Row> All =>
    [
        Two("compare, equal, 0–64", 0, 64, false, static (x, y, n) => Block.Compare(x, y, n), Order),
        Two("compare, different, 0–64", 0, 64, true, static (x, y, n) => Block.Compare(x, y, n), Order),
        Two("compare, equal, 24", 24, 24, false, static (x, y, n) => Block.Compare(x, y, n), Order),
        Two("compare, different, 65–512", 65, 512, true, static (x, y, n) => Block.Compare(x, y, n), Order),
        Two("compare, equal, 4096", 4096, 4096, false, static (x, y, n) => Block.Compare(x, y, n), Order, 64),
        Two("equal, 0–64", 0, 64, false, static (x, y, n) => Block.Equal(x, y, n) ? 1 : 0,
            static (x, y, n) => new ReadOnlySpan<byte>(x, n).SequenceEqual(new(y, n)) ? 1 : 0),
        Two("common prefix, 0–64", 0, 64, true, static (x, y, n) => (int)Block.CommonPrefix(x, y, n),
            static (x, y, n) => new ReadOnlySpan<byte>(x, n).CommonPrefixLength(new(y, n))),
        Two("copy, 0–64", 0, 64, false, Ours, Theirs),
        Two("copy, 24", 24, 24, false, Ours, Theirs),
        Two("copy, 65–512", 65, 512, false, Ours, Theirs),
        Two("copy, 4096", 4096, 4096, false, Ours, Theirs, 64),
        Two("CRC-32C, 100", 100, 100, false, static (x, _, n) => (int)Checksum.Crc32C(new ReadOnlySpan<byte>(x, n)), Sum),
        Two("CRC-32C, 4096", 4096, 4096, false, static (x, _, n) => (int)Checksum.Crc32C(new ReadOnlySpan<byte>(x, n)), Sum, 64),
    ];

    private delegate int Routine(byte* x, byte* y, int length);

    private static int Order(byte* x, byte* y, int n) => new ReadOnlySpan<byte>(x, n).SequenceCompareTo(new(y, n));

    private static int Ours(byte* x, byte* y, int n)
    {
        Block.Copy(x, y, n);
        return 0;
    }

    private static int Theirs(byte* x, byte* y, int n)
    {
        Buffer.MemoryCopy(y, x, n, n);
        return 0;
    }

    private static int Sum(byte* x, byte* y, int n)
    {
        uint crc = uint.MaxValue;
        int i = 0;
        for (; i <= n - 8; i += 8) crc = System.Numerics.BitOperations.Crc32C(crc, *(ulong*)(x + i));
        for (; i < n; i++) crc = System.Numerics.BitOperations.Crc32C(crc, x[i]);
        return (int)~crc;
    }

    // Lengths, places and what differs are drawn anew for each batch: a branch predictor learns thousands of them by heart.
    private static Row Two(string name, int shortest, int longest, bool differ, Routine ours, Routine theirs, int count = Blocks) =>
        new($"blocks: {name}", () =>
        {
            byte[] left = GC.AllocateArray<byte>(Room * 8, pinned: true), right = GC.AllocateArray<byte>(Room * 8, pinned: true);
            byte* x = (byte*)System.Runtime.CompilerServices.Unsafe.AsPointer(ref left[0]),
                y = (byte*)System.Runtime.CompilerServices.Unsafe.AsPointer(ref right[0]);
            (int X, int Y, int Length)[] draws = new (int, int, int)[count];
            Random random = new(1);
            return new(count, () => Batch(ours), ".NET", () => Batch(theirs))
            {
                Redraw = () =>
                {
                    Array.Clear(right);
                    if (differ) for (int i = random.Next(40); i < right.Length; i += random.Next(1, 80)) right[i] = 1;
                    foreach (ref (int X, int Y, int Length) draw in draws.AsSpan())
                        draw = (random.Next(Room), random.Next(Room), random.Next(shortest, longest + 1));
                },
            };

            long Batch(Routine routine)
            {
                long sum = 0;
                foreach ((int atX, int atY, int length) in draws) sum += routine(x + atX, y + atY, length);
                return sum;
            }
        });
}

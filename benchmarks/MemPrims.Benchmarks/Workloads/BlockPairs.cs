using System.Runtime.InteropServices;

namespace MemPrims.Benchmarks.Workloads;

/// <summary>Two blocks and a length: the arguments of one call.</summary>
public unsafe struct BlockPair
{
    public byte* Left, Right;
    public nint Length;
}

/// <summary>
/// The calls of one batch, over two arenas of native memory: at least 32,768, their lengths and offsets shuffled, for the branch predictor learns
/// 4,096 by heart. The arenas of the small cases fit the first-level cache, so that what is measured is the routine and not the memory.
/// </summary>
public sealed unsafe class BlockPairs : IDisposable
{
    public const int SmallArena = 8 * 1024;

    private const int Seed = 20_260_101;
    private readonly byte* _left, _right;

    private BlockPairs(int calls, nint arena)
    {
        Count = calls;
        _left = (byte*)NativeMemory.AlignedAlloc((nuint)arena + 4096, 4096);
        _right = (byte*)NativeMemory.AlignedAlloc((nuint)arena + 4096, 4096);
        NativeMemory.Fill(_left, (nuint)arena + 4096, 7);
        NativeMemory.Fill(_right, (nuint)arena + 4096, 7);
        First = (BlockPair*)NativeMemory.AlignedAlloc((nuint)(calls * sizeof(BlockPair)), 64);
        Random = new Random(Seed);
    }

    public BlockPair* First { get; }

    public BlockPair* End => First + Count;

    public int Count { get; }

    private Random Random { get; }

    /// <summary>Equal blocks of lengths drawn by <paramref name="length"/>, at random offsets (<paramref name="aligned"/>: at multiples of 64).</summary>
    public static BlockPairs Equal(Func<Random, int> length, int longest, int calls = 32_768, bool aligned = false)
    {
        const int room = SmallArena;
        BlockPairs pairs = new(calls, (nint)room + longest);
        int align = aligned ? ~63 : ~0;
        for (int i = 0; i < calls; i++)
            pairs.First[i] = new() { Left = pairs._left + (pairs.Random.Next(room) & align), Right = pairs._right + (pairs.Random.Next(room) & align), Length = length(pairs.Random) };
        return pairs;
    }

    /// <summary>As <see cref="Equal"/>, but every second byte pair of the arenas' first bytes differs with a chance, so that results are of all kinds.</summary>
    public static BlockPairs Differing(Func<Random, int> length, int longest, int calls = 32_768)
    {
        BlockPairs pairs = Equal(length, longest, calls);
        for (int i = 0; i < SmallArena; i++)
            if (pairs.Random.Next(48) == 0) pairs._left[i] = (byte)pairs.Random.Next(256);
        return pairs;
    }

    /// <summary>
    /// An index that takes documents in the order of their ids: keys of 11 to 13 bytes, a prefix of 10 and the id. Each new key is compared with the keys
    /// that a binary search over the page meets, over the length of the shorter; the order of the calls is shuffled.
    /// </summary>
    public static BlockPairs IndexInsertKeys()
    {
        const int slot = 16, keys = SmallArena / slot;
        List<(int New, int Old)> probes = [];
        for (int key = 1; key < keys; key++)
            for (int low = 0, high = key; low < high;)
            {
                int middle = (low + high) / 2;
                probes.Add((key, middle));
                low = middle + 1;
            }
        BlockPairs pairs = new(32_768, SmallArena);
        (int New, int Old)[] shuffled = [.. Enumerable.Range(0, pairs.Count).Select(i => probes[i % probes.Count])];
        pairs.Random.Shuffle(shuffled);
        for (int key = 0; key < keys; key++)
        {
            WriteKey(pairs._left + key * slot, key + 1);
            WriteKey(pairs._right + key * slot, key + 1);
        }
        for (int i = 0; i < pairs.Count; i++)
        {
            (int @new, int old) = shuffled[i];
            pairs.First[i] = new() { Left = pairs._left + @new * slot, Right = pairs._right + old * slot, Length = Math.Min(KeyLength(@new + 1), KeyLength(old + 1)) };
        }
        return pairs;

        static int KeyLength(int id) => 10 + id.ToString().Length;
        static void WriteKey(byte* to, int id) => System.Text.Encoding.ASCII.GetBytes($"documents/{id}").CopyTo(new Span<byte>(to, slot));
    }

    /// <summary>Copies within one arena: the destination lies <paramref name="distance"/> bytes from the source.</summary>
    public static BlockPairs Overlapping(Func<Random, int> length, int longest, int distance, int calls = 32_768)
    {
        const int room = SmallArena;
        BlockPairs pairs = new(calls, room + longest + 256);
        for (int i = 0; i < calls; i++)
        {
            byte* source = pairs._left + 128 + pairs.Random.Next(room);
            pairs.First[i] = new() { Left = source + distance, Right = source, Length = length(pairs.Random) };
        }
        return pairs;
    }

    public void Dispose()
    {
        NativeMemory.AlignedFree(_left);
        NativeMemory.AlignedFree(_right);
        NativeMemory.AlignedFree(First);
    }
}

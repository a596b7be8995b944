using System.Runtime.InteropServices;

namespace MemPrims.Tool.Measure;

/// <summary>
/// Two blocks, as offsets in their arenas, and a length: the arguments of one call. It is small on purpose: three words of 8 bytes made
/// the 32,768 calls of a batch fill most of the second-level cache, and the cache misses cost more than the routine. Copies go from the
/// right to the left.
/// </summary>
public struct BlockPair
{
    public int Left, Right, Length;
}

/// <summary>
/// The calls of one batch, over two arenas of native memory. <see cref="Redraw"/> draws all lengths and offsets anew; whoever measures
/// calls it before every timed batch. The arenas of the small cases fit the first-level cache: the routine is measured, not the memory.
/// </summary>
public sealed unsafe class BlockPairs : IDisposable
{
    /// <summary>Calls in a batch of blocks whose lengths vary.</summary>
    public const int ManyCalls = 32_768;

    private const int SmallArena = 8 * 1024;

    private readonly Func<Random, BlockPair> _draw;
    private readonly Random _random = new();

    private BlockPairs(int calls, nint arena, Func<Random, BlockPair> draw, bool oneArena = false)
    {
        Count = calls;
        ArenaSize = arena + 4096;
        LeftArena = (byte*)NativeMemory.AlignedAlloc((nuint)ArenaSize, 4096);
        RightArena = oneArena ? LeftArena : (byte*)NativeMemory.AlignedAlloc((nuint)ArenaSize, 4096);
        NativeMemory.Fill(LeftArena, (nuint)ArenaSize, 7);
        NativeMemory.Fill(RightArena, (nuint)ArenaSize, 7);
        First = (BlockPair*)NativeMemory.AlignedAlloc((nuint)(calls * sizeof(BlockPair)), 64);
        _draw = draw;
        Redraw();
    }

    public BlockPair* First { get; }

    public BlockPair* End => First + Count;

    public int Count { get; }

    public byte* LeftArena { get; private set; }

    public byte* RightArena { get; private set; }

    public nint ArenaSize { get; }

    /// <summary>How many calls make a batch of blocks of one length: about 4 MiB in all.</summary>
    public static int CallsFor(int length) => Math.Clamp((4 << 20) / Math.Max(length, 1), 4, ManyCalls);

    /// <summary>Equal blocks at random offsets; aligned ones start at multiples of 64.</summary>
    public static BlockPairs Equal(Func<Random, int> length, int longest, int calls = ManyCalls, bool aligned = false)
    {
        int align = aligned ? ~63 : ~0;
        return new(calls, (nint)SmallArena + longest, random => new()
        {
            Left = random.Next(SmallArena) & align,
            Right = random.Next(SmallArena) & align,
            Length = length(random),
        });
    }

    /// <summary>Empty spans as <c>default</c> gives them: null pointers and no bytes.</summary>
    public static BlockPairs Null()
    {
        BlockPairs pairs = new(ManyCalls, 0, _ => default);
        NativeMemory.AlignedFree(pairs.LeftArena);
        NativeMemory.AlignedFree(pairs.RightArena);
        pairs.LeftArena = pairs.RightArena = null;
        return pairs;
    }

    /// <summary>
    /// Equal blocks scattered over <paramref name="arena"/> bytes: most calls miss the first caches, so a cache line that is touched for
    /// nothing costs.
    /// </summary>
    public static BlockPairs Scattered(Func<Random, int> length, int longest, int arena) =>
        new(ManyCalls, (nint)arena + longest, random =>
            new() { Left = random.Next(arena), Right = random.Next(arena), Length = length(random) });

    /// <summary>As <see cref="Equal"/>, but one in 48 of the left bytes is a random one, so that results are of all kinds.</summary>
    public static BlockPairs Differing(Func<Random, int> length, int longest, int calls = ManyCalls)
    {
        BlockPairs pairs = Equal(length, longest, calls);
        for (int i = 0; i < SmallArena; i++)
            if (pairs._random.Next(48) == 0) pairs.LeftArena[i] = (byte)pairs._random.Next(256);
        return pairs;
    }

    /// <summary>As <see cref="Equal"/>, but the first bytes differ, so that no more than the start of the blocks need be read.</summary>
    public static BlockPairs DifferingAtOnce(Func<Random, int> length, int longest, int calls = ManyCalls, bool aligned = false)
    {
        BlockPairs pairs = Equal(length, longest, calls, aligned);
        NativeMemory.Fill(pairs.LeftArena, (nuint)pairs.ArenaSize, 6);
        return pairs;
    }

    /// <summary>
    /// An index that takes documents in the order of their ids: keys of 11 to 13 bytes, a prefix of 10 and the id. A new key is compared
    /// with one of the keys that a binary search over the page meets, over the length of the shorter.
    /// </summary>
    public static BlockPairs IndexInsertKeys()
    {
        const int slot = 16, keys = SmallArena / slot;
        BlockPairs pairs = new(ManyCalls, SmallArena, random =>
        {
            int key = random.Next(1, keys), low = 0, high = key, middle = key / 2;
            for (int steps = random.Next(9); steps > 0 && low < high; steps--)
            {
                middle = (low + high) / 2;
                low = middle + 1;
            }
            return new() { Left = key * slot, Right = middle * slot, Length = Math.Min(KeyLength(key + 1), KeyLength(middle + 1)) };
        });
        for (int key = 0; key < keys; key++)
        {
            WriteKey(pairs.LeftArena + key * slot, key + 1);
            WriteKey(pairs.RightArena + key * slot, key + 1);
        }
        return pairs;

        static int KeyLength(int id) => 10 + (id < 10 ? 1 : id < 100 ? 2 : 3);
        static void WriteKey(byte* to, int id) => System.Text.Encoding.ASCII.GetBytes($"documents/{id}").CopyTo(new Span<byte>(to, slot));
    }

    /// <summary>Copies within one arena. The destination lies so far after the source, or before it where that is negative.</summary>
    public static BlockPairs Overlapping(Func<Random, int> length, int longest, int distance, int calls = ManyCalls) =>
        new(calls, SmallArena + longest + 256, random =>
    {
        int source = 128 + random.Next(SmallArena);
        return new() { Left = source + distance, Right = source, Length = length(random) };
    }, oneArena: true);

    public void Redraw()
    {
        for (int i = 0; i < Count; i++) First[i] = _draw(_random);
    }

    public void Dispose()
    {
        NativeMemory.AlignedFree(LeftArena);
        if (RightArena != LeftArena) NativeMemory.AlignedFree(RightArena);
        NativeMemory.AlignedFree(First);
    }
}

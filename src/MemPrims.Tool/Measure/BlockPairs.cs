using System.Runtime.InteropServices;

namespace MemPrims.Tool.Measure;

/// <summary>
/// Two blocks, as offsets in their arenas, and a length: the arguments of one call. It is small on purpose: three words of 8 bytes made
/// the 32,768 calls of a batch fill most of the second-level cache, and the cache misses cost more than the routine.
/// </summary>
public struct BlockPair
{
    /// <summary>The first block: the destination of a copy.</summary>
    public int Left;

    /// <summary>The other block: the source of a copy.</summary>
    public int Right;

    /// <summary>How many bytes both have.</summary>
    public int Length;
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

    /// <summary>The arguments of the first call.</summary>
    public BlockPair* First { get; }

    /// <summary>After those of the last one.</summary>
    public BlockPair* End => First + Count;

    /// <summary>How many calls there are.</summary>
    public int Count { get; }

    /// <summary>Where the left blocks lie.</summary>
    public byte* LeftArena { get; private set; }

    /// <summary>Where the right blocks lie.</summary>
    public byte* RightArena { get; private set; }

    /// <summary>How many bytes each arena has.</summary>
    public nint ArenaSize { get; }

    /// <summary>How many calls make a batch of blocks of one length.</summary>
    /// <param name="length">The length of all.</param>
    /// <returns>At most <see cref="ManyCalls"/>, at least 4; about 4 MiB in all.</returns>
    public static int CallsFor(int length) => Math.Clamp((4 << 20) / Math.Max(length, 1), 4, ManyCalls);

    /// <summary>Equal blocks at random offsets.</summary>
    /// <param name="length">Draws a length.</param>
    /// <param name="longest">The longest that it draws.</param>
    /// <param name="calls">How many calls.</param>
    /// <param name="aligned">Whether both blocks start at multiples of 64.</param>
    /// <returns>The arguments of the calls.</returns>
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
    /// <returns>The arguments of the calls.</returns>
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
    /// <param name="length">Draws a length.</param>
    /// <param name="longest">The longest that it draws.</param>
    /// <param name="arena">The room for blocks, on either side.</param>
    /// <returns>The arguments of the calls.</returns>
    public static BlockPairs Scattered(Func<Random, int> length, int longest, int arena) =>
        new(ManyCalls, (nint)arena + longest, random =>
            new() { Left = random.Next(arena), Right = random.Next(arena), Length = length(random) });

    /// <summary>As <see cref="Equal"/>, but one in 48 of the left bytes is a random one, so that results are of all kinds.</summary>
    /// <param name="length">Draws a length.</param>
    /// <param name="longest">The longest that it draws.</param>
    /// <param name="calls">How many calls.</param>
    /// <returns>The arguments of the calls.</returns>
    public static BlockPairs Differing(Func<Random, int> length, int longest, int calls = ManyCalls)
    {
        BlockPairs pairs = Equal(length, longest, calls);
        for (int i = 0; i < SmallArena; i++)
            if (pairs._random.Next(48) == 0) pairs.LeftArena[i] = (byte)pairs._random.Next(256);
        return pairs;
    }

    /// <summary>As <see cref="Equal"/>, but the first bytes differ, so that no more than the start of the blocks need be read.</summary>
    /// <param name="length">Draws a length.</param>
    /// <param name="longest">The longest that it draws.</param>
    /// <param name="calls">How many calls.</param>
    /// <param name="aligned">Whether both blocks start at multiples of 64.</param>
    /// <returns>The arguments of the calls.</returns>
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
    /// <returns>The arguments of the calls.</returns>
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

    /// <summary>Copies within one arena.</summary>
    /// <param name="length">Draws a length.</param>
    /// <param name="longest">The longest that it draws.</param>
    /// <param name="distance">How far the destination lies after the source; negative: before it.</param>
    /// <param name="calls">How many calls.</param>
    /// <returns>The arguments of the calls.</returns>
    public static BlockPairs Overlapping(Func<Random, int> length, int longest, int distance, int calls = ManyCalls) =>
        new(calls, SmallArena + longest + 256, random =>
    {
        int source = 128 + random.Next(SmallArena);
        return new() { Left = source + distance, Right = source, Length = length(random) };
    }, oneArena: true);

    /// <summary>Draws the lengths and offsets of all calls anew.</summary>
    public void Redraw()
    {
        for (int i = 0; i < Count; i++) First[i] = _draw(_random);
    }

    /// <summary>Frees the arenas.</summary>
    public void Dispose()
    {
        NativeMemory.AlignedFree(LeftArena);
        if (RightArena != LeftArena) NativeMemory.AlignedFree(RightArena);
        NativeMemory.AlignedFree(First);
    }
}

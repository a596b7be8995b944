using System.Runtime.InteropServices;

namespace MemPrims.Tool.Measure;

/// <summary>
/// Two blocks, as offsets in their arenas, and a length: the arguments of one call. Small, for with three words of 8 bytes the 32,768 calls of a batch
/// were most of the second-level cache, and what missed it cost more than the routine.
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
/// The calls of one batch, over two arenas of native memory: 32,768 where lengths vary, they and the offsets shuffled, for the branch predictor
/// learns 4,096 by heart. The arenas of the small cases fit the first-level cache, so that what is measured is the routine and not the memory.
/// </summary>
public sealed unsafe class BlockPairs : IDisposable
{
    /// <summary>Calls in a batch of blocks whose lengths vary.</summary>
    public const int ManyCalls = 32_768;

    private const int SmallArena = 8 * 1024;
    private const int Seed = 20_260_101;

    private BlockPairs(int calls, nint arena, bool oneArena = false)
    {
        Count = calls;
        ArenaSize = arena + 4096;
        LeftArena = (byte*)NativeMemory.AlignedAlloc((nuint)ArenaSize, 4096);
        RightArena = oneArena ? LeftArena : (byte*)NativeMemory.AlignedAlloc((nuint)ArenaSize, 4096);
        NativeMemory.Fill(LeftArena, (nuint)ArenaSize, 7);
        NativeMemory.Fill(RightArena, (nuint)ArenaSize, 7);
        First = (BlockPair*)NativeMemory.AlignedAlloc((nuint)(calls * sizeof(BlockPair)), 64);
        Random = new Random(Seed);
    }

    /// <summary>The arguments of the first call.</summary>
    public BlockPair* First { get; }

    /// <summary>Behind those of the last one.</summary>
    public BlockPair* End => First + Count;

    /// <summary>How many calls there are.</summary>
    public int Count { get; }

    /// <summary>Where the left blocks lie.</summary>
    public byte* LeftArena { get; }

    /// <summary>Where the right blocks lie.</summary>
    public byte* RightArena { get; }

    /// <summary>How many bytes each arena has.</summary>
    public nint ArenaSize { get; }

    private Random Random { get; }

    /// <summary>How many calls make a batch of blocks of one length. Long blocks need fewer: they have no length to be learned by heart.</summary>
    /// <param name="length">The length of all.</param>
    /// <returns>At most <see cref="ManyCalls"/>, at least 4.</returns>
    public static int CallsFor(int length) => Math.Clamp((4 << 20) / Math.Max(length, 1), 4, ManyCalls);

    /// <summary>Equal blocks at random offsets.</summary>
    /// <param name="length">Draws a length.</param>
    /// <param name="longest">The longest that it draws.</param>
    /// <param name="calls">How many calls.</param>
    /// <param name="aligned">Whether both blocks start at multiples of 64.</param>
    /// <returns>The arguments of the calls.</returns>
    public static BlockPairs Equal(Func<Random, int> length, int longest, int calls = ManyCalls, bool aligned = false)
    {
        const int room = SmallArena;
        BlockPairs pairs = new(calls, (nint)room + longest);
        int align = aligned ? ~63 : ~0;
        for (int i = 0; i < calls; i++)
            pairs.First[i] = new() { Left = pairs.Random.Next(room) & align, Right = pairs.Random.Next(room) & align, Length = length(pairs.Random) };
        return pairs;
    }

    /// <summary>As <see cref="Equal"/>, but one in 48 of the left bytes is a random one, so that results are of all kinds.</summary>
    /// <param name="length">Draws a length.</param>
    /// <param name="longest">The longest that it draws.</param>
    /// <param name="calls">How many calls.</param>
    /// <returns>The arguments of the calls.</returns>
    public static BlockPairs Differing(Func<Random, int> length, int longest, int calls = ManyCalls)
    {
        BlockPairs pairs = Equal(length, longest, calls);
        for (int i = 0; i < SmallArena; i++)
            if (pairs.Random.Next(48) == 0) pairs.LeftArena[i] = (byte)pairs.Random.Next(256);
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
    /// An index that takes documents in the order of their ids: keys of 11 to 13 bytes, a prefix of 10 and the id. Each new key is compared with the keys
    /// that a binary search over the page meets, over the length of the shorter; the order of the calls is shuffled.
    /// </summary>
    /// <returns>The arguments of the calls.</returns>
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
        BlockPairs pairs = new(ManyCalls, SmallArena);
        (int New, int Old)[] shuffled = [.. Enumerable.Range(0, pairs.Count).Select(i => probes[i % probes.Count])];
        pairs.Random.Shuffle(shuffled);
        for (int key = 0; key < keys; key++)
        {
            WriteKey(pairs.LeftArena + key * slot, key + 1);
            WriteKey(pairs.RightArena + key * slot, key + 1);
        }
        for (int i = 0; i < pairs.Count; i++)
        {
            (int @new, int old) = shuffled[i];
            pairs.First[i] = new() { Left = @new * slot, Right = old * slot, Length = Math.Min(KeyLength(@new + 1), KeyLength(old + 1)) };
        }
        return pairs;

        static int KeyLength(int id) => 10 + id.ToString().Length;
        static void WriteKey(byte* to, int id) => System.Text.Encoding.ASCII.GetBytes($"documents/{id}").CopyTo(new Span<byte>(to, slot));
    }

    /// <summary>Copies within one arena.</summary>
    /// <param name="length">Draws a length.</param>
    /// <param name="longest">The longest that it draws.</param>
    /// <param name="distance">How far the destination lies behind the source; negative: before it.</param>
    /// <param name="calls">How many calls.</param>
    /// <returns>The arguments of the calls.</returns>
    public static BlockPairs Overlapping(Func<Random, int> length, int longest, int distance, int calls = ManyCalls)
    {
        const int room = SmallArena;
        BlockPairs pairs = new(calls, room + longest + 256, oneArena: true);
        for (int i = 0; i < calls; i++)
        {
            int source = 128 + pairs.Random.Next(room);
            pairs.First[i] = new() { Left = source + distance, Right = source, Length = length(pairs.Random) };
        }
        return pairs;
    }

    /// <summary>Frees the arenas.</summary>
    public void Dispose()
    {
        NativeMemory.AlignedFree(LeftArena);
        if (RightArena != LeftArena) NativeMemory.AlignedFree(RightArena);
        NativeMemory.AlignedFree(First);
    }
}

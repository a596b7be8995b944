using System.Runtime.InteropServices;

namespace MemPrims.Benchmarks.Workloads;

/// <summary>The blocks of cases that the tool's sweep does not have.</summary>
public static unsafe class CasePairs
{
    /// <summary>Empty spans as <c>default</c> gives them: null pointers and no bytes.</summary>
    public static BlockPairs Null()
    {
        BlockPairs pairs = new(BlockPairs.ManyCalls, 0, _ => default);
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
        new(BlockPairs.ManyCalls, (nint)arena + longest, random =>
            new() { Left = random.Next(arena), Right = random.Next(arena), Length = length(random) });

    /// <summary>As <see cref="BlockPairs.Equal"/>, but one in 48 of the left bytes is a random one: results are of all kinds.</summary>
    public static BlockPairs Differing(Func<Random, int> length, int longest, int calls = BlockPairs.ManyCalls)
    {
        BlockPairs pairs = BlockPairs.Equal(length, longest, calls);
        Random random = new();
        for (int i = 0; i < BlockPairs.SmallArena; i++)
            if (random.Next(48) == 0) pairs.LeftArena[i] = (byte)random.Next(256);
        return pairs;
    }

    /// <summary>
    /// Blocks that are equal up to a place drawn for each pair, and differ there: all bytes from it on are drawn at random, or only that
    /// one.
    /// </summary>
    public static BlockPairs DifferingSomewhere(int shortest, int longest, bool rest)
    {
        const int marks = 8;
        const byte common = 0x80;
        BlockPairs pairs = new(BlockPairs.ManyCalls, marks * 2 * longest, random =>
        {
            int length = random.Next(shortest, longest + 1), mark = (2 * random.Next(marks) + 1) * longest;
            return new() { Left = random.Next(BlockPairs.SmallArena) % longest, Right = mark - random.Next(length), Length = length };
        });
        NativeMemory.Fill(pairs.LeftArena, (nuint)pairs.ArenaSize, common);
        NativeMemory.Fill(pairs.RightArena, (nuint)pairs.ArenaSize, common);
        Random random = new();
        for (int mark = longest; mark < marks * 2 * longest; mark += 2 * longest)
        {
            Span<byte> differing = new(pairs.RightArena + mark, rest ? longest : 1);
            random.NextBytes(differing);
            while (differing[0] == common) differing[0] = (byte)random.Next(256);
        }
        return pairs;
    }

    /// <summary>As <see cref="BlockPairs.Equal"/>, but the first bytes differ: only the start of the blocks need be read.</summary>
    public static BlockPairs DifferingAtOnce(Func<Random, int> length, int longest, int calls = BlockPairs.ManyCalls, bool aligned = false)
    {
        BlockPairs pairs = BlockPairs.Equal(length, longest, calls, aligned);
        NativeMemory.Fill(pairs.LeftArena, (nuint)pairs.ArenaSize, 6);
        return pairs;
    }

    /// <summary>
    /// An index that takes documents in the order of their ids: keys of 11 to 13 bytes, a prefix of 10 and the id. A new key is compared
    /// with one of the keys that a binary search over the page meets, over the length of the shorter.
    /// </summary>
    public static BlockPairs IndexInsertKeys()
    {
        const int slot = 16, keys = BlockPairs.SmallArena / slot;
        BlockPairs pairs = new(BlockPairs.ManyCalls, BlockPairs.SmallArena, random =>
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
    public static BlockPairs Overlapping(Func<Random, int> length, int longest, int distance, int calls = BlockPairs.ManyCalls) =>
        new(calls, BlockPairs.SmallArena + longest + 256, random =>
    {
        int source = 128 + random.Next(BlockPairs.SmallArena);
        return new() { Left = source + distance, Right = source, Length = length(random) };
    }, oneArena: true);

    /// <summary>Lengths from <paramref name="shortest"/> to <paramref name="longest"/>, every doubling as likely as any other.</summary>
    public static Func<Random, int> Between(int shortest, int longest) => random =>
        (int)(shortest * Math.Pow((double)longest / shortest, random.NextDouble()));
}

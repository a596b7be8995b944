namespace MemPrims.Tool.Measure;

// Two blocks, as offsets in their arenas, and a length: a call's arguments. Small on purpose: with three words of 8 bytes the 32,768 calls
// of a batch fill most of the second-level cache, and its misses cost more than the routine. Copies go from right to left.
public struct BlockPair
{
    public int Left, Right, Length;
}

// The calls of one batch, over two arenas of native memory. Redraw draws all lengths and offsets anew; whoever measures calls it before
// every timed batch. The arenas of the small cases fit the first-level cache: the routine is measured, not the memory.
public sealed unsafe class BlockPairs : IDisposable
{
    // Calls in a batch of blocks whose lengths vary.
    public const int ManyCalls = 32_768;

    // Fits the first-level cache twice.
    public const int SmallArena = 8 * 1024;

    private readonly Func<Random, BlockPair> _draw;
    private readonly Random _random = new();

    // arena: how many bytes the offsets that are drawn can reach.
    public BlockPairs(int calls, nint arena, Func<Random, BlockPair> draw, bool oneArena = false)
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

    public byte* LeftArena { get; set; }

    public byte* RightArena { get; set; }

    public nint ArenaSize { get; }

    // How many calls make a batch of blocks of one length: about 4 MiB in all.
    public static int CallsFor(int length) => Math.Clamp((4 << 20) / Math.Max(length, 1), 4, ManyCalls);

    // Equal blocks at random offsets; aligned ones start at multiples of 64.
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

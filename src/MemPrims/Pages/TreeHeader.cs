namespace MemPrims.Pages;

// The page that a tree keeps for itself, at the store's root; the rest of it is zero. What the fields mean stands in LAYOUT.md.
internal unsafe struct TreeHeader
{
    public const int Bytes = 64;

    // The bytes "MPt2".
    public const uint TreeMagic = 0x3274504D;

    // The number of changes in a new header. A tree that has no page yet has 0.
    public const ulong FirstChanges = 2;

    // More levels than a tree of 2³² pages can have.
    public const int MostLevels = 48;

    // That of a tree that has no page yet: its number of changes is that of no tree. Never freed.
    public static readonly TreeHeader* None = MakeNone();

    public uint Magic, PageSize, Top, Levels;
    public long Count;

    // Odd while a change is being made, and more by two after it. So a reader beside a writer is told, another SortedTree over the same
    // store too, and a change that a crash has cut off is seen.
    public ulong Changes;
    public fixed byte Zero[32];

    private static TreeHeader* MakeNone()
    {
        TreeHeader* none = (TreeHeader*)NativeMemory.AllocZeroed(Bytes);
        none->Changes = ulong.MaxValue;
        return none;
    }

    // The order that processors with a weak one keep: the odd number before all that the change writes, and the even one, by which it
    // ends, after it; a reader's first look before all that it reads, by an acquire, and its last look after it. An acquire orders nothing
    // before itself, so the last look needs the barrier. Barriers have volatile accesses beside them: .NET's arm64 compiler pairs plain
    // ones of one base across a barrier.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Begin(TreeHeader* header, ulong odd)
    {
        Volatile.Write(ref header->Changes, odd);
        Volatile.WriteBarrier();
    }

    // The number of changes after all that was read up to here.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong LastLook(ulong* changes)
    {
        Volatile.ReadBarrier();
        return Volatile.Read(ref *changes);
    }
}

// The first bytes of an overflow page; the value's bytes follow.
internal struct OverflowHeader
{
    public const int Bytes = 16;

    // The bytes "MPo1".
    public const uint OverflowMagic = 0x316F504D;

    public uint Magic, Next, Length, Zero;
}

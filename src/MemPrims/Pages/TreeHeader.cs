namespace MemPrims.Pages;

// The page that a tree keeps for itself, at the store's root; the rest of it is zero. LAYOUT.md is the same as a table.
internal unsafe struct TreeHeader
{
    public const int Bytes = 64;

    // The bytes "MPt2".
    public const uint TreeMagic = 0x3274504D;

    // The number of changes in a new header. There is no tree object that has read another one as 0.
    public const ulong FirstChanges = 2;

    // More levels than a tree of 2³² pages can have.
    public const int MostLevels = 48;

    public uint Magic;
    public uint PageSize;

    // The topmost page of entries.
    public uint Top;
    public uint Levels;
    public long Count;

    // Odd while a change is being made, and more by two after it. So a second SortedTree over the same store sees that it must read this
    // page again, a reader beside a writer is told, and a change that a crash has cut off is seen.
    public ulong Changes;
    public fixed byte Zero[32];
}

// The first bytes of an overflow page; the value's bytes follow.
internal struct OverflowHeader
{
    public const int Bytes = 16;

    // The bytes "MPo1".
    public const uint OverflowMagic = 0x316F504D;

    public uint Magic;

    // The next page of the value; 0 in the last.
    public uint Next;

    // How many bytes of the value are in this page and those after it.
    public uint Length;
    public uint Zero;
}

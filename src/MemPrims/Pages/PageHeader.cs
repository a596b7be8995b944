namespace MemPrims.Pages;

/// <summary>The first 128 bytes of a page: two cache lines. LAYOUT.md is the same as a table. All numbers are little-endian.</summary>
internal unsafe struct PageHeader
{
    public const int Bytes = 128, HintCount = 16, HintsOffset = 64, ReservedBytes = 36;

    /// <summary>The bytes "MPg1".</summary>
    public const uint SortedMagic = 0x3167504D;

    /// <summary>The fewest heads between two hints, as a power of two: what one vector compare of 512 bits holds.</summary>
    public const int SmallestStepBits = 4;

    /// <summary>More than any page has: with 17 times 512 heads and their slots there is no room for entries.</summary>
    public const int MostStepBits = 9;

    public uint Magic;
    public ushort Count;

    /// <summary>How many heads, and as many slots, there is room for.</summary>
    public ushort Capacity;

    /// <summary>How many bytes all keys of the page start with.</summary>
    public ushort Prefix;

    /// <summary>Hint i is head (i + 1) &lt;&lt; StepBits.</summary>
    public byte StepBits;

    /// <summary>The tree's: 0 in a leaf, and one more in a parent than in its children.</summary>
    public byte Level;
    public uint Size;

    /// <summary>The offset of the lowest entry; the page's size when there is none.</summary>
    public uint HeapStart;

    /// <summary>The bytes of all entries that have a slot.</summary>
    public uint Live;

    /// <summary>The tree's: in a branch the child for keys before the first separator.</summary>
    public uint FirstChild;
    public fixed byte Reserved[ReservedBytes];
    public fixed int Hints[HintCount];

    /// <summary>The smallest step with which 16 hints cut the heads into 17 blocks of that many.</summary>
    public static int StepBitsFor(int count)
    {
        int bits = SmallestStepBits;
        while ((HintCount + 1) << bits < count) bits++;
        return bits;
    }
}

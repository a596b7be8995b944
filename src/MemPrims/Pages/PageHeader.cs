namespace MemPrims.Pages;

// The first 128 bytes of a page: two cache lines. What the fields mean stands in LAYOUT.md. All numbers are little-endian.
internal unsafe struct PageHeader
{
    public const int Bytes = 128, HintCount = 16, HintsOffset = 64, ReservedBytes = 36;

    // The bytes "MPg1".
    public const uint SortedMagic = 0x3167504D;

    // The fewest heads between two hints, as a power of two: what one vector compare of 512 bits holds.
    public const int SmallestStepBits = 4;

    // More than any page has: with 17 times 512 heads and their slots there is no room for entries.
    public const int MostStepBits = 9;

    public uint Magic;
    public ushort Count, Capacity, Prefix;
    public byte StepBits, Level;
    public uint Size, HeapStart, Live, FirstChild;
    public fixed byte Reserved[ReservedBytes];
    public fixed int Hints[HintCount];

    // The smallest step with which 16 hints cut the heads into 17 blocks of that many.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int StepBitsFor(int count)
    {
        int bits = SmallestStepBits;
        while ((HintCount + 1) << bits < count) bits++;
        return bits;
    }
}

namespace MemPrims.Pages;

// What the sizes of a page and of its parts may be. LAYOUT.md draws it.
internal static unsafe class PageLayout
{
    public const int SmallestPage = 512, LargestPage = 65_536, PageMultiple = 64;

    // An entry begins with the length of its key and that of its value, two bytes each.
    public const int EntryHeader = 4;

    // The highest bit of a value's length is the tree's: the value is in overflow pages, and the entry holds where.
    public const int TagBit = 0x8000;

    public const int HeadBytes = sizeof(int), SlotBytes = sizeof(ushort), PerSlot = HeadBytes + SlotBytes;

    // Room for heads and slots comes in steps of this many, so that slots stay aligned and one more entry never costs over 28 bytes.
    public const int CapacityStep = 4;

    // The largest entry, key and value together: eight fit a page of any size, but for their slots.
    public static int MaxEntry(int pageSize) => pageSize / 8;

    // The bytes of the heads and slots of so many entries.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int SlotsFor(int count) => RoundUp(count) * PerSlot;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int RoundUp(int count) => (count + CapacityStep - 1) & ~(CapacityStep - 1);

    // Refuses what no page can be. The other two conditions are constants for the JIT: they cost nothing. The name is that of the public
    // method's parameter.
    public static void CheckSize(int pageSize, string name)
    {
        if (sizeof(PageHeader) != PageHeader.Bytes) throw new PlatformNotSupportedException("The header of a page should have 128 bytes.");
        if (!BitConverter.IsLittleEndian) throw new PlatformNotSupportedException("Pages are little-endian; this machine is not.");
        if (pageSize < SmallestPage || pageSize > LargestPage || pageSize % PageMultiple != 0) PageErrors.ThrowPageSize(pageSize, name);
    }
}

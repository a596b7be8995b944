using System.Runtime.InteropServices;

namespace MemPrims.Pages;

/// <summary>Page 0 of a file of pages; the rest of it is zero. LAYOUT.md is the same as a table.</summary>
[StructLayout(LayoutKind.Explicit, Size = Bytes)]
internal struct MappedPagesHeader
{
    public const int Bytes = 64;

    /// <summary>The bytes "MPf1".</summary>
    public const uint FileMagic = 0x3166504D;

    [FieldOffset(0)] public uint Magic;
    [FieldOffset(4)] public uint PageSize;

    /// <summary>Page 0 and all that were ever given out.</summary>
    [FieldOffset(8)] public uint PageCount;
    [FieldOffset(12)] public uint Root;

    /// <summary>The free page that is given out next; 0 where there is none.</summary>
    [FieldOffset(16)] public uint FirstFree;
    [FieldOffset(20)] public uint FreeCount;
}

/// <summary>The first bytes of a page that is free.</summary>
[StructLayout(LayoutKind.Explicit, Size = 8)]
internal struct FreePageHeader
{
    /// <summary>The bytes "MPx1".</summary>
    public const uint FreeMagic = 0x3178504D;

    [FieldOffset(0)] public uint Magic;
    [FieldOffset(4)] public uint Next;
}

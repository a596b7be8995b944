using System.Runtime.InteropServices;

namespace MemPrims.Pages;

/// <summary>
/// The page that a tree keeps for itself, at the store's root; the rest of it is zero. LAYOUT.md is the same as a table.
/// </summary>
[StructLayout(LayoutKind.Explicit, Size = Bytes)]
internal struct TreeHeader
{
    public const int Bytes = 64;

    /// <summary>The bytes "MPt1".</summary>
    public const uint TreeMagic = 0x3174504D;

    /// <summary>More levels than a tree of 2³² pages can have.</summary>
    public const int MostLevels = 48;

    [FieldOffset(0)] public uint Magic;
    [FieldOffset(4)] public uint PageSize;

    /// <summary>The topmost page of entries.</summary>
    [FieldOffset(8)] public uint Top;
    [FieldOffset(12)] public uint Levels;
    [FieldOffset(16)] public long Count;

    /// <summary>
    /// Goes up by one with every change, so that a second <see cref="SortedTree"/> over the same store sees that it must read this page
    /// again.
    /// </summary>
    [FieldOffset(24)] public ulong Changes;
}

/// <summary>The first bytes of an overflow page; the value's bytes follow.</summary>
[StructLayout(LayoutKind.Explicit, Size = Bytes)]
internal struct OverflowHeader
{
    public const int Bytes = 16;

    /// <summary>The bytes "MPo1".</summary>
    public const uint OverflowMagic = 0x316F504D;

    [FieldOffset(0)] public uint Magic;

    /// <summary>The next page of the value; 0 in the last.</summary>
    [FieldOffset(4)] public uint Next;

    /// <summary>How many bytes of the value are in this page and those after it.</summary>
    [FieldOffset(8)] public uint Length;
    [FieldOffset(12)] public uint Zero;
}

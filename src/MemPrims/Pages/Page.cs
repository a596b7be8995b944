using System.Runtime.CompilerServices;

namespace MemPrims.Pages;

/// <summary>
/// A page by its address. Heads and slots grow up behind the header, entries grow down from the end. Whoever makes one has checked the
/// header's numbers against the size (<see cref="PageCheck.Header"/>), so that heads and slots are in the page; <see cref="Entry"/>
/// checks the rest, so that no bytes at all lead outside.
/// </summary>
internal readonly unsafe struct Page(byte* start, int size)
{
    public readonly byte* Start = start;
    public readonly int Size = size;

    public PageHeader* Header => (PageHeader*)Start;

    public int Count => Header->Count;

    public int* Heads => (int*)(Start + PageHeader.Bytes);

    public ushort* Slots => (ushort*)(Start + PageHeader.Bytes + Header->Capacity * PageLayout.HeadBytes);

    /// <summary>The offset of a field of the header, for errors.</summary>
    public int OffsetOf(void* field) => (int)((byte*)field - Start);

    /// <summary>The bytes between the slots and the lowest entry.</summary>
    public int Gap => (int)Header->HeapStart - PageHeader.Bytes - Header->Capacity * PageLayout.PerSlot;

    public int FreeBytes => Size - PageHeader.Bytes - PageLayout.SlotsFor(Count) - (int)Header->Live;

    /// <summary>Bytes in use, of <see cref="Size"/> less the header.</summary>
    public int Used => Size - PageHeader.Bytes - FreeBytes;

    /// <summary>
    /// Where an entry starts. All of it lies among the entries, or this throws. So even on a damaged page no span and no write reaches
    /// the header, whose numbers were checked only once.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public byte* Entry(int position)
    {
        int offset = Slots[position];
        byte* entry = Start + offset;
        if (offset < (int)Header->HeapStart || offset > Size - PageLayout.EntryHeader || offset + EntryBytes(entry) > Size)
            PageErrors.DamagedEntry(position, offset);
        return entry;
    }

    public ReadOnlySpan<byte> Key(int position)
    {
        byte* entry = Entry(position);
        return new(KeyOf(entry), KeyLength(entry));
    }

    public Span<byte> Value(int position)
    {
        byte* entry = Entry(position);
        return new(ValueOf(entry), ValueLength(entry));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int KeyLength(byte* entry) => *(ushort*)entry;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int ValueLength(byte* entry) => *(ushort*)(entry + 2) & ~PageLayout.TagBit;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool IsTagged(byte* entry) => (*(ushort*)(entry + 2) & PageLayout.TagBit) != 0;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* KeyOf(byte* entry) => entry + PageLayout.EntryHeader;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* ValueOf(byte* entry) => entry + PageLayout.EntryHeader + KeyLength(entry);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int EntryBytes(byte* entry) => PageLayout.EntryHeader + KeyLength(entry) + ValueLength(entry);

    /// <summary>Makes an empty page.</summary>
    public void Initialize(int level = 0)
    {
        *Header = default;
        Header->Magic = PageHeader.SortedMagic;
        Header->Size = (uint)Size;
        Header->Level = (byte)level;
        Reset();
    }

    /// <summary>Forgets all entries; level and first child stay.</summary>
    public void Reset()
    {
        Header->Count = Header->Capacity = Header->Prefix = 0;
        Header->StepBits = PageHeader.SmallestStepBits;
        Header->HeapStart = (uint)Size;
        Header->Live = 0;
        PageHeads.FillHints(this, 0);
    }
}

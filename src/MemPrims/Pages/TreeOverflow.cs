namespace MemPrims.Pages;

// Values that are too large for an entry: a chain of pages. The entry holds the first page and the length, 4 bytes each.
internal static unsafe class TreeOverflow
{
    public const int ReferenceBytes = 8;

    // Writes a value to pages that TreePages.Reserve has taken. Answers what the entry holds.
    public static ulong Write(TreePages pages, ReadOnlySpan<byte> value)
    {
        int room = Room(pages);
        uint first = pages.Take(), at = first;
        for (int done = 0; ;)
        {
            int here = Math.Min(room, value.Length - done);
            uint next = done + here < value.Length ? pages.Take() : 0;
            byte* page = pages.Raw(at).Start;
            *(OverflowHeader*)page = new() { Magic = OverflowHeader.OverflowMagic, Next = next, Length = (uint)(value.Length - done) };
            value.Slice(done, here).CopyTo(new Span<byte>(page + OverflowHeader.Bytes, here));
            done += here;
            if (next == 0) return first | (ulong)value.Length << 32;
            at = next;
        }
    }

    public static int PagesFor(TreePages pages, int length) => 1 + (length - 1) / Room(pages);

    // Where the bytes of a value are. In several overflow pages they lie in pieces, so they are copied to an array of their own.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ReadOnlySpan<byte> Value(TreePages pages, PageEntry entry) =>
        entry.IsTagged ? Read(pages, entry) : entry.ValueSpan;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ReadOnlySpan<byte> Read(TreePages pages, PageEntry entry)
    {
        ulong reference = Reference(entry);
        int left = Length(pages, reference), room = Room(pages);
        OverflowHeader* header = Link(pages, (uint)reference, left);
        if (left <= room) return new(header + 1, left);
        byte[] value = GC.AllocateUninitializedArray<byte>(left);
        while (true)
        {
            int here = Math.Min(room, left);
            new ReadOnlySpan<byte>(header + 1, here).CopyTo(value.AsSpan(value.Length - left));
            left -= here;
            if (left == 0) break;
            header = Link(pages, header->Next, left);
        }
        GC.KeepAlive(pages);
        return value;
    }

    // Asks for the value of an entry that a scan comes to soon; damage is told when it is there. In a tree that was filled at random
    // values of 4,000 bytes took 144 ns without that, and take 84.
    public static void Expect(TreePages pages, Page leaf, int offset)
    {
        if (offset > leaf.Size - PageLayout.EntryHeader) return;
        PageEntry entry = new(leaf.Start + offset);
        if (!entry.IsTagged || entry.ValueLength != ReferenceBytes || offset + entry.Bytes > leaf.Size) return;
        pages.Prefetch((uint)Reference(entry), isOfFew: true);
    }

    public static ulong Reference(PageEntry entry)
    {
        if (entry.ValueLength != ReferenceBytes) PageErrors.ThrowDamaged("A value should lie in overflow pages, but does not say where");
        return Unsafe.ReadUnaligned<ulong>(entry.Value);
    }

    // The pages of a value.
    public static List<uint> Chain(TreePages pages, ulong reference)
    {
        List<uint> chain = [];
        uint number = (uint)reference;
        for (int left = Length(pages, reference), room = Room(pages); ; left -= room)
        {
            OverflowHeader* header = Link(pages, number, left);
            chain.Add(number);
            if (left <= room) return chain;
            number = header->Next;
        }
    }

    private static int Room(TreePages pages) => pages.PageSize - OverflowHeader.Bytes;

    private static int Length(TreePages pages, ulong reference)
    {
        uint length = (uint)(reference >> 32);
        // A length that no pages could hold.
        if (length == 0 || length > Array.MaxLength || length > pages.PageCount * (ulong)pages.PageSize)
            throw new PageDamagedException($"A value in overflow pages says that it has {length} bytes", (uint)reference);
        return (int)length;
    }

    // A page of a value of which so many bytes are left. Each says how many, so that the chain ends where the length does.
    private static OverflowHeader* Link(TreePages pages, uint number, int left)
    {
        OverflowHeader* header = (OverflowHeader*)pages.Raw(number).Start;
        if (header->Magic != OverflowHeader.OverflowMagic)
            throw new PageDamagedException("A value leads to a page that is no overflow page", number, 0);
        if (header->Length != left)
            throw new PageDamagedException($"{left} bytes of a value should be left here, not {header->Length}", number,
                (int)((byte*)&header->Length - (byte*)header));
        if (left <= Room(pages) != (header->Next == 0))
            throw new PageDamagedException("The chain of a value does not end where its bytes do", number,
                (int)((byte*)&header->Next - (byte*)header));
        return header;
    }
}

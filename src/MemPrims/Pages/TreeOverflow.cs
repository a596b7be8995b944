namespace MemPrims.Pages;

// Values that are too large for an entry: a chain of pages. The entry holds the first page and the length, 4 bytes each.
internal static unsafe class TreeOverflow
{
    public const int ReferenceBytes = 8;

    // Writes a value to pages that TreePages.Reserve has taken. Answers what the entry holds.
    public static ulong Write(TreePages pages, ReadOnlySpan<byte> value)
    {
        int room = pages.PageSize - OverflowHeader.Bytes;
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

    public static int PagesFor(TreePages pages, int length) => 1 + (length - 1) / (pages.PageSize - OverflowHeader.Bytes);

    // Where the bytes of a value are. In overflow pages they lie in pieces, so they are copied to an array of their own.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ReadOnlySpan<byte> Value(TreePages pages, PageEntry entry) =>
        entry.IsTagged ? Read(pages, entry) : entry.ValueSpan;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ReadOnlySpan<byte> Read(TreePages pages, PageEntry entry)
    {
        ulong reference = Reference(entry);
        List<uint> chain = Chain(pages, reference);
        byte[] value = new byte[reference >> 32];
        int done = 0;
        foreach (uint number in chain)
        {
            int here = Math.Min(pages.PageSize - OverflowHeader.Bytes, value.Length - done);
            new ReadOnlySpan<byte>(pages.Raw(number).Start + OverflowHeader.Bytes, here).CopyTo(value.AsSpan(done));
            done += here;
        }
        GC.KeepAlive(pages);
        return value;
    }

    public static ulong Reference(PageEntry entry)
    {
        if (entry.ValueLength != ReferenceBytes) PageErrors.ThrowDamaged("A value should lie in overflow pages, but does not say where");
        return Unsafe.ReadUnaligned<ulong>(entry.Value);
    }

    // The pages of a value. Each says how much is left, so that the chain ends where the length does.
    public static List<uint> Chain(TreePages pages, ulong reference)
    {
        uint number = (uint)reference, left = (uint)(reference >> 32), room = (uint)(pages.PageSize - OverflowHeader.Bytes);
        // A length that no pages could hold.
        if (left == 0 || left > Array.MaxLength || left > pages.PageCount * (ulong)pages.PageSize)
            throw new PageDamagedException($"A value in overflow pages says that it has {left} bytes", number);
        List<uint> chain = [];
        while (true)
        {
            OverflowHeader* header = (OverflowHeader*)pages.Raw(number).Start;
            if (header->Magic != OverflowHeader.OverflowMagic)
                throw new PageDamagedException("A value leads to a page that is no overflow page", number, 0);
            if (header->Length != left)
                throw new PageDamagedException($"{left} bytes of a value should be left here, not {header->Length}", number,
                    (int)((byte*)&header->Length - (byte*)header));
            if (left <= room != (header->Next == 0))
                throw new PageDamagedException("The chain of a value does not end where its bytes do", number,
                    (int)((byte*)&header->Next - (byte*)header));
            chain.Add(number);
            if (left <= room) return chain;
            left -= room;
            number = header->Next;
        }
    }
}

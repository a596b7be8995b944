namespace MemPrims.Pages;

// Heads: the four bytes of each key after the page's prefix, as a number whose order is that of the bytes. They are stored less 2³¹,
// as signed numbers, because AVX2 compares no others. 16 sampled heads, the hints, lie in the header. Two compares of 16 numbers find a
// head among 272: one among the hints, which says in which block of 16 to look, and one in that block. In larger pages the blocks are
// 32, 64 … long, and halved first.
internal static unsafe class PageHeads
{
    private const int Lanes = 16;

    // The head of a key whose bytes after the prefix begin at `rest`; what a short key lacks counts as zeros.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Of(byte* rest, int length)
    {
        uint word = length >= sizeof(uint) ? Unsafe.ReadUnaligned<uint>(rest) : Short(rest, length);
        return (int)(BinaryPrimitives.ReverseEndianness(word) ^ 0x8000_0000);
    }

    // The same where four bytes from `rest` on may be read, and the length is at most 32: without a branch on it.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int OfWindow(byte* rest, int length)
    {
        uint word = Unsafe.ReadUnaligned<uint>(rest);
        // The instruction takes eight bits of the number of bits: 256 would be none.
        word = Bmi2.IsSupported ? Bmi2.ZeroHighBits(word, (uint)(length * 8 - (length >> 5)))
            : word & (uint)((1ul << (8 * Math.Min(length, sizeof(uint)))) - 1);
        return (int)(BinaryPrimitives.ReverseEndianness(word) ^ 0x8000_0000);
    }

    // The position of the first head that is not less; any number from the count on where there is none. Less than 0 where the numbers of
    // the page lead outside of it, as they may where it is changed meanwhile. The page has at least one head. Whether there is one vector
    // of heads between two hints, as in a page of up to 272 entries, is a constant for the compiler.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int LowerBound(Page page, int count, int head, bool isOneVector)
    {
        PageHeader* header = page.Header;
        int bits = isOneVector ? PageHeader.SmallestStepBits : header->StepBits;
        if (!isOneVector && (bits > PageHeader.MostStepBits || !HasVectorAt(page, count))) return -1;
        int block = BitOperations.PopCount(Less(header->Hints, head)) << bits;
        if (!HasVectorAt(page, block)) return -1;
        // While the heads are on their way: the slots of the block are needed next.
        if (Sse.IsSupported) Sse.Prefetch0(page.Slots + block);
        for (int half = 1 << (bits - 1); !isOneVector && half >= Lanes; half >>= 1)
        {
            // Bit arithmetic, for the JIT makes branches of conditionals in loops. A probe after the last head is one at the last head.
            int last = count - 1, behind = block + half - last;
            int probe = last + (behind & (behind >> 31));
            block += (probe - block) & (int)((long)page.Heads[probe] - head >> 63);
        }
        if (!isOneVector && !HasVectorAt(page, block)) return -1;
        return block + BitOperations.TrailingZeroCount(~Less(page.Heads + block, head));
    }

    // Whether a vector of heads from there on, and one more, are bytes of the page.
    // After the last block of heads of a sound page there is a whole vector of bytes: see PageCheck.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool HasVectorAt(Page page, int position) =>
        PageHeader.Bytes + (position + Lanes + 1) * PageLayout.HeadBytes <= page.Size;

    // Whether all hints that stand for no head are the greatest number, so that no search is led after the last head.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool HintsEnd(PageHeader* header) =>
        Less(header->Hints, int.MaxValue) >> (Math.Max(header->Count - 1, 0) >> header->StepBits) == 0;

    // Whether the heads tell nothing, as far as two hints can say: one stray key takes the common prefix away, and makes all other heads
    // equal. Two loads from the line that the search reads anyway. Without hints both numbers are the greatest.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool AreMostlyEqual(PageHeader* header) => header->Hints[0] == header->Hints[3] && header->Hints[0] != int.MaxValue;

    // How many heads equal `head`, from the first of them on.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int CountEqual(Page page, int head, int first)
    {
        int count = page.Count, most = count - first;
        if (head == int.MaxValue || most <= 0) return Math.Max(0, most);
        if (!HasVectorAt(page, first)) PageErrors.ThrowDamagedHints();
        int equal = BitOperations.TrailingZeroCount(~Less(page.Heads + first, head + 1));
        if (equal == Lanes) equal = LowerBound(page, count, head + 1, isOneVector: false) - first;
        return Math.Max(0, Math.Min(equal, most));
    }

    // The hints after heads from `position` on have moved, and there is one more or one less.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Moved(Page page, int position)
    {
        int bits = PageHeader.StepBitsFor(page.Count);
        if (bits == page.Header->StepBits) FillHints(page, position);
        else FillAllHints(page, bits);
    }

    // The hints from the one that stands for the head at `position` on. All others stay.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void FillHints(Page page, int position)
    {
        PageHeader* header = page.Header;
        int bits = header->StepBits, count = header->Count;
        int i = Math.Max(((position + (1 << bits) - 1) >> bits) - 1, 0);
        int* heads = page.Heads;
        for (int at = (i + 1) << bits; i < PageHeader.HintCount && at < count; i++, at += 1 << bits) header->Hints[i] = heads[at];
        for (; i < PageHeader.HintCount && header->Hints[i] != int.MaxValue; i++) header->Hints[i] = int.MaxValue;
    }

    // Makes all heads and hints from the keys, after a prefix that they have in common.
    public static void Rebuild(Page page, int prefix)
    {
        PageHeader* header = page.Header;
        header->Prefix = (ushort)prefix;
        int* heads = page.Heads;
        for (int i = 0; i < header->Count; i++)
        {
            PageEntry entry = page.Entry(i);
            int rest = entry.KeyLength - prefix;
            if (rest < 0) PageErrors.ThrowDamaged($"The key of slot {i} is shorter than the page's prefix");
            heads[i] = Of(entry.Key + prefix, rest);
        }
        FillAllHints(page, PageHeader.StepBitsFor(header->Count));
    }

    // Whatever they were.
    private static void FillAllHints(Page page, int bits)
    {
        page.Header->StepBits = (byte)bits;
        for (int i = 0; i < PageHeader.HintCount; i++) page.Header->Hints[i] = 0;
        FillHints(page, 0);
    }

    // Bit i is set where number i is less.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static uint Less(int* numbers, int head)
    {
        if (Vector256.IsHardwareAccelerated)
        {
            Vector256<int> than = Vector256.Create(head);
            return Vector256.LessThan(Vector256.Load(numbers), than).ExtractMostSignificantBits()
                | Vector256.LessThan(Vector256.Load(numbers + 8), than).ExtractMostSignificantBits() << 8;
        }
        if (Vector128.IsHardwareAccelerated)
        {
            // Narrowed to a byte a number first: one mask of sixteen bytes is less than four of four numbers, most of all on arm64.
            Vector128<int> than = Vector128.Create(head);
            return Vector128.NarrowWithSaturation(Eight(numbers, than), Eight(numbers + 8, than)).ExtractMostSignificantBits();
        }
        uint less = 0;
        for (int i = 0; i < Lanes; i++) less |= (uint)((long)numbers[i] - head >>> 63) << i;
        return less;

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        static Vector128<short> Eight(int* numbers, Vector128<int> than) => Vector128.NarrowWithSaturation(
            Vector128.LessThan(Vector128.Load(numbers), than), Vector128.LessThan(Vector128.Load(numbers + 4), than));
    }

    // One to three bytes without a loop: the first, the middle and the last, which may be the same.
    private static uint Short(byte* rest, int length)
    {
        if (length <= 0) return 0;
        int middle = length >> 1, last = length - 1;
        return rest[0] | (uint)rest[middle] << (8 * middle) | (uint)rest[last] << (8 * last);
    }
}

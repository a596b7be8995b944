namespace MemPrims.Codecs;

// How the gaps of a block are written: the low bits of all, and for the few that have more, the exceptions, their places and upper bits.
// Of all ways it is the one with the fewest bits; of equal ones the one with the fewest exceptions.
internal unsafe struct PackedBlock
{
    public const int MostGaps = 256, MostIds = MostGaps + 1;

    // In the byte of a width: exceptions follow. They have two bytes, their number and the bits of each.
    public const int Patched = 0x80, PatchBytes = 2, PlaceBits = 8;

    // The low bits of a gap − 1, also those that a shift of the list leaves out.
    public int Width;

    // How many exceptions there are, and how many upper bits each has.
    public int Exceptions, Extra;

    // How many gaps there are.
    public int Gaps;

    // All gaps, combined by or.
    public ulong Any;

    public readonly int Code(int shift) => Gaps == 0 ? 0 : Width - shift | (Exceptions > 0 ? Patched : 0);

    public readonly int Size(int shift) => Size(Gaps == 0 ? 0 : Width - shift, Gaps, Exceptions, Extra);

    // The bytes of a block whose widths are those that are written.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Size(int width, int gaps, int exceptions, int extra) =>
        (exceptions > 0 ? PatchBytes : 0) + PackedBits.Bytes(gaps * width + exceptions * (PlaceBits + extra));

    // Finds the shape of so many gaps. Their low 32 bits go to `low`. Returns false where the ids are not strictly increasing.
    public static bool TryOf(ulong* ids, int gaps, uint* low, out PackedBlock block)
    {
        block = new() { Gaps = gaps };
        if (!PackedGaps.Of(ids, gaps, low, out block.Any, out ulong less))
            for (int i = 0; i < gaps; i++)
                if (ids[i] >= ids[i + 1]) return false;
        int* ofWidth = stackalloc int[65];
        int length = PackedBits.Length(less), best = gaps * length, before = 0, step = 1;
        if (length > 32) CountAbove(ids, gaps, ofWidth);
        block.Width = length;
        for (int width = length - 1; width >= 0; width -= step)
        {
            int above = length > 32 ? ofWidth[width] : PackedGaps.CountAbove(low, gaps, width);
            // Of widths with the same exceptions the least is the best. So the steps grow as long as there are no others, and where there
            // are, it goes back: clustered ids have 20 widths, and a few exceptions of almost all that many.
            if (above != before && step > 1)
            {
                width += step;
                step = 1;
                continue;
            }
            int bits = gaps * width + 8 * PatchBytes + above * (PlaceBits + length - width);
            if (bits < best) (best, block.Width, block.Exceptions, block.Extra) = (bits, width, above, length - width);
            // With fewer bits there are more exceptions, and no fewer bits than without any low ones.
            if (8 * PatchBytes + above * (PlaceBits + length) >= best) break;
            step = above == before ? Math.Min(2 * step, Math.Max(width, 1)) : 1;
            before = above;
        }
        return true;
    }

    // Writes the block. Returns its end.
    public readonly byte* Write(ulong* ids, uint* low, int shift, byte* to, byte* end)
    {
        int width = Width - shift, size = Size(shift);
        if (Exceptions > 0)
        {
            *to++ = (byte)Exceptions;
            *to++ = (byte)Extra;
            size -= PatchBytes;
        }
        bool isShort = Width + Extra <= 32;
        int packed = 0;
        if (isShort && width > 0 && width <= PackedBits.MostPacked && end - to >= size + sizeof(ulong)
            && Avx2.IsSupported)
            PackedBits.Pack(low, packed = Gaps & ~7, width, shift, to);
        PackedBitWriter bits = new(to + packed / 8 * width);
        ulong mask = width == 0 ? 0 : ulong.MaxValue >> (64 - width);
        for (int i = width == 0 ? Gaps : packed; i < Gaps; i++)
            bits.Write((isShort ? low[i] : ids[i + 1] - ids[i] - 1) >> shift & mask, width);
        if (Exceptions > 0)
        {
            uint* places = stackalloc uint[MostGaps + Vector256<uint>.Count];
            // Ids that another thread changes meanwhile may have more exceptions than there is room for.
            int count = Math.Min(isShort ? PackedGaps.Above(low, Gaps, Width, places) : Above(ids, places), Exceptions);
            for (int i = 0; i < count; i++) bits.Write(places[i], PlaceBits);
            for (int i = 0; i < count; i++)
            {
                uint at = places[i];
                bits.Write((isShort ? low[at] : ids[at + 1] - ids[at] - 1) >> Width, Extra);
            }
        }
        return bits.End();
    }

    // Writes where gaps − 1 have more bits than the width. Returns how many there are.
    private readonly int Above(ulong* ids, uint* places)
    {
        int count = 0;
        for (int i = 0; i < Gaps; i++)
            if ((ids[i + 1] - ids[i] - 1) >> Width != 0) places[count++] = (uint)i;
        return count;
    }

    // How many gaps − 1 have more bits than each width.
    private static void CountAbove(ulong* ids, int gaps, int* above)
    {
        new Span<int>(above, 65).Clear();
        for (int i = 0; i < gaps; i++) above[PackedBits.Length(ids[i + 1] - ids[i] - 1)]++;
        for (int width = 64, more = 0; width >= 0; width--) (above[width], more) = (more, more + above[width]);
    }
}

namespace MemPrims.Codecs;

// Numbers of a width in bits, one behind the other, low bits first. Eight numbers take as many bytes as one has bits, so a shuffle and
// shifts that depend on the width alone bring eight to words. That goes up to 25 bits, where a number and the bits before it fill a word.
internal static unsafe class PackedBits
{
    // The widest numbers that Unpack takes.
    public const int MostUnpacked = 25;

    // The widest numbers that Pack takes.
    public const int MostPacked = 16;

    private const int Group = 8, Pad = 64, TableBytes = 128;

    // A table for each width: 32 bytes of shuffle, 8 words of shifts, and 8 words of what a word is multiplied by before a shift by 7.
    private static readonly byte* s_tables = Build();

    // How many bytes so many bits take.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Bytes(long bits) => (int)((bits + 7) >> 3);

    // How many bits a number takes; 0 for 0.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Length(ulong value) => 64 - BitOperations.LeadingZeroCount(value);

    // One number of up to 64 bits. Its bytes must lie before `end`; no others are read.
    public static ulong Read(byte* from, byte* end, long bit, int width)
    {
        if (width == 0) return 0;
        byte* at = from + (bit >> 3);
        int skip = (int)bit & 7;
        ulong low = 0;
        if (end - at >= sizeof(ulong)) low = Unsafe.ReadUnaligned<ulong>(at);
        else
            for (int i = 0; i < end - at; i++) low |= (ulong)at[i] << (8 * i);
        low >>= skip;
        if (skip + width > 64) low |= (ulong)at[8] << (64 - skip);
        return low & ulong.MaxValue >> (64 - width);
    }

    // Reads numbers of up to 25 bits. What lies before `end` may be read, and a whole group of eight is written.
    public static void Unpack(byte* from, byte* end, int width, int count, uint* to)
    {
        if (width == 0) new Span<uint>(to, count).Clear();
        else if (!Vector128.IsHardwareAccelerated)
            for (int i = 0; i < count; i++) to[i] = (uint)Read(from, end, (long)i * width, width);
        else
        {
            int done = UnpackGroups(from, end, width, count, to);
            if (done >= count) return;
            // Too near the end for whole vectors. The few bytes that are left go where there is room behind them.
            byte* rest = stackalloc byte[2 * Pad];
            from += done / Group * width;
            Vector512<byte>.Zero.Store(rest);
            Unsafe.CopyBlockUnaligned(rest, from, (uint)(end - from));
            UnpackGroups(rest, rest + 2 * Pad, width, count - done, to + done);
        }
    }

    // Writes numbers of 1 to 16 bits, of which the upper bits are dropped. The count is a multiple of eight. Up to 8 bytes behind the
    // numbers are overwritten.
    public static void Pack(uint* from, int count, int width, int drop, byte* to)
    {
        int fraction = 4 * width & 7, second = width >> 1;
        // An odd width leaves half a byte of the first four numbers for the second ones to write again.
        ulong shared = fraction == 0 ? 0 : ulong.MaxValue;
        Vector256<uint> mask = Vector256.Create(uint.MaxValue >> (32 - width));
        Vector256<ulong> low = Vector256.Create((ulong)uint.MaxValue);
        for (int i = 0; i < count; i += Group, to += width)
        {
            Vector256<ulong> words = (Vector256.ShiftRightLogical(Vector256.Load(from + i), drop) & mask).AsUInt64();
            Vector256<ulong> pairs = words & low | Vector256.ShiftLeft(Vector256.ShiftRightLogical(words, 32), width);
            Vector256<ulong> fours = pairs | Vector256.ShiftLeft(Avx2.UnpackHigh(pairs, pairs), 2 * width);
            ulong a = fours.GetElement(0), b = fours.GetElement(2);
            Unsafe.WriteUnaligned(to, a);
            Unsafe.WriteUnaligned(to + second, b << fraction | a >> (4 * width - fraction) & shared);
        }
    }

    // Whole groups of eight, while a vector that reaches behind them is still inside. Returns how many numbers were read.
    private static int UnpackGroups(byte* from, byte* end, int width, int count, uint* to)
    {
        byte* table = s_tables + width * TableBytes, last = end - (width >> 1) - Vector128<byte>.Count;
        int half = width >> 1, i = 0;
        uint mask = uint.MaxValue >> (32 - width);
        if (Avx2.IsSupported)
        {
            Vector256<byte> spread = Vector256.Load(table);
            Vector256<uint> shifts = Vector256.Load((uint*)(table + 32)), masks = Vector256.Create(mask);
            for (; i < count && from <= last; i += Group, from += width)
            {
                Vector256<byte> bytes = Vector256.Create(Vector128.Load(from), Vector128.Load(from + half));
                (Avx2.ShiftRightLogicalVariable(Avx2.Shuffle(bytes, spread).AsUInt32(), shifts) & masks).Store(to + i);
            }
            return i;
        }
        for (; i < count && from <= last; i += Group, from += width)
        {
            Half(from, table, 0).Store(to + i);
            Half(from + half, table, 16).Store(to + i + 4);
        }
        return i;

        Vector128<uint> Half(byte* from, byte* table, int at)
        {
            Vector128<uint> words = Vector128.ShuffleNative(Vector128.Load(from), Vector128.Load(table + at)).AsUInt32();
            return Vector128.ShiftRightLogical(words * Vector128.Load((uint*)(table + 64 + at)), 7) & Vector128.Create(mask);
        }
    }

    private static byte* Build()
    {
        byte* tables = (byte*)NativeMemory.AlignedAlloc((MostUnpacked + 1) * TableBytes, 64);
        for (int width = 0; width <= MostUnpacked; width++)
        {
            byte* table = tables + width * TableBytes;
            for (int i = 0; i < Group; i++)
            {
                // The second half is loaded from the byte in which its first number begins.
                int bit = i < 4 ? i * width : i * width - (width >> 1) * 8;
                for (int b = 0; b < 4; b++) table[4 * i + b] = (byte)Math.Min((bit >> 3) + b, 15);
                ((uint*)table)[8 + i] = (uint)bit & 7;
                ((uint*)table)[16 + i] = 1u << (7 - (bit & 7));
            }
        }
        return tables;
    }
}

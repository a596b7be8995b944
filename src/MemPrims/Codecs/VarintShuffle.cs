namespace MemPrims.Codecs;

// Varints by shuffles of 128 and 256 bits, for x64 from SSSE3 on and for arm64.
//
// Reading: the high bits of 32 bytes are one mask. Its lowest 8 bits are the index into a table of 256 entries. An entry says how many
// whole values these 8 bytes have, how many bytes they take, and which shuffle brings each value to a word of 32 bits. Then the mask is
// shifted, and so on while 8 bits are left. Each step waits only for the mask and the table. Values of five bytes are
// read by words of eight, and wrong ones left to the caller. Writing takes four values at a time, by the same table as UIntBatch.
internal static unsafe class VarintShuffle
{
    private const int Block = 32, Window = 8, Narrowed = 16, Alone = 8;

    // Each window of 8 bytes loads 16 bytes, and stores 8 words.
    private const int Reach = Block + 16;

    private const int ShuffleBytes = 32, AllShuffles = 256 * ShuffleBytes;

    // For each mask of 8 high bits, a shuffle of 8 words. Each word takes the four bytes from the beginning of a whole value on.
    private static readonly byte* s_shuffles = Build();

    // For each mask two bytes: how many bytes its whole values take, and how many values these are.
    private static readonly byte* s_steps = s_shuffles + AllShuffles;

    // Reads while both spans have room for a block. Stops before one that has something wrong in it.
    public static void Read(ref byte* source, byte* end, ref uint* values, uint* last)
    {
        byte* from = source;
        uint* to = values;
        while (end - from >= Reach && last - to >= Block)
        {
            uint more = HighBits(from), zero = Zeros(from);
            if ((zero & more << 1) != 0) break;
            // A value of five bytes or more is near: some are read one by one, each by one word and without a branch on its length.
            if ((more & more >> 1 & more >> 2 & more >> 3) != 0)
            {
                uint* stop = to + Alone;
                Decoded found = default;
                for (; to < stop; to++)
                {
                    found = SevenBitGroups.Read(ref *from, Varint.MaxSize, 0);
                    if (found.Length <= 0 || found.Value > uint.MaxValue) break;
                    *to = (uint)found.Value;
                    from += found.Length;
                }
                if (to < stop) break;
                continue;
            }
            for (int left = Block; left >= Window;)
            {
                nuint window = more & 0xFF;
                ReadWindow(from, s_shuffles + ShuffleBytes * window, to);
                int step = s_steps[2 * window];
                to += s_steps[2 * window + 1];
                from += step;
                left -= step;
                more >>= step;
            }
        }
        source = from;
        values = to;
    }

    // Writes while both spans have room for a group.
    public static void Write(ref uint* values, uint* last, ref byte* destination, byte* end)
    {
        uint* from = values, look = from;
        byte* to = destination;
        while (last - from >= 4 && end - to >= 4 * Varint.MaxSize32 + sizeof(ulong))
        {
            // Sixteen values of one byte each are narrowed together. Four at a time they took twice the time of the plain loop.
            if (from >= look && last - from >= Narrowed)
            {
                Vector128<int> v0 = Vector128.Load((int*)from), v4 = Vector128.Load((int*)from + 4),
                    v8 = Vector128.Load((int*)from + 8), v12 = Vector128.Load((int*)from + 12);
                look = from + Narrowed;
                if (((v0 | v4 | v8 | v12) & Vector128.Create(~0x7F)) == Vector128<int>.Zero)
                {
                    Vector128.NarrowWithSaturation(Vector128.NarrowWithSaturation(v0, v4), Vector128.NarrowWithSaturation(v8, v12))
                        .AsByte().Store(to);
                    to += Narrowed;
                    from += Narrowed;
                    continue;
                }
            }
            Vector128<uint> words = Vector128.Load(from);
            if (Vector128.GreaterThanAny(words, Vector128.Create(VarintWords.Most)))
            {
                VarintFour.TryWrite(Vector256.WidenLower(words.ToVector256Unsafe()), ref to);
                from += 4;
                continue;
            }
            Vector128<uint> groups = VarintWords.Spread(words);
            Vector128<byte> needed = FourLengths.Needed(groups);
            Vector128<uint> marked = groups | needed.AsUInt32() >>> 8 & Vector128.Create(0x0080_8080u);
            uint bits = needed.ExtractMostSignificantBits(), code = FourLengths.CodeOf(bits);
            Vector128.ShuffleNative(marked.AsByte(), Vector128.LoadAligned(FourLengths.Tables + FourLengths.Pack + 16 * code)).Store(to);
            to += BitOperations.PopCount(bits);
            from += 4;
        }
        values = from;
        destination = to;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void ReadWindow(byte* from, byte* shuffles, uint* to)
    {
        Vector128<byte> bytes = Vector128.Load(from);
        if (Avx2.IsSupported)
        {
            Vector256<byte> words = Avx2.Shuffle(Vector256.Create(bytes), Vector256.LoadAligned(shuffles));
            Vector256<uint> stops = Vector256.AndNot(Vector256.Create(0x8080_8080u), words.AsUInt32());
            VarintWords.Join(words.AsUInt32() & (stops ^ (stops - Vector256<uint>.One)) & Vector256.Create(0x7F7F_7F7Fu)).Store(to);
            return;
        }
        for (int half = 0; half < 2; half++)
        {
            Vector128<uint> words = Vector128.ShuffleNative(bytes, Vector128.LoadAligned(shuffles + 16 * half)).AsUInt32();
            Vector128<uint> stops = Vector128.AndNot(Vector128.Create(0x8080_8080u), words);
            VarintWords.Join(words & (stops ^ (stops - Vector128<uint>.One)) & Vector128.Create(0x7F7F_7F7Fu)).Store(to + 4 * half);
        }
    }

    private static uint HighBits(byte* from) =>
        Vector256.IsHardwareAccelerated
            ? Vector256.Load(from).ExtractMostSignificantBits()
            : Vector128.Load(from).ExtractMostSignificantBits() | Vector128.Load(from + 16).ExtractMostSignificantBits() << 16;

    private static uint Zeros(byte* from) =>
        Vector256.IsHardwareAccelerated
            ? Vector256.Equals(Vector256.Load(from), Vector256<byte>.Zero).ExtractMostSignificantBits()
            : Vector128.Equals(Vector128.Load(from), Vector128<byte>.Zero).ExtractMostSignificantBits()
                | Vector128.Equals(Vector128.Load(from + 16), Vector128<byte>.Zero).ExtractMostSignificantBits() << 16;

    private static byte* Build()
    {
        byte* table = (byte*)NativeMemory.AlignedAlloc(AllShuffles + 2 * 256, 64);
        NativeMemory.Fill(table, AllShuffles, 0x80);
        for (int mask = 0; mask < 256; mask++)
        {
            int start = 0, value = 0;
            for (int i = 0; i < Window; i++)
            {
                if ((mask >> i & 1) != 0) continue;
                for (int b = 0; b < 4; b++) table[ShuffleBytes * mask + 4 * value + b] = (byte)(start + b);
                value++;
                start = i + 1;
            }
            (table[AllShuffles + 2 * mask], table[AllShuffles + 2 * mask + 1]) = ((byte)start, (byte)value);
        }
        return table;
    }
}

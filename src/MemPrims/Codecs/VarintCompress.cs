namespace MemPrims.Codecs;

// Varints in blocks of 64 bytes, for processors with vpcompressb (AVX-512 VBMI2), which packs the chosen bytes of a register.
//
// Reading: each byte without the high bit ends a value. The packed indices of these bytes tell where each value ends and the next one
// begins. A permute then brings the four bytes from each beginning to a word of 32 bits, sixteen values at a time. A mask removes the
// bytes that belong to the next value, and two steps of shifts close the gaps between the groups. Fifth bytes are added only in blocks
// that have some. Writing is the reverse: sixteen values are spread to four bytes each, and the needed bytes are packed.
internal static unsafe class VarintCompress
{
    private const int Block = 64, Lanes = 16, Half = 2 * Lanes;

    // Whether the processor has the instructions, and the runtime was not told to use narrower vectors.
    public static bool IsSupported => Hardware.HasCompress512;

    // Reads whole blocks while both spans have room for one. Stops before a block that has something wrong in it.
    public static void Read(ref byte* source, byte* end, ref uint* values, uint* last)
    {
        byte* from = source;
        uint* to = values;
        while (end - from >= Block && last - to >= Block)
        {
            Vector512<byte> bytes = Vector512.Load(from);
            Vector512<byte> ends = Vector512.LessThan(bytes, Vector512.Create((byte)0x80));
            ulong endBits = ends.ExtractMostSignificantBits(), more = ~endBits;
            ulong beforeFifth = more << 1 & more << 2 & more << 3 & more << 4;
            ulong overlong = Vector512.Equals(bytes, Vector512<byte>.Zero).ExtractMostSignificantBits() & more << 1;
            if (overlong != 0 || endBits == 0) break;
            if (beforeFifth != 0 && (beforeFifth & Vector512.GreaterThan(bytes,
                Vector512.Create((byte)0x0F)).ExtractMostSignificantBits()) != 0) break;

            // Each value begins one byte after the end of the value before. The first begins at 0, which is 255 + 1 in a byte.
            Vector512<byte> squeezed = Avx512Vbmi2.Compress(Vector512<byte>.Zero, ends, Vector512<byte>.Indices);
            Vector512<byte> starts = Avx512Vbmi.PermuteVar64x8(squeezed, Vector512<byte>.Indices - Vector512<byte>.One).WithElement(0,
                (byte)255) + Vector512<byte>.One;
            int count = BitOperations.PopCount(endBits);
            // Two halves of 32 values. A loop over sixteens took 0.47 ns a value, this takes 0.17 ("Varint.ReadMany, realistic").
            ReadHalf(bytes, starts, FourTimes, beforeFifth, to);
            if (count > Half) ReadHalf(bytes, starts, FourTimes + Vector512.Create((byte)Half), beforeFifth, to + Half);
            to += count;
            from += Block - BitOperations.LeadingZeroCount(endBits);
        }
        source = from;
        values = to;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void ReadHalf(Vector512<byte> bytes, Vector512<byte> starts, Vector512<byte> first, ulong beforeFifth, uint* to)
    {
        Vector512<byte> index0 = Avx512Vbmi.PermuteVar64x8(starts, first) + OfWord;
        Vector512<byte> index1 = Avx512Vbmi.PermuteVar64x8(starts, first + Vector512.Create((byte)Lanes)) + OfWord;
        Vector512<uint> words0 = JoinFour(Avx512Vbmi.PermuteVar64x8(bytes, index0).AsUInt32(), out Vector512<uint> stops0);
        Vector512<uint> words1 = JoinFour(Avx512Vbmi.PermuteVar64x8(bytes, index1).AsUInt32(), out Vector512<uint> stops1);
        if (beforeFifth != 0)
        {
            words0 |= Fifth(bytes, index0, stops0);
            words1 |= Fifth(bytes, index1, stops1);
        }
        words0.Store(to);
        words1.Store(to + Lanes);
    }

    // Joins the groups of each word up to the first byte without the high bit.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector512<uint> JoinFour(Vector512<uint> words, out Vector512<uint> stops)
    {
        stops = Vector512.AndNot(Vector512.Create(0x8080_8080u), words);
        return VarintWords.Join(words & (stops ^ (stops - Vector512<uint>.One)) & Vector512.Create(0x7F7F_7F7Fu));
    }

    // The top four bits of the values that do not end within their first four bytes.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector512<uint> Fifth(Vector512<byte> bytes, Vector512<byte> index, Vector512<uint> stops) =>
        Avx512Vbmi.PermuteVar64x8(bytes, index + Vector512.Create((byte)4)).AsUInt32() << 28 & Vector512.Equals(stops,
            Vector512<uint>.Zero);

    // Writes whole blocks while both spans have room for one.
    public static void Write(ref uint* values, uint* last, ref byte* destination, byte* end)
    {
        uint* from = values;
        byte* to = destination;
        while (last - from >= Lanes && end - to >= Lanes * Varint.MaxSize32 + sizeof(ulong))
        {
            Vector512<uint> words = Vector512.Load(from);
            if (Vector512.GreaterThanAny(words, Vector512.Create(VarintWords.Most)))
            {
                for (uint* stop = from + Lanes; from < stop; from += 4)
                    VarintFour.TryWrite(Vector256.WidenLower(Vector128.Load(from).ToVector256Unsafe()), ref to);
                continue;
            }
            Vector512<uint> groups = VarintWords.Spread(words);
            Vector512<byte> needed = FourLengths.Needed(groups);
            Vector512<uint> marked = groups | needed.AsUInt32() >>> 8 & Vector512.Create(0x0080_8080u);
            Avx512Vbmi2.Compress(Vector512<byte>.Zero, needed, marked.AsByte()).Store(to);
            to += BitOperations.PopCount(needed.ExtractMostSignificantBits());
            from += Lanes;
        }
        values = from;
        destination = to;
    }

    // For each byte of the vector: its place within its word.
    private static Vector512<byte> OfWord => Vector512.Create(0x0302_0100u).AsByte();

    // For each byte of the vector: the number of its word, 0 to 15.
    private static Vector512<byte> FourTimes => (Vector512<uint>.Indices * Vector512.Create(0x0101_0101u)).AsByte();
}

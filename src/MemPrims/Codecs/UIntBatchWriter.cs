namespace MemPrims.Codecs;

// Writes a batch. One comparison finds the bytes that each word needs. With AVX-512 VBMI2 one instruction packs the needed bytes of
// sixteen words. Elsewhere a shuffle from a table packs those of four. The last numbers, where no vector fits, are written one by one.
internal static unsafe class UIntBatchWriter
{
    private const int Group = 4, Step = 16;

    // Writes all the numbers. They must fit before `end`. Returns the end of the data.
    public static byte* Write(uint* from, int count, byte* control, byte* data, byte* end)
    {
        uint* last = from + count;
        if (VarintCompress.IsSupported)
        {
            for (; last - from >= Step && end - data >= Vector512<byte>.Count; from += Step, control += Step / Group)
            {
                Vector512<uint> words = Vector512.Load(from);
                Vector512<byte> needed = FourLengths.Needed(words);
                ulong bits = needed.ExtractMostSignificantBits();
                Avx512Vbmi2.Compress(Vector512<byte>.Zero, needed, words.AsByte()).Store(data);
                Unsafe.WriteUnaligned(control, FourLengths.CodeOf(bits));
                data += BitOperations.PopCount(bits);
            }
        }
        if (Vector128.IsHardwareAccelerated)
        {
            for (; last - from >= Group && end - data >= Vector128<byte>.Count; from += Group)
            {
                Vector128<uint> words = Vector128.Load(from);
                uint bits = FourLengths.Needed(words).ExtractMostSignificantBits(), code = FourLengths.CodeOf(bits);
                Vector128.ShuffleNative(words.AsByte(),
                    Vector128.LoadAligned(FourLengths.Tables + FourLengths.Pack + 16 * code)).Store(data);
                *control++ = (byte)code;
                data += BitOperations.PopCount(bits);
            }
        }
        while (from < last)
        {
            int code = 0;
            for (int shift = 0; shift < 2 * Group && from < last; shift += 2)
            {
                uint value = *from++;
                int size = UIntBatch.SizeOf(value);
                code |= (size - 1) << shift;
                for (int i = 0; i < size; i++) *data++ = (byte)(value >> (8 * i));
            }
            *control++ = (byte)code;
        }
        return data;
    }
}

namespace MemPrims.Codecs;

/// <summary>
/// Many 32-bit numbers in the layout of Stream VByte, which is made for decoding in bulk: all lengths first, then the bytes.
/// <code>
/// control   ⌈count / 4⌉ bytes    two bits a number, low bits first: its length − 1. Bits past the last number are 0.
/// data      1 to 4 bytes each    little-endian, as few as the number needs, one after the other
/// </code>
/// The count is not written. The caller keeps it, and reads with a span of that length.
/// Each batch has one form. A number in more bytes than it needs is refused as overlong. Control bits past the last number are refused.
///
/// Four numbers take one table look-up and one shuffle, on every vector tier, and the check for overlong ones is part of it.
/// </summary>
public readonly unsafe struct UIntBatch
{
    private const int Group = 4, Step = 4 * Group, MaxBytes = sizeof(uint);

    // The most bytes of a batch, 4 1/4 for each number, must fit an int.
    private const int MaxCount = (int)((long)int.MaxValue * Group / (Group * MaxBytes + 1)) & ~(Group - 1);

    /// <summary>The most bytes that a batch of <paramref name="count"/> numbers takes.</summary>
    public static int MaxSize(int count)
    {
        if ((uint)count > MaxCount) CodecErrors.ThrowCountOutOfRange(count, MaxCount);
        return ControlSize(count) + count * MaxBytes;
    }

    /// <summary>How many bytes a batch of these numbers takes.</summary>
    public static long Size(ReadOnlySpan<uint> values)
    {
        long size = ControlSize(values.Length);
        foreach (uint value in values) size += SizeOf(value);
        return size;
    }

    /// <summary>
    /// Writes a batch of all the values. If it does not fit, nothing is written, and the answer is
    /// <see cref="OperationStatus.DestinationTooSmall"/>. Bytes of the destination past <paramref name="written"/> may be overwritten.
    /// </summary>
    public static OperationStatus WriteMany(ReadOnlySpan<uint> values, Span<byte> destination, out int count, out int written)
    {
        count = 0;
        written = 0;
        // The exact size is counted only if the largest possible one does not fit.
        if (MostSize(values.Length) > destination.Length && Size(values) > destination.Length) return OperationStatus.DestinationTooSmall;
        fixed (uint* from = values)
        fixed (byte* to = destination)
            written = (int)(Write(from, values.Length, to, to + ControlSize(values.Length), to + destination.Length) - to);
        count = values.Length;
        return OperationStatus.Done;
    }

    /// <summary>
    /// Reads a batch of as many numbers as <paramref name="values"/> has room for. If the source ends first, the answer is
    /// <see cref="OperationStatus.NeedMoreData"/>. Then <paramref name="count"/> is how many numbers are whole, and
    /// <paramref name="consumed"/> where they end. The rest cannot be read from there, since its lengths are at the beginning. When more
    /// bytes have come, read the batch again from its beginning.
    /// </summary>
    public static OperationStatus ReadMany(ReadOnlySpan<byte> source, Span<uint> values, out int consumed, out int count)
    {
        consumed = 0;
        count = 0;
        int control = ControlSize(values.Length);
        if (source.Length < control) return OperationStatus.NeedMoreData;
        if (values.IsEmpty) return OperationStatus.Done;
        fixed (byte* from = source)
        fixed (uint* to = values)
        {
            byte* data = from + control, end = from + source.Length;
            if (Vector128.IsHardwareAccelerated) count = ReadSixteens(from, ref data, end, to, values.Length);
            OperationStatus status = ReadRest(from, ref data, end, to, values.Length, ref count);
            consumed = count == 0 ? 0 : (int)(data - from);
            return status;
        }
    }

    private static int ControlSize(int count) => (int)(((long)count + Group - 1) / Group);

    private static long MostSize(int count) => ControlSize(count) + (long)count * MaxBytes;

    private static int SizeOf(uint value) => (BitOperations.Log2(value | 1) >> 3) + 1;

    // Writes all the numbers. They must fit before `end`. Returns the end of the data. One comparison finds the bytes that each word
    // needs. With AVX-512 VBMI2 one instruction packs the needed bytes of sixteen words. Elsewhere a shuffle from a table packs those of
    // four. The last numbers, where no vector fits, are written one by one.
    private static byte* Write(uint* from, int count, byte* control, byte* data, byte* end)
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
                int size = SizeOf(value);
                code |= (size - 1) << shift;
                for (int i = 0; i < size; i++) *data++ = (byte)(value >> (8 * i));
            }
            *control++ = (byte)code;
        }
        return data;
    }

    // Reads whole sixteens by shuffles while 64 bytes of data are left, and moves `data` past them. Returns how many numbers it read. If
    // one of sixteen is wrong, ReadRest finds it. The places of the four groups of a sixteen are added up together: that takes 0.16 ns a
    // number, and a table of lengths took 0.19.
    private static int ReadSixteens(byte* control, ref byte* data, byte* end, uint* values, int count)
    {
        byte* from = data, tables = FourLengths.Tables;
        uint* to = values, last = values + (count & ~(Step - 1));
        for (; to < last && end - from >= Step * sizeof(uint); to += Step, control += Step / Group)
        {
            uint codes = Unsafe.ReadUnaligned<uint>(control);
            // One byte for each of the four groups: where it ends. A group has 4 to 16 bytes, and the multiplication adds up all four.
            uint ends = (codes & 0x3333_3333) + (codes >> 2 & 0x3333_3333);
            ends = ((ends + (ends >> 4) & 0x0F0F_0F0F) + 0x0404_0404) * 0x0101_0101;
            Vector128<uint> wrong = ReadGroup(from, tables, codes << 4 & 0xFF0, to);
            wrong |= ReadGroup(from + (byte)ends, tables, codes >> 4 & 0xFF0, to + Group);
            wrong |= ReadGroup(from + (byte)(ends >> 8), tables, codes >> 12 & 0xFF0, to + 2 * Group);
            wrong |= ReadGroup(from + (byte)(ends >> 16), tables, codes >> 20 & 0xFF0, to + 3 * Group);
            if (wrong != Vector128<uint>.Zero) break;
            from += ends >> 24;
        }
        data = from;
        return (int)(to - values);
    }

    // Reads the numbers from `done` on, one by one.
    private static OperationStatus ReadRest(byte* control, ref byte* data, byte* end, uint* values, int count, ref int done)
    {
        for (; done < count; done++)
        {
            int size = FourLengths.LengthOf(control[done / Group], done % Group);
            if (end - data < size) break;
            uint value = 0;
            for (int i = 0; i < size; i++) value |= (uint)data[i] << (8 * i);
            if (size > 1 && value >> (8 * size - 8) == 0) return OperationStatus.InvalidData;
            values[done] = value;
            data += size;
        }
        // No further bytes mend these bits, so they count also where the source ends first.
        int used = count % Group;
        return used != 0 && control[count / Group] >> (2 * used) != 0 ? OperationStatus.InvalidData
            : done < count ? OperationStatus.NeedMoreData : OperationStatus.Done;
    }

    // Reads four numbers. The result has a word that is not zero for each overlong number. Min and xor do it without a comparison, whose
    // result would go through a mask register.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector128<uint> ReadGroup(byte* from, byte* tables, nuint entry, uint* to)
    {
        Vector128<uint> least = Vector128.LoadAligned(tables + entry + FourLengths.Least).AsUInt32();
        Vector128<uint> words = Vector128.ShuffleNative(Vector128.Load(from),
            Vector128.LoadAligned(tables + entry + FourLengths.Spread)).AsUInt32();
        words.Store(to);
        return Vector128.Min(words, least) ^ least;
    }
}

namespace MemPrims.Codecs;

// Reads a batch: sixteen numbers at a time by shuffles while 64 bytes of data are left, then one by one. If one of sixteen is wrong, the
// loop of single numbers finds it. The places of the four groups of a sixteen are added up together: that takes 0.16 ns a number, and a
// table of lengths took 0.19.
internal static unsafe class UIntBatchReader
{
    private const int Group = 4, Step = 4 * Group;

    // Reads whole sixteens, and moves `data` past them. Returns how many numbers it read.
    public static int ReadSixteens(byte* control, ref byte* data, byte* end, uint* values, int count)
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
    public static OperationStatus ReadRest(byte* control, ref byte* data, byte* end, uint* values, int count, ref int done)
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

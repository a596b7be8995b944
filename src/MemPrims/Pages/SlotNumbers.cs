namespace MemPrims.Pages;

// Where a number is among ascending ones: in which of four parts, and so on, and at the end how many of the last block are less. The
// three numbers between the parts are loaded at once and the answers added up, so nothing branches on them. 1,000 numbers of 64 bits take
// three such turns and a block of 256 bytes: 12 ns, where halves without a branch take 13, with one 28, eight parts and a block of 128
// bytes 18, and BinarySearch 54 (Zen 5, SlotNumberCases). Where no cache has them the wait is for lines: 260, 313, 177, 376 and 208.
internal static class SlotNumbers
{
    private const int Parts = 4, BlockBytes = 256, WideBlock = 16;

    // How many of the numbers are less than this one.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int CountLess<TNumber, TOrder>(ReadOnlySpan<TNumber> numbers, TNumber number)
        where TNumber : unmanaged, IBinaryInteger<TNumber>
        where TOrder : struct, IByteOrder =>
        Unsafe.SizeOf<TNumber>() == 2 * sizeof(ulong) ? CountLessWide<TNumber, TOrder>(numbers, number)
            : CountLessByVectors<TNumber, TOrder>(numbers, number);

    // The same of numbers that lie anywhere.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int CountLess<TRow>(TRow row, nint count) where TRow : struct, INumberRow, allows ref struct
    {
        nint start = Narrow(row, ref count, Parts), less = 0;
        for (nint at = 0; at < count; at++) less += row.IsLess(start + at);
        return (int)(start + less);
    }

    // .NET's operator for 128 bits has a branch.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool IsSame<TNumber>(in TNumber left, in TNumber right) where TNumber : unmanaged, IBinaryInteger<TNumber>
    {
        if (Unsafe.SizeOf<TNumber>() != 2 * sizeof(ulong)) return left == right;
        ref ulong l = ref Unsafe.As<TNumber, ulong>(ref Unsafe.AsRef(in left));
        ref ulong r = ref Unsafe.As<TNumber, ulong>(ref Unsafe.AsRef(in right));
        return ((l ^ r) | (Unsafe.Add(ref l, 1) ^ Unsafe.Add(ref r, 1))) == 0;
    }

    // The number whose bytes are in the other order.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static TNumber Reverse<TNumber>(TNumber number) where TNumber : unmanaged => Unsafe.SizeOf<TNumber>() switch
    {
        sizeof(byte) => number,
        sizeof(ushort) => Unsafe.BitCast<ushort, TNumber>(BinaryPrimitives.ReverseEndianness(Unsafe.BitCast<TNumber, ushort>(number))),
        sizeof(uint) => Unsafe.BitCast<uint, TNumber>(BinaryPrimitives.ReverseEndianness(Unsafe.BitCast<TNumber, uint>(number))),
        sizeof(ulong) => Unsafe.BitCast<ulong, TNumber>(BinaryPrimitives.ReverseEndianness(Unsafe.BitCast<TNumber, ulong>(number))),
        _ => Unsafe.BitCast<UInt128, TNumber>(BinaryPrimitives.ReverseEndianness(Unsafe.BitCast<TNumber, UInt128>(number))),
    };

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int CountLessByVectors<TNumber, TOrder>(ReadOnlySpan<TNumber> numbers, TNumber number)
        where TNumber : unmanaged, IBinaryInteger<TNumber>
        where TOrder : struct, IByteOrder
    {
        ref TNumber first = ref MemoryMarshal.GetReference(numbers);
        Row<TNumber, TOrder> row = new(ref first, number);
        nint count = numbers.Length, block = BlockBytes / Unsafe.SizeOf<TNumber>();
        // Without a mask of a vector's lanes, as on arm64, counting in vectors gains nothing over eight more numbers.
        if (!Vector256.IsHardwareAccelerated || !Vector256<TNumber>.IsSupported) return CountLess(row, count);
        if (count < block) return CountLessOfFew<TNumber, TOrder>(ref first, (int)count, number);
        nint start = Math.Min(Narrow(row, ref count, block), numbers.Length - block);
        first = ref Unsafe.Add(ref first, start);
        int less = 0;
        if (Vector512.IsHardwareAccelerated)
        {
            for (nint at = 0; at < block; at += Vector512<TNumber>.Count)
            {
                Vector512<TNumber> some = Vector512.LoadUnsafe(ref first, (nuint)at);
                if (TOrder.IsReversed) some = Reversed(some, Unsafe.SizeOf<TNumber>());
                less += BitOperations.PopCount(Vector512.LessThan(some, Vector512.Create(number)).ExtractMostSignificantBits());
            }
        }
        else
        {
            for (nint at = 0; at < block; at += Vector256<TNumber>.Count) less += LessAt<TNumber, TOrder>(ref first, at, number);
        }
        return (int)start + less;
    }

    // Of fewer than a block: as many vectors as there are, and the others one by one.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int CountLessOfFew<TNumber, TOrder>(ref TNumber first, int count, TNumber number)
        where TNumber : unmanaged, IBinaryInteger<TNumber>
        where TOrder : struct, IByteOrder
    {
        Row<TNumber, TOrder> row = new(ref first, number);
        int at = 0, less = 0;
        for (; count - at >= Vector256<TNumber>.Count; at += Vector256<TNumber>.Count)
            less += LessAt<TNumber, TOrder>(ref first, at, number);
        for (; at < count; at++) less += (int)row.IsLess(at);
        return less;
    }

    // How many are less, of a vector from an index on.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int LessAt<TNumber, TOrder>(ref TNumber first, nint at, TNumber number)
        where TNumber : unmanaged, IBinaryInteger<TNumber>
        where TOrder : struct, IByteOrder
    {
        Vector256<TNumber> some = Vector256.LoadUnsafe(ref first, (nuint)at);
        if (TOrder.IsReversed) some = Reversed(some, Unsafe.SizeOf<TNumber>());
        return BitOperations.PopCount(Vector256.LessThan(some, Vector256.Create(number)).ExtractMostSignificantBits());
    }

    // Numbers of 128 bits. Four at a time are taken apart into lower and upper halves; their order is lost, but not how many are less.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int CountLessWide<TNumber, TOrder>(ReadOnlySpan<TNumber> numbers, TNumber number)
        where TNumber : unmanaged
        where TOrder : struct, IByteOrder
    {
        WideRow<TNumber, TOrder> row = new(ref MemoryMarshal.GetReference(numbers), number);
        nint count = numbers.Length;
        if (!Avx2.IsSupported || count < WideBlock) return CountLess(row, count);
        nint start = Math.Min(Narrow(row, ref count, WideBlock), numbers.Length - WideBlock), less = 0;
        for (nint at = start; at < start + WideBlock; at += 4) less += row.LessOfFour(at);
        return (int)(start + less);
    }

    // A place before which all numbers are less; the answer is there, or up to `count` behind it.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static nint Narrow<TRow>(TRow row, ref nint count, nint few) where TRow : struct, INumberRow, allows ref struct
    {
        nint start = 0;
        while (count > few)
        {
            nint part = count / Parts;
            nint less = row.IsLess(start + part) + row.IsLess(start + 2 * part) + row.IsLess(start + 3 * part);
            start += less * part;
            count -= (Parts - 1) * part;
        }
        return start;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static nint One(bool holds) => Unsafe.BitCast<bool, byte>(holds);

    // Numbers of so many bytes whose bytes are in the other order.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector256<T> Reversed<T>(Vector256<T> numbers, int bytes) =>
        Vector256.Shuffle(numbers.AsByte(), Vector256<byte>.Indices ^ Vector256.Create((byte)(bytes - 1))).As<byte, T>();

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector512<T> Reversed<T>(Vector512<T> numbers, int bytes) =>
        Vector512.Shuffle(numbers.AsByte(), Vector512<byte>.Indices ^ Vector512.Create((byte)(bytes - 1))).As<byte, T>();

    private readonly ref struct Row<TNumber, TOrder>(ref TNumber first, TNumber number) : INumberRow
        where TNumber : unmanaged, IBinaryInteger<TNumber>
        where TOrder : struct, IByteOrder
    {
        private readonly ref TNumber _first = ref first;
        private readonly TNumber _number = number;

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public nint IsLess(nint index)
        {
            TNumber other = Unsafe.Add(ref _first, index);
            return One((TOrder.IsReversed ? Reverse(other) : other) < _number);
        }
    }

    // Numbers of 128 bits as two of 64, for .NET's operator branches on the upper ones.
    private readonly ref struct WideRow<TNumber, TOrder>(ref TNumber first, TNumber number) : INumberRow
        where TNumber : unmanaged
        where TOrder : struct, IByteOrder
    {
        private readonly ref ulong _first = ref Unsafe.As<TNumber, ulong>(ref first);
        private readonly ulong _low = Unsafe.As<TNumber, ulong>(ref number);
        private readonly ulong _high = Unsafe.Add(ref Unsafe.As<TNumber, ulong>(ref number), 1) ^ Sign;

        // Turned, so that the order is that of numbers without a sign.
        private static ulong Sign => typeof(TNumber) == typeof(Int128) ? 1ul << 63 : 0;

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public nint IsLess(nint index)
        {
            ulong low = Unsafe.Add(ref _first, 2 * index), high = Unsafe.Add(ref _first, 2 * index + 1);
            if (TOrder.IsReversed) (low, high) = (Reverse(high), Reverse(low));
            high ^= Sign;
            return One(high < _high) | One(high == _high) & One(low < _low);
        }

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public nint LessOfFour(nint index)
        {
            Vector256<ulong> two = Vector256.LoadUnsafe(ref _first, (nuint)(2 * index));
            Vector256<ulong> others = Vector256.LoadUnsafe(ref _first, (nuint)(2 * index) + 4);
            Vector256<ulong> low = Avx2.UnpackLow(two, others), high = Avx2.UnpackHigh(two, others);
            if (TOrder.IsReversed) (low, high) = (Reversed(high, sizeof(ulong)), Reversed(low, sizeof(ulong)));
            high ^= Vector256.Create(Sign);
            Vector256<ulong> wanted = Vector256.Create(_high);
            Vector256<ulong> less = Vector256.LessThan(high, wanted)
                | Vector256.Equals(high, wanted) & Vector256.LessThan(low, Vector256.Create(_low));
            return BitOperations.PopCount(less.ExtractMostSignificantBits());
        }
    }
}

// Ascending numbers, and one that is looked for.
internal interface INumberRow
{
    // 1 where the number at an index is less than the one that is looked for, else 0.
    nint IsLess(nint index);
}

// Whether the bytes of numbers in memory are in the other order than this machine's.
internal interface IByteOrder
{
    static abstract bool IsReversed { get; }
}

internal readonly struct LittleEndianOrder : IByteOrder
{
    public static bool IsReversed => false;
}

internal readonly struct BigEndianOrder : IByteOrder
{
    public static bool IsReversed => true;
}

namespace MemPrims;

// Compares two blocks of any length. One method is one tier; this table says what runs for which length (CompareLoops has the loops):
//
//   tier      two vectors that may     four vectors over    two vectors a turn    four vectors a turn,
//             pass the block's end     the block                                  aligned
//   512       1–64, of 32 bytes        65–128, of 32;       257–2047, of 64       2048 and more, of 64
//                                      129–256, of 64
//   256       1–64, of 32 bytes        65–128, of 32                              129 and more, of 32
//   128       1–32, of 16 bytes        33–64, of 16                               65 and more, of 16
//   scalar    1–16, of 8 bytes         17–32, of 8                                33 and more, of 8
//
// Order goes another way where there are vectors of 32 bytes: 16 to 128 bytes as From16 has it; and where those of 64 bytes are whole, 65
// bytes and more begin with a look at the first one (By512).
//
// A processor that splits 512-bit registers (Hardware.Splits512) takes 32-byte vectors, four a turn, below 2 KiB. A block whose first
// vector would leave its page goes the way of order instead (NearPageEnd). Block.Compare and Block.Equal decide most short blocks
// before they come here.
internal static unsafe class CompareTiers
{
    // From here on four 64-byte vectors over the block are faster than 32-byte ones, where the processor does them whole: at 100 bytes
    // they take 2.3 ns and the others 1.9, at 200 bytes 3.5 and 5.1 (Zen 5). Order, which looks at one first, has LongestOf16.
    private const int Wide512From = 129;

    // From here on four aligned 64-byte vectors a turn are faster than two (CompareCases, "compare, sizes", Zen 5).
    private const int FourFrom = 2048;

    // Up to here order is told by From16, beyond by Long. 100 bytes take 2.6 ns by vectors of 32 bytes, and 1.7 by two of 64 (Zen 5).
    public static int LongestOf16
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Vector256.IsHardwareAccelerated && !Hardware.IsWhole512 ? 128 : 64;
    }

    private static int From512
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Hardware.Splits512 ? FourFrom : Wide512From;
    }

    // The first difference, by the tier of this machine. A negative length throws.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Difference Find(byte* left, byte* right, nint length) =>
        Hardware.Has512 ? Find512(left, right, length)
        : Vector256.IsHardwareAccelerated ? Find<Bytes256>(left, right, length)
        : Vector128.IsHardwareAccelerated ? Find<Bytes128>(left, right, length)
        : Find<Bytes64>(left, right, length);

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static Difference Find512(byte* left, byte* right, nint length) => length >= From512
        ? By512<WhereTheyDiffer, Difference>(ref *left, ref *right, length, Difference.None(length))
        : AnyLength<Bytes256>(left, right, length);

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static Difference Find<TVector>(byte* left, byte* right, nint length) where TVector : struct, IVector<TVector> =>
        AnyLength<TVector>(left, right, length);

    // The order of blocks of 16 bytes up to LongestOf16, with vectors of 32 bytes. Above64 takes four at once, and masks find out which
    // of them differs. Here a branch for each is faster, for a search foresees it: one among keys of 74 bytes that share 64 takes 126 ns
    // so, and took 168 (Zen 3, AVX2); where blocks differ at random, both take the same. Longer blocks that are equal would lose a third.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static TResult From16<TAnswer, TResult>(ref byte left, ref byte right, nint length, TResult same)
        where TAnswer : struct, IAnswer<TResult> => length < Bytes256.Size
            ? CompareLoops<Bytes128>.Windows<TAnswer, TResult>(ref left, ref right, length, same)
            : CompareLoops<Bytes256>.ByOne<TAnswer, TResult>(ref left, ref right, length, same);

    // The order of longer blocks: Above64 without asking what From16 has taken.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static TResult Long<TAnswer, TResult>(ref byte left, ref byte right, nint length, TResult same)
        where TAnswer : struct, IAnswer<TResult> =>
            Hardware.IsWhole512 ? By512<TAnswer, TResult>(ref left, ref right, length, same)
            : Vector256.IsHardwareAccelerated && !Hardware.Has512
                ? CompareLoops<Bytes256>.Far<TAnswer, TResult>(ref left, ref right, length, same)
            : Above64<TAnswer, TResult>(ref left, ref right, length, same);

    // The answer for blocks of more than 64 bytes. Nothing is read past their end, so they need not be pinned.
    // left: one block.
    // right: the other block.
    // length: how many bytes both have.
    // same: the answer where no byte differs.
    public static TResult Above64<TAnswer, TResult>(ref byte left, ref byte right, nint length, TResult same)
        where TAnswer : struct, IAnswer<TResult>
    {
        Debug.Assert(length > 64, "Shorter blocks are compared by words.");
        if (Hardware.Has512 && length >= From512) return By512<TAnswer, TResult>(ref left, ref right, length, same);
        if (Vector256.IsHardwareAccelerated)
            return CompareLoops<Bytes256>.Inside<TAnswer, TResult>(ref left, ref right, length, same);
        if (Vector128.IsHardwareAccelerated)
            return CompareLoops<Bytes128>.Inside<TAnswer, TResult>(ref left, ref right, length, same);
        return CompareLoops<Bytes64>.Inside<TAnswer, TResult>(ref left, ref right, length, same);
    }

    // Blocks that differ mostly do so early, and that is foreseen: so order looks at the first vector alone. Where 65 to 512 bytes differ
    // within the first 80, this took 8.5 ns to 3.4. Equality of up to four vectors does without, for it has no place to look for.
    // Marked, since no 512-bit code is precompiled.
    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    private static TResult By512<TAnswer, TResult>(ref byte left, ref byte right, nint length, TResult same)
        where TAnswer : struct, IAnswer<TResult>
    {
        int width = Bytes512.Size;
        if (!TAnswer.NeedsPlace && length <= 4 * width)
            return CompareLoops<Bytes512>.Four<TAnswer, TResult>(ref left, ref right, length, same);
        if (CompareLoops<Bytes512>.Differ<TAnswer, TResult>(ref left, ref right, 0, out TResult answer)) return answer;
        if (length <= 2 * width)
            return CompareLoops<Bytes512>.Differ<TAnswer, TResult>(ref left, ref right, length - width, out answer) ? answer : same;
        return length <= 4 * width ? CompareLoops<Bytes512>.Four<TAnswer, TResult>(ref left, ref right, length, same)
            : length < FourFrom ? CompareLoops<Bytes512>.ByTwo<TAnswer, TResult>(ref left, ref right, length, same, width)
            : CompareLoops<Bytes512>.ByFour<TAnswer, TResult>(ref left, ref right, length, same);
    }

    // Whether blocks of 1 to 64 bytes are equal: two vectors of 32 bytes, as in CompareLoops.Two, are asked at once.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TwoAreEqual(byte* left, byte* right, nint length)
    {
        Debug.Assert(length > 0 && length <= 2 * Bytes256.Size
            && OnePage.Holds(left, right, Bytes256.Size), "A short block, and vectors that stay on the page.");
        nint second = CompareLoops<Bytes256>.Second(length);
        ulong different = Bytes256.DifferentBytes(Bytes256.Load(ref *left, 0), Bytes256.Load(ref *right, 0),
            Bytes256.Load(ref *left, second), Bytes256.Load(ref *right, second));
        return CompareLoops<Bytes256>.Within(different, length) == 0;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Difference AnyLength<TVector>(byte* left, byte* right, nint length)
        where TVector : struct, IVector<TVector> => length > 2 * TVector.Size
            ? Inside<TVector>(left, right, length)
            : Short<TVector>(left, right, length);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Difference Inside<TVector>(byte* left, byte* right, nint length) where TVector : struct, IVector<TVector> =>
        CompareLoops<TVector>.Inside<WhereTheyDiffer, Difference>(ref *left, ref *right, length, Difference.None(length));

    // Up to two vectors.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Difference Short<TVector>(byte* left, byte* right, nint length) where TVector : struct, IVector<TVector>
    {
        if (length > 0) return OnePage.Holds(left, right, TVector.Size) ? CompareLoops<TVector>.Two(left, right, length)
            : NearPageEnd(left, right, length);
        if (length < 0) Throw.NegativeLength(length);
        return Difference.None(length);
    }

    // One short block in a hundred comes here. It goes the way of order, which reads the bytes of the blocks and no others.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Difference NearPageEnd(byte* left, byte* right, nint length) =>
        Block.InOrder<WhereTheyDiffer, Difference>(ref *left, ref *right, length, Difference.None(length));
}

// The loops of CompareTiers, for any width. Every byte is loaded, compared and, where blocks differ, located out of the same register.
internal static unsafe class CompareLoops<TVector> where TVector : struct, IVector<TVector>
{
    // Blocks of 1 byte up to two vectors: one vector from the start, one that ends where the block ends. In a block shorter than a vector
    // both begin at the start and pass the block's end; what lies there does not count. The caller has seen that a vector from the start
    // of either block stays on its page.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Difference Two(byte* left, byte* right, nint length)
    {
        Debug.Assert(length > 0 && length <= 2 * TVector.Size
            && OnePage.Holds(left, right, TVector.Size), "A short block, and vectors that stay on the page.");
        nint second = Second(length);
        TVector a = TVector.Load(ref *left, 0), b = TVector.Load(ref *right, 0), c = TVector.Load(ref *left, second),
            d = TVector.Load(ref *right, second);
        ulong different = TVector.DifferentBytes(a, b) | TVector.DifferentBytes(c, d) << (int)second;
        return Within(different, length) == 0 ? Difference.None(length)
            : Difference.At(0, different, TVector.GreaterBytes(a, b) | TVector.GreaterBytes(c, d) << (int)second);
    }

    // Blocks of two vectors and more. Nothing past the end of a block is read.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static TResult Inside<TAnswer, TResult>(ref byte left, ref byte right, nint length, TResult same)
        where TAnswer : struct, IAnswer<TResult>
    {
        Debug.Assert(length >= 2 * TVector.Size, "The block has two vectors.");
        return length <= 4 * TVector.Size ? Four<TAnswer, TResult>(ref left, ref right, length, same)
            : Far<TAnswer, TResult>(ref left, ref right, length, same);
    }

    // Kept out of line: blocks of up to four vectors took half as long again beside this loop, and a profile of either must not lay out
    // the other.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static TResult Far<TAnswer, TResult>(ref byte left, ref byte right, nint length, TResult same)
        where TAnswer : struct, IAnswer<TResult> => ByFour<TAnswer, TResult>(ref left, ref right, length, same);

    // One to two vectors: one from the start and one that ends where the block ends, without a branch on where they differ. Nothing past
    // the end is read.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static TResult Windows<TAnswer, TResult>(ref byte left, ref byte right, nint length, TResult same)
        where TAnswer : struct, IAnswer<TResult>
    {
        Debug.Assert(length >= TVector.Size && length <= 2 * TVector.Size, "The block has one or two vectors.");
        nint last = length - TVector.Size;
        TVector a = TVector.Load(ref left, 0), b = TVector.Load(ref right, 0);
        TVector c = TVector.Load(ref left, last), d = TVector.Load(ref right, last);
        ulong different = TVector.DifferentBytes(a, b) | TVector.DifferentBytes(c, d) << (int)last;
        return different == 0 ? same
            : TAnswer.OfBits(0, different, TVector.GreaterBytes(a, b) | TVector.GreaterBytes(c, d) << (int)last);
    }

    // One vector a turn, with a branch for each; the last one ends where the block ends.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static TResult ByOne<TAnswer, TResult>(ref byte left, ref byte right, nint length, TResult same)
        where TAnswer : struct, IAnswer<TResult>
    {
        Debug.Assert(length >= TVector.Size, "The block has a vector.");
        nint last = length - TVector.Size, at = 0;
        while (true)
        {
            if (Differ<TAnswer, TResult>(ref left, ref right, at, out TResult answer)) return answer;
            if (at == last) return same;
            at += TVector.Size;
            if (at > last) at = last;
        }
    }

    // Whether the vectors at an offset differ, and the answer where they do.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool Differ<TAnswer, TResult>(ref byte left, ref byte right, nint offset, out TResult answer)
        where TAnswer : struct, IAnswer<TResult>
    {
        TVector l = TVector.Load(ref left, offset), r = TVector.Load(ref right, offset);
        ulong different = TVector.DifferentBytes(l, r);
        Unsafe.SkipInit(out answer);
        if (different == 0) return false;
        answer = TAnswer.OfBits(offset, different, TVector.GreaterBytes(l, r));
        return true;
    }

    // Two vectors at a time, from `at` on, with one branch for both. The last two end where the block ends. On Zen 5 400 bytes take 6.9 ns
    // so, and 8.4 by four.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static TResult ByTwo<TAnswer, TResult>(ref byte left, ref byte right, nint length, TResult same, nint at)
        where TAnswer : struct, IAnswer<TResult>
    {
        int width = TVector.Size;
        nint lastTurn = length - 2 * width;
        while (true)
        {
            TVector a = TVector.Load(ref left, at), b = TVector.Load(ref right, at);
            TVector c = TVector.Load(ref left, at + width), d = TVector.Load(ref right, at + width);
            if (!TVector.IsZero(TVector.Either(TVector.Difference(a, b), TVector.Difference(c, d))))
            {
                if (!TAnswer.NeedsPlace) return TAnswer.OfBits(at, 1, 0);
                Found found = new(c, d, at + width);
                found.OrBefore(a, b, at);
                return TAnswer.OfBits(found.Offset, found.Different, found.Greater);
            }
            if (at == lastTurn) return same;
            at += 2 * width;
            if (at > lastTurn) at = lastTurn;
        }
    }

    // Two to four vectors: four over the block, with one branch.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static TResult Four<TAnswer, TResult>(ref byte left, ref byte right, nint length, TResult same)
        where TAnswer : struct, IAnswer<TResult>
    {
        FourVectors<TVector>.Spread(length, out nint second, out nint third, out nint last);
        FourVectors<TVector> l = FourVectors<TVector>.Load(ref left, second, third, last);
        FourVectors<TVector> r = FourVectors<TVector>.Load(ref right, second, third, last);
        return l.Equals(r) ? same : Locate<TAnswer, TResult>(l, r, 0, second, third, last);
    }

    // More than four vectors: four at a time. The second turn begins where the left block is aligned; the last four vectors end where the
    // block ends.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static TResult ByFour<TAnswer, TResult>(ref byte left, ref byte right, nint length, TResult same)
        where TAnswer : struct, IAnswer<TResult>
    {
        int width = TVector.Size;
        Debug.Assert(length > 4 * width, "The block has more than four vectors.");
        nint lastTurn = length - 4 * width, at = 0, next = 4 * width - ((nint)Unsafe.AsPointer(ref left) & (width - 1));
        do
        {
            FourVectors<TVector> l = FourVectors<TVector>.Load(ref left, at);
            FourVectors<TVector> r = FourVectors<TVector>.Load(ref right, at);
            if (!l.Equals(r)) return Locate<TAnswer, TResult>(l, r, at, at + width, at + 2 * width, at + 3 * width);
            at = next;
            next += 4 * width;
        }
        while (at < lastTurn);
        FourVectors<TVector> lastLeft = FourVectors<TVector>.Load(ref left, lastTurn);
        FourVectors<TVector> lastRight = FourVectors<TVector>.Load(ref right, lastTurn);
        if (lastLeft.Equals(lastRight)) return same;
        return Locate<TAnswer, TResult>(lastLeft, lastRight, lastTurn, lastTurn + width, lastTurn + 2 * width, lastTurn + 3 * width);
    }

    // Where the second vector begins: 0 in a block that is shorter than a vector. Bit arithmetic, for in a loop the JIT makes a branch of
    // a conditional.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static nint Second(nint length)
    {
        nint beyond = length - TVector.Size;
        return beyond & ~(beyond >> 63);
    }

    // Not 0 when one of the lowest `length` bits is set, of 1 to 64 bits. The shift moves all others out; it takes its count modulo 64.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Within(ulong bits, nint length) =>
        Bmi2.X64.IsSupported ? Bmi2.X64.ZeroHighBits(bits, (ulong)length) : bits << -(int)length;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static TResult Locate<TAnswer, TResult>(
        in FourVectors<TVector> left, in FourVectors<TVector> right, nint first, nint second, nint third, nint last)
        where TAnswer : struct, IAnswer<TResult>
    {
        if (!TAnswer.NeedsPlace) return TAnswer.OfBits(first, 1, 0);
        Found found = new(left.Last, right.Last, last);
        found.OrBefore(left.Third, right.Third, third);
        found.OrBefore(left.Second, right.Second, second);
        found.OrBefore(left.First, right.First, first);
        return TAnswer.OfBits(found.Offset, found.Different, found.Greater);
    }

    // The vectors that hold the first difference, out of several. Which they are nobody foresees where blocks differ at a random place, so
    // no branch asks (DifferingCases). The JIT makes branches of conditionals here: hence the mask.
    private struct Found
    {
        public nint Offset;
        public ulong Different, Greater;

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public Found(TVector left, TVector right, nint offset)
        {
            Offset = offset;
            Different = TVector.DifferentBytes(left, right);
            Greater = TVector.GreaterBytes(left, right);
        }

        // Takes these, which lie before, where they differ.
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void OrBefore(TVector left, TVector right, nint offset)
        {
            Found before = new(left, right, offset);
            ulong differ = (ulong)((long)(before.Different | (0 - before.Different)) >> 63);
            Offset ^= (Offset ^ offset) & (nint)differ;
            Different ^= (Different ^ before.Different) & differ;
            Greater ^= (Greater ^ before.Greater) & differ;
        }
    }
}

// What a caller wants to know of two blocks. Every routine is compiled once for each answer, so that none computes what is not asked for:
// order does not need a position, and equality needs no place at all.
internal interface IAnswer<TResult>
{
    // Whether the answer depends on where the blocks differ.
    static abstract bool NeedsPlace { get; }

    // A byte differs.
    // offset: where the vectors begin that were compared.
    // different: bit i is set where byte i differs.
    // greater: bit i is set where byte i of the left vector is greater.
    static abstract TResult OfBits(nint offset, ulong different, ulong greater);
}

// Whether the blocks are equal.
internal readonly struct AreEqual : IAnswer<bool>
{
    public static bool NeedsPlace => false;

    public static bool OfBits(nint offset, ulong different, ulong greater) => false;
}

// An answer that words give as well: order, with or without the position.
internal interface IOrderAnswer<TResult> : IAnswer<TResult>
{
    // The words that begin at `offset` differ.
    static abstract TResult OfWords(nint offset, ulong left, ulong right);

    // The same of words of 4 bytes.
    static abstract TResult OfWords(nint offset, uint left, uint right);

    // The first, middle and last byte of blocks of 1 to 3 bytes, joined to a number each, differ.
    static abstract TResult OfThreeBytes(nint length, uint left, uint right);
}

// Negative when the left block is less, positive when it is greater.
internal readonly struct WhichIsGreater : IOrderAnswer<int>
{
    public static bool NeedsPlace => true;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int OfBits(nint offset, ulong different, ulong greater) =>
        ((int)(greater >> BitOperations.TrailingZeroCount(different)) & 1) * 2 - 1;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int OfWords(nint offset, ulong left, ulong right) =>
        Sign(BinaryPrimitives.ReverseEndianness(left) < BinaryPrimitives.ReverseEndianness(right));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int OfWords(nint offset, uint left, uint right) =>
        Sign(BinaryPrimitives.ReverseEndianness(left) < BinaryPrimitives.ReverseEndianness(right));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int OfThreeBytes(nint length, uint left, uint right) => (int)(left - right);

    // By arithmetic. Of a conditional the JIT makes a branch where its profile has seen equal blocks only, and which block is greater
    // nobody foresees: index keys took twice the time ("compare, keys").
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Sign(bool isLess) => 1 - 2 * Unsafe.BitCast<bool, byte>(isLess);
}

// Where the blocks differ first, and which is greater there.
internal readonly struct WhereTheyDiffer : IOrderAnswer<Difference>
{
    public static bool NeedsPlace => true;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Difference OfBits(nint offset, ulong different, ulong greater) => Difference.At(offset, different, greater);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Difference OfWords(nint offset, ulong left, ulong right) =>
        Difference.At(offset, Bytes64.DifferentBytes(left, right), Bytes64.GreaterBytes(left, right));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Difference OfWords(nint offset, uint left, uint right) => OfWords(offset, (ulong)left, right);

    // The first byte stands highest, so the highest bit that differs tells which of the three it is.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Difference OfThreeBytes(nint length, uint left, uint right)
    {
        int byteFromLast = BitOperations.Log2(left ^ right) >> 3;
        nint place = byteFromLast == 2 ? 0 : byteFromLast == 1 ? length >> 1 : length - 1;
        return Difference.At(place, 1, left > right ? 1u : 0);
    }
}

using System.Buffers.Binary;
using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace MemPrims;

/// <summary>
/// What a kernel needs of a vector. A loop over it is written once, for 128, 256 and 512 bits and for words of 8 bytes.
/// The type arguments are structs, so the JIT compiles each width on its own, to the instructions of a loop written by hand.
/// </summary>
internal unsafe interface IWidth<TVector> where TVector : struct
{
    static abstract int Bytes { get; }
    static abstract TVector Load(ref byte block, nint offset);
    static abstract void Store(TVector vector, ref byte block, nint offset);
    static abstract TVector Difference(TVector left, TVector right);
    static abstract TVector Either(TVector left, TVector right);
    static abstract bool IsZero(TVector vector);

    /// <summary>Bit i is set where byte i differs. With words only the first bit that is set has a meaning.</summary>
    static abstract ulong DifferentBytes(TVector left, TVector right);

    /// <summary>Bit i is set where byte i differs in the first pair or in the second one.</summary>
    static abstract ulong DifferentBytes(TVector left, TVector right, TVector left2, TVector right2);

    /// <summary>Bit i is set where byte i of the left vector is the greater one. With words only the bit of the first difference has a
    /// meaning.</summary>
    static abstract ulong GreaterBytes(TVector left, TVector right);
}

/// <summary>A width that has stores past the cache.</summary>
internal unsafe interface IStreamingWidth<TVector> : IWidth<TVector> where TVector : struct
{
    static abstract void StorePastCache(TVector vector, byte* alignedDestination);
}

internal readonly unsafe struct Width128 : IStreamingWidth<Vector128<byte>>
{
    public static int Bytes => 16;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector128<byte> Load(ref byte block, nint offset) => Vector128.LoadUnsafe(ref block, (nuint)offset);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Store(Vector128<byte> vector, ref byte block, nint offset) => vector.StoreUnsafe(ref block, (nuint)offset);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void StorePastCache(Vector128<byte> vector, byte* alignedDestination) =>
        vector.StoreAlignedNonTemporal(alignedDestination);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector128<byte> Difference(Vector128<byte> left, Vector128<byte> right) => left ^ right;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector128<byte> Either(Vector128<byte> left, Vector128<byte> right) => left | right;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool IsZero(Vector128<byte> vector) => vector == Vector128<byte>.Zero;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong DifferentBytes(Vector128<byte> left, Vector128<byte> right) =>
        ~Vector128.Equals(left, right).ExtractMostSignificantBits() & 0xFFFF;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong DifferentBytes(Vector128<byte> left, Vector128<byte> right, Vector128<byte> left2, Vector128<byte> right2) =>
        ~(Vector128.Equals(left, right) & Vector128.Equals(left2, right2)).ExtractMostSignificantBits() & 0xFFFF;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong GreaterBytes(Vector128<byte> left, Vector128<byte> right) => DifferentBytes(Vector128.Min(left, right), left);
}

internal readonly unsafe struct Width256 : IStreamingWidth<Vector256<byte>>
{
    public static int Bytes => 32;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector256<byte> Load(ref byte block, nint offset) => Vector256.LoadUnsafe(ref block, (nuint)offset);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Store(Vector256<byte> vector, ref byte block, nint offset) => vector.StoreUnsafe(ref block, (nuint)offset);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void StorePastCache(Vector256<byte> vector, byte* alignedDestination) =>
        vector.StoreAlignedNonTemporal(alignedDestination);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector256<byte> Difference(Vector256<byte> left, Vector256<byte> right) => left ^ right;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector256<byte> Either(Vector256<byte> left, Vector256<byte> right) => left | right;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool IsZero(Vector256<byte> vector) => vector == Vector256<byte>.Zero;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong DifferentBytes(Vector256<byte> left, Vector256<byte> right) =>
        ~Vector256.Equals(left, right).ExtractMostSignificantBits();

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong DifferentBytes(Vector256<byte> left, Vector256<byte> right, Vector256<byte> left2, Vector256<byte> right2) =>
        ~(Vector256.Equals(left, right) & Vector256.Equals(left2, right2)).ExtractMostSignificantBits();

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong GreaterBytes(Vector256<byte> left, Vector256<byte> right) => DifferentBytes(Vector256.Min(left, right), left);
}

internal readonly unsafe struct Width512 : IStreamingWidth<Vector512<byte>>
{
    public static int Bytes => 64;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector512<byte> Load(ref byte block, nint offset) => Vector512.LoadUnsafe(ref block, (nuint)offset);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Store(Vector512<byte> vector, ref byte block, nint offset) => vector.StoreUnsafe(ref block, (nuint)offset);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void StorePastCache(Vector512<byte> vector, byte* alignedDestination) =>
        vector.StoreAlignedNonTemporal(alignedDestination);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector512<byte> Difference(Vector512<byte> left, Vector512<byte> right) => left ^ right;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector512<byte> Either(Vector512<byte> left, Vector512<byte> right) => left | right;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool IsZero(Vector512<byte> vector) => vector == Vector512<byte>.Zero;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong DifferentBytes(Vector512<byte> left, Vector512<byte> right) =>
        ~Vector512.Equals(left, right).ExtractMostSignificantBits();

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong DifferentBytes(Vector512<byte> left, Vector512<byte> right, Vector512<byte> left2, Vector512<byte> right2) =>
        ~(Vector512.Equals(left, right) & Vector512.Equals(left2, right2)).ExtractMostSignificantBits();

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong GreaterBytes(Vector512<byte> left, Vector512<byte> right) => DifferentBytes(Vector512.Min(left, right), left);
}

/// <summary>The word of 8 bytes as the narrowest vector: the scalar tier runs the same loops with it.</summary>
internal readonly struct WidthWord : IWidth<ulong>
{
    public static int Bytes => sizeof(ulong);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Load(ref byte block, nint offset) => Unsafe.ReadUnaligned<ulong>(ref Unsafe.Add(ref block, offset));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Store(ulong vector, ref byte block, nint offset) =>
        Unsafe.WriteUnaligned(ref Unsafe.Add(ref block, offset), vector);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Difference(ulong left, ulong right) => left ^ right;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Either(ulong left, ulong right) => left | right;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool IsZero(ulong vector) => vector == 0;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong DifferentBytes(ulong left, ulong right) =>
        left == right ? 0 : 1ul << (BitOperations.TrailingZeroCount(left ^ right) >> 3);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong DifferentBytes(ulong left, ulong right, ulong left2, ulong right2) =>
        DifferentBytes((left ^ right) | (left2 ^ right2), 0);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong GreaterBytes(ulong left, ulong right) =>
        BinaryPrimitives.ReverseEndianness(left) > BinaryPrimitives.ReverseEndianness(right) ? DifferentBytes(left, right) : 0;
}

/// <summary>
/// Four vectors out of a block: side by side, or spread over a block of one to four vectors so that they cover all of it. Spread vectors
/// overlap as much as they have to, so no branch depends on the length.
/// </summary>
internal readonly struct FourVectors<TWidth, TVector>(TVector first, TVector second, TVector third, TVector last)
    where TWidth : struct, IWidth<TVector> where TVector : struct
{
    public readonly TVector First = first, Second = second, Third = third, Last = last;

    /// <summary>Where the vectors of a block begin; the first begins at 0.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Spread(nint length, out nint second, out nint third, out nint last)
    {
        Debug.Assert(length >= TWidth.Bytes && length <= 4 * TWidth.Bytes, "The block has one to four vectors.");
        second = ((length - 1) >> 1) & TWidth.Bytes;
        last = length - TWidth.Bytes;
        third = last - second;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static FourVectors<TWidth, TVector> Load(ref byte block, nint second, nint third, nint last) =>
        new(TWidth.Load(ref block, 0), TWidth.Load(ref block, second), TWidth.Load(ref block, third), TWidth.Load(ref block, last));

    /// <summary>Four vectors side by side.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static FourVectors<TWidth, TVector> Load(ref byte block, nint offset)
    {
        ref byte at = ref Unsafe.Add(ref block, offset);
        return Load(ref at, TWidth.Bytes, 2 * TWidth.Bytes, 3 * TWidth.Bytes);
    }

    /// <summary>
    /// The first vector is stored last. Whoever reads the start of the copy at once then gets it from that one store. Two overlapping
    /// stores are not forwarded to a load, which costs 3 ns.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Store(ref byte block, nint second, nint third, nint last)
    {
        TWidth.Store(Last, ref block, last);
        TWidth.Store(Third, ref block, third);
        TWidth.Store(Second, ref block, second);
        TWidth.Store(First, ref block, 0);
    }

    /// <summary>Stores the four side by side.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Store(ref byte block, nint offset)
    {
        ref byte at = ref Unsafe.Add(ref block, offset);
        Store(ref at, TWidth.Bytes, 2 * TWidth.Bytes, 3 * TWidth.Bytes);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Equals(in FourVectors<TWidth, TVector> other) => TWidth.IsZero(TWidth.Either(
        TWidth.Either(TWidth.Difference(First, other.First), TWidth.Difference(Second, other.Second)),
        TWidth.Either(TWidth.Difference(Third, other.Third), TWidth.Difference(Last, other.Last))));
}

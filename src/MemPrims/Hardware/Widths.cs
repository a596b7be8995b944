using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace MemPrims;

/// <summary>
/// What a kernel needs of a vector, so that its loop is written once for 128, 256 and 512 bits. The type arguments are structs:
/// the JIT compiles each width on its own, to the instructions that a copy written for it by hand has.
/// </summary>
internal unsafe interface IWidth<TVector> where TVector : struct
{
    static abstract int Bytes { get; }
    static abstract TVector Load(byte* source);
    static abstract void Store(TVector vector, byte* destination);
    static abstract TVector Difference(TVector left, TVector right);
    static abstract TVector Either(TVector left, TVector right);
    static abstract bool IsZero(TVector vector);

    /// <summary>Bit i is set where byte i differs.</summary>
    static abstract ulong DifferentBytes(TVector left, TVector right);
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
    public static Vector128<byte> Load(byte* source) => Vector128.Load(source);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Store(Vector128<byte> vector, byte* destination) => vector.Store(destination);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void StorePastCache(Vector128<byte> vector, byte* alignedDestination) => vector.StoreAlignedNonTemporal(alignedDestination);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector128<byte> Difference(Vector128<byte> left, Vector128<byte> right) => left ^ right;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector128<byte> Either(Vector128<byte> left, Vector128<byte> right) => left | right;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool IsZero(Vector128<byte> vector) => vector == Vector128<byte>.Zero;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong DifferentBytes(Vector128<byte> left, Vector128<byte> right) => ~Vector128.Equals(left, right).ExtractMostSignificantBits() & 0xFFFF;
}

internal readonly unsafe struct Width256 : IStreamingWidth<Vector256<byte>>
{
    public static int Bytes => 32;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector256<byte> Load(byte* source) => Vector256.Load(source);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Store(Vector256<byte> vector, byte* destination) => vector.Store(destination);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void StorePastCache(Vector256<byte> vector, byte* alignedDestination) => vector.StoreAlignedNonTemporal(alignedDestination);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector256<byte> Difference(Vector256<byte> left, Vector256<byte> right) => left ^ right;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector256<byte> Either(Vector256<byte> left, Vector256<byte> right) => left | right;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool IsZero(Vector256<byte> vector) => vector == Vector256<byte>.Zero;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong DifferentBytes(Vector256<byte> left, Vector256<byte> right) => ~Vector256.Equals(left, right).ExtractMostSignificantBits();
}

internal readonly unsafe struct Width512 : IStreamingWidth<Vector512<byte>>
{
    public static int Bytes => 64;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector512<byte> Load(byte* source) => Vector512.Load(source);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Store(Vector512<byte> vector, byte* destination) => vector.Store(destination);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void StorePastCache(Vector512<byte> vector, byte* alignedDestination) => vector.StoreAlignedNonTemporal(alignedDestination);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector512<byte> Difference(Vector512<byte> left, Vector512<byte> right) => left ^ right;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector512<byte> Either(Vector512<byte> left, Vector512<byte> right) => left | right;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool IsZero(Vector512<byte> vector) => vector == Vector512<byte>.Zero;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong DifferentBytes(Vector512<byte> left, Vector512<byte> right) => (~Vector512.Equals(left, right)).ExtractMostSignificantBits();
}

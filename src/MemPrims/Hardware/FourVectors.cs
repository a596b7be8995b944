using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace MemPrims;

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

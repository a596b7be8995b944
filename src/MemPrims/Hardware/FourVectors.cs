namespace MemPrims;

// Four vectors out of a block: side by side, or spread over a block of one to four vectors so that they cover all of it. Spread vectors
// overlap as much as they have to, so no branch depends on the length.
//
// The constructor is marked, too: where the profile of a process says that long blocks are rare, the JIT otherwise calls it, and the
// vectors go through memory (copies of 125 to 200 bytes after many of 67 to 80, AVX2: 15 to 16.8 ns, and 5.1 to 5.4 so, Emerald Rapids).
[method: MethodImpl(MethodImplOptions.AggressiveInlining)]
internal readonly struct FourVectors<TVector>(TVector first, TVector second, TVector third, TVector last)
    where TVector : struct, IVector<TVector>
{
    public readonly TVector First = first, Second = second, Third = third, Last = last;

    // Where the vectors of a block begin; the first begins at 0.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Spread(nint length, out nint second, out nint third, out nint last)
    {
        Debug.Assert(length >= TVector.Size && length <= 4 * TVector.Size, "The block has one to four vectors.");
        second = ((length - 1) >> 1) & TVector.Size;
        last = length - TVector.Size;
        third = last - second;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static FourVectors<TVector> Load(ref byte block, nint second, nint third, nint last) =>
        new(TVector.Load(ref block, 0), TVector.Load(ref block, second), TVector.Load(ref block, third), TVector.Load(ref block, last));

    // Four vectors side by side.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static FourVectors<TVector> Load(ref byte block, nint offset)
    {
        ref byte at = ref Unsafe.Add(ref block, offset);
        return Load(ref at, TVector.Size, 2 * TVector.Size, 3 * TVector.Size);
    }

    // The first vector is stored last. Whoever reads the start of the copy at once then gets it from that one store. Two overlapping
    // stores are not forwarded to a load, which costs 3 ns.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Store(ref byte block, nint second, nint third, nint last)
    {
        TVector.Store(Last, ref block, last);
        TVector.Store(Third, ref block, third);
        TVector.Store(Second, ref block, second);
        TVector.Store(First, ref block, 0);
    }

    // Stores the four side by side.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Store(ref byte block, nint offset)
    {
        ref byte at = ref Unsafe.Add(ref block, offset);
        Store(ref at, TVector.Size, 2 * TVector.Size, 3 * TVector.Size);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Equals(in FourVectors<TVector> other) => TVector.IsZero(TVector.Either(
        TVector.Either(TVector.Difference(First, other.First), TVector.Difference(Second, other.Second)),
        TVector.Either(TVector.Difference(Third, other.Third), TVector.Difference(Last, other.Last))));
}

using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace MemPrims.Sets;

/// <summary>
/// A vector of runs for <see cref="RunOverlap"/> at one width. First ids and ends are in vectors of their own.
/// </summary>
/// <typeparam name="TSum">32-bit sums, lane by lane.</typeparam>
internal interface IRunLanes<TSum>
{
    /// <summary>The runs in a vector.</summary>
    static abstract int Count { get; }

    static abstract TSum Zero { get; }

    /// <summary>Adds the ids that each of <see cref="Count"/> runs shares with eight others.</summary>
    static abstract TSum Meet(TSum shared, ref ushort firsts, ref ushort ends, ref ushort eightFirsts, ref ushort eightEnds);

    static abstract int Sum(TSum shared);
}

/// <summary>512 bits: 32 runs.</summary>
internal readonly struct RunLanes512 : IRunLanes<Vector512<uint>>
{
    public static int Count => Vector512<ushort>.Count;

    public static Vector512<uint> Zero => Vector512<uint>.Zero;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector512<uint> Meet(Vector512<uint> shared, ref ushort firsts, ref ushort ends, ref ushort eightFirsts,
        ref ushort eightEnds)
    {
        Vector512<ushort> first = Vector512.LoadUnsafe(ref firsts), end = Vector512.LoadUnsafe(ref ends);
        // The eight overlaps together are at most the run's own ids, so 16 bits hold their sum.
        Vector512<ushort> eight = (Overlap(0, first, end, ref eightFirsts, ref eightEnds)
            + Overlap(1, first, end, ref eightFirsts, ref eightEnds))
            + (Overlap(2, first, end, ref eightFirsts, ref eightEnds) + Overlap(3, first, end, ref eightFirsts, ref eightEnds))
            + (Overlap(4, first, end, ref eightFirsts, ref eightEnds) + Overlap(5, first, end, ref eightFirsts, ref eightEnds))
            + (Overlap(6, first, end, ref eightFirsts, ref eightEnds) + Overlap(7, first, end, ref eightFirsts, ref eightEnds));
        return shared + (eight.AsUInt32() & Vector512.Create((uint)ushort.MaxValue)) + (eight.AsUInt32() >>> 16);
    }

    public static int Sum(Vector512<uint> shared) => (int)Vector512.Sum(shared);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector512<ushort> Overlap(int index, Vector512<ushort> first, Vector512<ushort> end, ref ushort eightFirsts,
        ref ushort eightEnds) =>
        Vector512.SubtractSaturate(
            Vector512.Min(end, Vector512.Create(Unsafe.Add(ref eightEnds, index))),
            Vector512.Max(first, Vector512.Create(Unsafe.Add(ref eightFirsts, index))));
}

/// <summary>
/// The widest vectors below 512 bits. On a machine without any, the runtime makes loops of them.
/// </summary>
internal readonly struct RunLanes : IRunLanes<Vector<uint>>
{
    public static int Count => Vector<ushort>.Count;

    public static Vector<uint> Zero => Vector<uint>.Zero;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector<uint> Meet(Vector<uint> shared, ref ushort firsts, ref ushort ends, ref ushort eightFirsts, ref ushort eightEnds)
    {
        Vector<ushort> first = Vector.LoadUnsafe(ref firsts), end = Vector.LoadUnsafe(ref ends), eight = Vector<ushort>.Zero;
        for (int i = 0; i < 8; i++)
            eight += Vector.SubtractSaturate(Vector.Min(end, new Vector<ushort>(Unsafe.Add(ref eightEnds, i))), Vector.Max(first,
                new Vector<ushort>(Unsafe.Add(ref eightFirsts, i))));
        return shared + (Vector.AsVectorUInt32(eight) & new Vector<uint>(ushort.MaxValue)) + (Vector.AsVectorUInt32(eight) >>> 16);
    }

    public static int Sum(Vector<uint> shared) => (int)Vector.Sum(shared);
}

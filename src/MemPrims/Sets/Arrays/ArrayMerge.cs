using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace MemPrims.Sets;

/// <summary>
/// Union, intersection and exclusive-or of two arrays of 16-bit ids. Both are merged a vector at a time: the next vector comes from the side whose next id is lower,
/// the network of <see cref="IMergeLanes{TVector}"/> merges it with the upper half of the turn before, and the lower half is done. An id of both sides
/// lies beside its twin then: a comparison with the neighbours leaves one of them, or none. No branch depends on the ids.
/// Ends are padded with 65,535; whether that id is really there is decided at the end. Unsorted ids give a wrong result inside the room given.
/// </summary>
internal static unsafe class ArrayMerge
{
    /// <summary>What the destination needs behind the most ids that there can be: whole vectors are stored.</summary>
    public const int Slack = 128;

    /// <summary>Writes the ids of either side once each; the destination takes both and <see cref="Slack"/>.</summary>
    public static int Union(ReadOnlySpan<ushort> a, ReadOnlySpan<ushort> b, ref ushort destination) => Run<OrIds>(a, b, ref destination);

    /// <summary>Writes the ids of both sides; the destination takes the shorter and <see cref="Slack"/>.</summary>
    public static int Intersect(ReadOnlySpan<ushort> a, ReadOnlySpan<ushort> b, ref ushort destination) => Run<AndIds>(a, b, ref destination);

    /// <summary>Writes the ids of one side that the other has not; the destination takes both and <see cref="Slack"/>.</summary>
    public static int Xor(ReadOnlySpan<ushort> a, ReadOnlySpan<ushort> b, ref ushort destination) => Run<XorIds>(a, b, ref destination);

    private static int Run<TOperation>(ReadOnlySpan<ushort> a, ReadOnlySpan<ushort> b, ref ushort destination) where TOperation : struct, IIdOperation
    {
        if (a.IsEmpty || b.IsEmpty)
        {
            if (!TOperation.KeepsLeft) return 0;
            ReadOnlySpan<ushort> all = a.IsEmpty ? b : a;
            all.CopyTo(MemoryMarshal.CreateSpan(ref destination, all.Length));
            return all.Length;
        }
        if (MergeLanes512.IsSupported) return Run<TOperation, Vector512<ushort>, MergeLanes512>(a, b, ref destination);
        if (Vector128.IsHardwareAccelerated) return Run<TOperation, Vector128<ushort>, MergeLanes128>(a, b, ref destination);
        Span<ushort> to = MemoryMarshal.CreateSpan(ref destination, a.Length + b.Length);
        return !TOperation.KeepsLeft ? SortedMerge.Select<ushort, KeepMatched>(a, b, to) : TOperation.KeepsBoth ? SortedMerge.Union(a, b, to) : SortedMerge.Xor(a, b, to);
    }

    private static int Run<TOperation, TVector, TLanes>(ReadOnlySpan<ushort> a, ReadOnlySpan<ushort> b, ref ushort destination)
        where TOperation : struct, IIdOperation
        where TLanes : struct, IMergeLanes<TVector>
    {
        fixed (ushort* startA = a, startB = b, start = &destination)
        {
            ushort* x = startA, y = startB, endX = startA + a.Length, endY = startB + b.Length, to = start;
            ushort least = Math.Min(*x, *y);
            TVector low = TLanes.Load(x, a.Length), high = TLanes.Load(y, b.Length), before = TLanes.Create((ushort)(least - 1)), second = before;
            x += TLanes.Count;
            y += TLanes.Count;
            while (true)
            {
                TLanes.Merge(ref low, ref high);
                TVector shifted = TLanes.ShiftIn(before, low);
                to += Pack<TOperation, TVector, TLanes>(low, shifted, ref second, to);
                before = low;
                // Another vector: of the side whose next id is lower.
                bool moreX = x < endX, moreY = y < endY;
                if (!(moreX & moreY))
                {
                    if (!(moreX | moreY)) break;
                    low = moreX ? TLanes.Load(x, (nint)(endX - x)) : TLanes.Load(y, (nint)(endY - y));
                    x += moreX ? TLanes.Count : 0;
                    y += moreX ? 0 : TLanes.Count;
                    continue;
                }
                nint takeX = -(nint)(*x <= *y ? 1 : 0);
                ushort* from = (ushort*)((nint)y ^ (((nint)x ^ (nint)y) & takeX));
                nint left = (nint)(endY - y) ^ (((nint)(endX - x) ^ (nint)(endY - y)) & takeX);
                x += TLanes.Count & takeX;
                y += TLanes.Count & ~takeX;
                low = TLanes.Load(from, left);
            }
            TVector last = TLanes.ShiftIn(before, high);
            to += Pack<TOperation, TVector, TLanes>(high, last, ref second, to);
            if (!TOperation.KeepsBoth)
            {
                // The exclusive-or is one lane late.
                TVector end = TLanes.Create(ushort.MaxValue);
                to += Pack<TOperation, TVector, TLanes>(end, TLanes.ShiftIn(high, end), ref second, to);
            }
            while (to > start && to[-1] == ushort.MaxValue) to--;
            bool lastOfA = endX[-1] == ushort.MaxValue, lastOfB = endY[-1] == ushort.MaxValue;
            if (!TOperation.KeepsLeft ? lastOfA & lastOfB : TOperation.KeepsBoth ? lastOfA | lastOfB : lastOfA ^ lastOfB) *to++ = ushort.MaxValue;
            return (int)(to - start);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Pack<TOperation, TVector, TLanes>(TVector ids, TVector shifted, ref TVector shiftedBefore, ushort* to)
        where TOperation : struct, IIdOperation
        where TLanes : struct, IMergeLanes<TVector>
    {
        if (TOperation.KeepsBoth) return TOperation.KeepsLeft ? TLanes.PackDifferent(ids, shifted, to) : TLanes.PackSame(ids, shifted, to);
        // Whether an id is alone shows when the one behind it is known: what is packed lags by one lane.
        int count = TLanes.PackDifferent(shifted, TLanes.ShiftIn(shiftedBefore, shifted), ids, to);
        shiftedBefore = shifted;
        return count;
    }
}

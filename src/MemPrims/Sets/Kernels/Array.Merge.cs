using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace MemPrims.Sets;

/// <summary>
/// Union, intersection, difference and exclusive-or of two arrays of 16-bit ids, merged a vector at a time:
/// <list type="number">
/// <item>The next vector comes from the side whose next id is lower.</item>
/// <item>The network of <see cref="IMergeLanes{TVector}"/> merges it with the upper half of the turn before. The lower half is
/// done.</item>
/// <item>An id that both sides have now lies beside its twin. A comparison with the neighbours keeps one of the two, or none.</item>
/// </list>
/// No branch depends on the ids. Each turn waits for the network of the turn before. So long arrays are cut in two parts at one id, and
/// the parts take turns (3000 × 3000 ids took 2.4 µs in one part, Sets/pairs). The difference must know the side of each id. It cuts at
/// the id 32,768, so that an id needs 15 bits, and puts the side in the 16th. Short vectors are padded with 65,535. Whether that id is
/// really there is decided at the end. Unsorted ids give a wrong result, but nothing is written outside the room given.
/// </summary>
internal static unsafe class ArrayMerge
{
    /// <summary>
    /// The room that the destination needs after the largest possible result: whole vectors are stored, and there is a gap between the
    /// parts.
    /// </summary>
    public const int Slack = 192;

    /// <summary>
    /// Shorter arrays are merged in one part. With 512 bits that takes 0.87 of two parts at 128 ids and 1.05 at 256; with 256 bits 1.3 and
    /// 1.6 (Zen 4; Sets/thresholds, parts).
    /// </summary>
    private const int FewestForParts = 256;

    /// <summary>What a part may store after its ids.</summary>
    private const int Gap = 64;

    /// <summary>Writes the ids of either side once each; the destination takes both and <see cref="Slack"/>.</summary>
    public static int Union(ReadOnlySpan<ushort> a, ReadOnlySpan<ushort> b, ref ushort destination) => Merge<OrIds>(a, b, ref destination);

    /// <summary>Writes the ids of both sides; the destination takes the shorter and <see cref="Slack"/>.</summary>
    public static int Intersect(ReadOnlySpan<ushort> a, ReadOnlySpan<ushort> b, ref ushort destination) =>
        Merge<AndIds>(a, b, ref destination);

    /// <summary>
    /// Writes the ids that only one side has. The destination takes both sides and <see cref="Slack"/>.
    /// </summary>
    public static int Xor(ReadOnlySpan<ushort> a, ReadOnlySpan<ushort> b, ref ushort destination) => Merge<XorIds>(a, b, ref destination);

    /// <summary>
    /// Writes the ids of the first side that the second one lacks. The destination takes the first side and <see cref="Slack"/>.
    /// </summary>
    public static int Except(ReadOnlySpan<ushort> a, ReadOnlySpan<ushort> b, ref ushort destination) =>
        Merge<AndNotIds>(a, b, ref destination);

    private static int Merge<TOperation>(ReadOnlySpan<ushort> a, ReadOnlySpan<ushort> b, ref ushort destination)
        where TOperation : struct, IIdOperation
    {
        if (MergeLanes512.IsSupported) return Merge<TOperation, Vector512<ushort>, MergeLanes512>(a, b, ref destination);
        if (Vector128.IsHardwareAccelerated) return Merge<TOperation, Vector128<ushort>, MergeLanes128>(a, b, ref destination);
        Span<ushort> to = MemoryMarshal.CreateSpan(ref destination, a.Length + b.Length);
        if (!TOperation.KeepsRight) return TOperation.KeepsLeft ? SortedMerge.Select<ushort, AndNotIds>(a, b, to)
            : SortedMerge.Select<ushort, AndIds>(a, b, to);
        return TOperation.KeepsBoth ? SortedMerge.Union(a, b, to) : SortedMerge.Xor(a, b, to);
    }

    private static bool TellsSides<TOperation>() where TOperation : struct, IIdOperation => TOperation.KeepsLeft && !TOperation.KeepsRight;

    private static int Merge<TOperation, TVector, TLanes>(ReadOnlySpan<ushort> a, ReadOnlySpan<ushort> b, ref ushort destination)
        where TOperation : struct, IIdOperation
        where TLanes : struct, IMergeLanes<TVector>
    {
        bool inParts = TellsSides<TOperation>() || Math.Min(a.Length, b.Length) >= FewestForParts;
        int cutA = a.Length, cutB = b.Length;
        if (inParts)
        {
            ushort cut = TellsSides<TOperation>() ? (ushort)0x8000 : a[a.Length / 2];
            cutA = TellsSides<TOperation>() ? Below(a, cut) : a.Length / 2;
            cutB = Below(b, cut);
        }
        ReadOnlySpan<ushort> lowA = a[..cutA], lowB = b[..cutB], highA = a[cutA..], highB = b[cutB..];
        fixed (ushort* start = &destination)
        {
            int most = TOperation.KeepsRight ? cutA + cutB : TOperation.KeepsLeft ? cutA : Math.Min(cutA, cutB);
            ushort* middle = start + most + Gap;
            if (lowA.Length < TLanes.Count || lowB.Length < TLanes.Count || highA.Length < TLanes.Count || highB.Length < TLanes.Count)
            {
                int low = One<TOperation, TVector, TLanes>(lowA, lowB, start, 0), high = One<TOperation, TVector, TLanes>(highA, highB,
                    middle, 1 << 15);
                return Close(start, low, middle, high);
            }
            fixed (ushort* startA = lowA, startB = lowB, startC = highA, startD = highB)
            {
                Part<TVector> first = Begin<TOperation, TVector, TLanes>(startA, lowA.Length, startB, lowB.Length, start);
                Part<TVector> second = Begin<TOperation, TVector, TLanes>(startC, highA.Length, startD, highB.Length, middle);
                Together<TOperation, TVector, TLanes>(ref first, ref second);
                Finish<TOperation, TVector, TLanes>(ref first, 0);
                Finish<TOperation, TVector, TLanes>(ref second, 1 << 15);
                return Close(start, (int)(first.To - start), middle, (int)(second.To - middle));
            }
        }
    }

    private static int Below(ReadOnlySpan<ushort> ids, ushort id) => ids.IsEmpty || id == 0 ? 0 : ArraySearch.UpTo(ids, (ushort)(id - 1));

    // The ids of the second part follow those of the first.
    private static int Close(ushort* start, int low, ushort* middle, int high)
    {
        new ReadOnlySpan<ushort>(middle, high).CopyTo(new(start + low, high));
        return low + high;
    }

    private static int One<TOperation, TVector, TLanes>(ReadOnlySpan<ushort> a, ReadOnlySpan<ushort> b, ushort* to, int highest)
        where TOperation : struct, IIdOperation
        where TLanes : struct, IMergeLanes<TVector>
    {
        if (a.IsEmpty || b.IsEmpty)
        {
            ReadOnlySpan<ushort> all = TOperation.KeepsLeft && b.IsEmpty ? a : TOperation.KeepsRight && a.IsEmpty ? b : [];
            all.CopyTo(new(to, all.Length));
            return all.Length;
        }
        fixed (ushort* startA = a, startB = b)
        {
            Part<TVector> part = Begin<TOperation, TVector, TLanes>(startA, a.Length, startB, b.Length, to);
            Finish<TOperation, TVector, TLanes>(ref part, highest);
            return (int)(part.To - to);
        }
    }

    private static Part<TVector> Begin<TOperation, TVector, TLanes>(ushort* a, int lengthA, ushort* b, int lengthB, ushort* to)
        where TOperation : struct, IIdOperation
        where TLanes : struct, IMergeLanes<TVector>
    {
        Part<TVector> part = new() { X = a, Y = b, EndX = a + lengthA, EndY = b + lengthB, To = to, Start = to };
        // The lane before the first id must differ from it. In a difference it must not be kept: it counts as one of the second side.
        part.Before = part.Second = TLanes.Create(TellsSides<TOperation>() ? ushort.MaxValue : (ushort)(Math.Min(*a, *b) - 1));
        part.Waiting = Load<TOperation, TVector, TLanes>(b, lengthB, 1);
        part.Y += TLanes.Count;
        return part;
    }

    /// <summary>Turns of both parts, one of each, while all four sides have whole vectors.</summary>
    private static void Together<TOperation, TVector, TLanes>(ref Part<TVector> first, ref Part<TVector> second)
        where TOperation : struct, IIdOperation
        where TLanes : struct, IMergeLanes<TVector>
    {
        ushort* x = first.X, y = first.Y, to = first.To, u = second.X, v = second.Y, toSecond = second.To;
        ushort* lastX = first.EndX - TLanes.Count, lastY = first.EndY - TLanes.Count, lastU = second.EndX - TLanes.Count,
            lastV = second.EndY - TLanes.Count;
        TVector waiting = first.Waiting, before = first.Before, earlier = first.Second, waitingSecond = second.Waiting,
            beforeSecond = second.Before, earlierSecond = second.Second;
        TVector restore = TLanes.Create(0), restoreSecond = TLanes.Create(1 << 15);
        while (x <= lastX & y <= lastY & u <= lastU & v <= lastV)
        {
            TVector low = Take<TOperation, TVector, TLanes>(ref x, ref y), lowSecond = Take<TOperation, TVector, TLanes>(ref u, ref v);
            TLanes.Merge(ref low, ref waiting);
            TLanes.Merge(ref lowSecond, ref waitingSecond);
            to += Pack<TOperation, TVector, TLanes>(low, TLanes.ShiftIn(before, low), ref earlier, restore, to);
            toSecond += Pack<TOperation, TVector, TLanes>(lowSecond, TLanes.ShiftIn(beforeSecond, lowSecond), ref earlierSecond,
                restoreSecond, toSecond);
            before = low;
            beforeSecond = lowSecond;
        }
        first = new() { X = x, Y = y, EndX = first.EndX, EndY = first.EndY, To = to, Start = first.Start, Waiting = waiting,
            Before = before, Second = earlier };
        second = new() { X = u, Y = v, EndX = second.EndX, EndY = second.EndY, To = toSecond, Start = second.Start,
            Waiting = waitingSecond, Before = beforeSecond, Second = earlierSecond };
    }

    /// <summary>
    /// Merges what is left of a part, then its last vector.
    /// </summary>
    private static void Finish<TOperation, TVector, TLanes>(ref Part<TVector> part, int highest)
        where TOperation : struct, IIdOperation
        where TLanes : struct, IMergeLanes<TVector>
    {
        ushort* x = part.X, y = part.Y, endX = part.EndX, endY = part.EndY, to = part.To;
        TVector high = part.Waiting, before = part.Before, second = part.Second, restore = TLanes.Create((ushort)highest);
        while (x < endX | y < endY)
        {
            // The next vector comes from the side whose next id is lower, if it has one.
            bool isX = y >= endY || x < endX && *x <= *y;
            TVector low = isX ? Load<TOperation, TVector, TLanes>(x, (nint)(endX - x), 0)
                : Load<TOperation, TVector, TLanes>(y, (nint)(endY - y), 1);
            x += isX ? TLanes.Count : 0;
            y += isX ? 0 : TLanes.Count;
            TLanes.Merge(ref low, ref high);
            to += Pack<TOperation, TVector, TLanes>(low, TLanes.ShiftIn(before, low), ref second, restore, to);
            before = low;
        }
        to += Pack<TOperation, TVector, TLanes>(high, TLanes.ShiftIn(before, high), ref second, restore, to);
        if (!TOperation.KeepsBoth)
        {
            // The lanes that are packed are one lane behind.
            TVector end = TLanes.Create(ushort.MaxValue);
            to += Pack<TOperation, TVector, TLanes>(end, TLanes.ShiftIn(high, end), ref second, restore, to);
        }
        // Padding looks like the highest possible id. Remove all of it, then add that id if a side really has it.
        ushort most = TellsSides<TOperation>() && highest == 0 ? (ushort)short.MaxValue : ushort.MaxValue;
        while (to > part.Start && to[-1] == most) to--;
        bool lastOfA = endX[-1] == most, lastOfB = endY[-1] == most;
        if (lastOfA & lastOfB ? TOperation.KeepsBoth : lastOfA ? TOperation.KeepsLeft : lastOfB && TOperation.KeepsRight) *to++ = most;
        part.To = to;
    }

    /// <summary>A whole vector of the side whose next id is lower, without a branch.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static TVector Take<TOperation, TVector, TLanes>(ref ushort* x, ref ushort* y)
        where TOperation : struct, IIdOperation
        where TLanes : struct, IMergeLanes<TVector>
    {
        nint takeX = -(nint)(*x <= *y ? 1 : 0);
        ushort* from = (ushort*)((nint)y ^ (((nint)x ^ (nint)y) & takeX));
        x += TLanes.Count & takeX;
        y += TLanes.Count & ~takeX;
        return TellsSides<TOperation>() ? TLanes.LoadOfSide(from, (ushort)(takeX + 1)) : TLanes.Load(from);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static TVector Load<TOperation, TVector, TLanes>(ushort* from, nint left, ushort side)
        where TOperation : struct, IIdOperation
        where TLanes : struct, IMergeLanes<TVector>
    {
        if (left >= TLanes.Count) return TellsSides<TOperation>() ? TLanes.LoadOfSide(from, side) : TLanes.Load(from);
        return TellsSides<TOperation>() ? TLanes.LoadOfSide(from, left, side) : TLanes.Load(from, left);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Pack<TOperation, TVector, TLanes>(TVector ids, TVector shifted, ref TVector shiftedBefore, TVector restore,
        ushort* to)
        where TOperation : struct, IIdOperation
        where TLanes : struct, IMergeLanes<TVector>
    {
        if (TOperation.KeepsBoth) return TOperation.KeepsLeft ? TLanes.PackDifferent(ids, shifted, to) : TLanes.PackSame(ids, shifted, to);
        // Whether an id is alone is known only with the id behind it. So the lanes that are packed are one lane behind.
        if (TellsSides<TOperation>()) return TLanes.PackFirstSide(shifted, ids, restore, to);
        int count = TLanes.PackDifferent(shifted, TLanes.ShiftIn(shiftedBefore, shifted), ids, to);
        shiftedBefore = shifted;
        return count;
    }

    /// <summary>How far the merge of one part has come.</summary>
    private struct Part<TVector>
    {
        public ushort* X, Y, EndX, EndY, To, Start;

        /// <summary>
        /// Waiting: the upper half of the last turn. Before: the last vector that was done. Second: the one before that, for the
        /// exclusive-or.
        /// </summary>
        public TVector Waiting, Before, Second;
    }
}

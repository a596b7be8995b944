namespace MemPrims.Sets;

// Union, intersection and exclusive-or of two arrays of 16-bit ids, merged a vector at a time:
// 1. The next vector comes from the side whose next id is lower.
// 2. The network of IMergeLanes<TVector> merges it with the upper half of the turn before. The lower half is done.
// 3. An id that both sides have now lies beside its twin. A comparison with the neighbours keeps one of the two, or none.
// No branch depends on the ids. Each turn waits for the network of the turn before. So long arrays are cut in two parts at one id, and the
// parts take turns (3000 × 3000 ids took 2.4 µs in one part, Sets/pairs). Short vectors are padded with 65,535. Whether that id is really
// there is decided at the end. Unsorted ids give a wrong result, but nothing is written outside the room given.
// What has a loop is compiled for itself: inlined, the two networks of a turn become calls (3000 × 3000 ids, And: 170 µs in place of 36).
internal static unsafe class ArrayMerge
{
    // The room that the destination needs after the largest possible result: whole vectors are stored, and there is a gap between the
    // parts.
    public const int Slack = 192;

    // Shorter arrays are merged in one part. With 512 bits that takes 0.87 of two parts at 128 ids and 1.05 at 256; with 256 bits 1.3 and
    // 1.6 (Zen 4; Sets/thresholds, parts).
    private const int FewestForParts = 256;

    // What a part may store after its ids.
    private const int Gap = 64;

    // Writes what Or, Xor or And keeps. The destination takes both sides and Slack.
    public static int Write<TOperation>(ReadOnlySpan<ushort> a, ReadOnlySpan<ushort> b, ref ushort destination)
        where TOperation : struct, IIdOperation =>
        MergeLanes512.IsSupported ? Write<TOperation, Vector512<ushort>, MergeLanes512>(a, b, ref destination)
        : Vector128.IsHardwareAccelerated ? Write<TOperation, Vector128<ushort>, MergeLanes128>(a, b, ref destination)
        : SortedKernels.Combine<ushort, TOperation>(a, b, MemoryMarshal.CreateSpan(ref destination, a.Length + b.Length));

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Write<TOperation, TVector, TLanes>(ReadOnlySpan<ushort> a, ReadOnlySpan<ushort> b, ref ushort destination)
        where TOperation : struct, IIdOperation
        where TLanes : struct, IMergeLanes<TVector>
    {
        bool inParts = Math.Min(a.Length, b.Length) >= FewestForParts;
        int cutA = inParts ? a.Length / 2 : a.Length, cutB = inParts ? (int)SortedSearch.LowerBound(b, a[cutA]) : b.Length;
        fixed (ushort* startA = a, startB = b, start = &destination)
        {
            ushort* middle = start + cutA + cutB + Gap, endA = startA + a.Length, endB = startB + b.Length;
            if (!inParts || cutB == 0 || cutB == b.Length)
            {
                int low = One<TOperation, TVector, TLanes>(startA, startA + cutA, startB, startB + cutB, start);
                return Close(start, low, middle, One<TOperation, TVector, TLanes>(startA + cutA, endA, startB + cutB, endB, middle));
            }
            Part<TVector> first = Begin<TVector, TLanes>(startA, startA + cutA, startB, startB + cutB, start);
            Part<TVector> second = Begin<TVector, TLanes>(startA + cutA, endA, startB + cutB, endB, middle);
            Together<TOperation, TVector, TLanes>(ref first, ref second);
            Finish<TOperation, TVector, TLanes>(ref first);
            Finish<TOperation, TVector, TLanes>(ref second);
            return Close(start, (int)(first.To - start), middle, (int)(second.To - middle));
        }
    }

    // The ids of the second part follow those of the first.
    private static int Close(ushort* start, int low, ushort* middle, int high)
    {
        new ReadOnlySpan<ushort>(middle, high).CopyTo(new(start + low, high));
        return low + high;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int One<TOperation, TVector, TLanes>(ushort* a, ushort* endA, ushort* b, ushort* endB, ushort* to)
        where TOperation : struct, IIdOperation
        where TLanes : struct, IMergeLanes<TVector>
    {
        if (a == endA || b == endB)
        {
            ReadOnlySpan<ushort> all = a == endA ? new(b, (int)(endB - b)) : new(a, (int)(endA - a));
            if (!TOperation.KeepsRight) return 0;
            all.CopyTo(new(to, all.Length));
            return all.Length;
        }
        Part<TVector> part = Begin<TVector, TLanes>(a, endA, b, endB, to);
        Finish<TOperation, TVector, TLanes>(ref part);
        return (int)(part.To - to);
    }

    private static Part<TVector> Begin<TVector, TLanes>(ushort* a, ushort* endA, ushort* b, ushort* endB, ushort* to)
        where TLanes : struct, IMergeLanes<TVector>
    {
        Part<TVector> part = new() { X = a, Y = b, EndX = endA, EndY = endB, To = to, Start = to };
        // The lane before the first id must differ from it.
        part.Before = part.Second = TLanes.Create((ushort)(Math.Min(*a, *b) - 1));
        part.Waiting = Load<TVector, TLanes>(b, (nint)(endB - b));
        part.Y += TLanes.Count;
        return part;
    }

    // Turns of both parts, one of each, while all four sides have whole vectors.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Together<TOperation, TVector, TLanes>(ref Part<TVector> first, ref Part<TVector> second)
        where TOperation : struct, IIdOperation
        where TLanes : struct, IMergeLanes<TVector>
    {
        ushort* x = first.X, y = first.Y, to = first.To, u = second.X, v = second.Y, toSecond = second.To;
        ushort* lastX = first.EndX - TLanes.Count, lastY = first.EndY - TLanes.Count, lastU = second.EndX - TLanes.Count,
            lastV = second.EndY - TLanes.Count;
        TVector waiting = first.Waiting, before = first.Before, earlier = first.Second, waitingSecond = second.Waiting,
            beforeSecond = second.Before, earlierSecond = second.Second;
        while (x <= lastX & y <= lastY & u <= lastU & v <= lastV)
        {
            TVector low = Take<TVector, TLanes>(ref x, ref y), lowSecond = Take<TVector, TLanes>(ref u, ref v);
            TLanes.Merge(ref low, ref waiting);
            TLanes.Merge(ref lowSecond, ref waitingSecond);
            to += Pack<TOperation, TVector, TLanes>(low, TLanes.ShiftIn(before, low), ref earlier, to);
            toSecond += Pack<TOperation, TVector, TLanes>(lowSecond, TLanes.ShiftIn(beforeSecond, lowSecond), ref earlierSecond, toSecond);
            before = low;
            beforeSecond = lowSecond;
        }
        first = first with { X = x, Y = y, To = to, Waiting = waiting, Before = before, Second = earlier };
        second = second with { X = u, Y = v, To = toSecond, Waiting = waitingSecond, Before = beforeSecond, Second = earlierSecond };
    }

    // Merges what is left of a part, then its last vector.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Finish<TOperation, TVector, TLanes>(ref Part<TVector> part)
        where TOperation : struct, IIdOperation
        where TLanes : struct, IMergeLanes<TVector>
    {
        ushort* x = part.X, y = part.Y, endX = part.EndX, endY = part.EndY, to = part.To;
        TVector high = part.Waiting, before = part.Before, second = part.Second;
        while (x < endX | y < endY)
        {
            // The next vector comes from the side whose next id is lower, if it has one.
            bool isX = y >= endY || x < endX && *x <= *y;
            TVector low = isX ? Load<TVector, TLanes>(x, (nint)(endX - x)) : Load<TVector, TLanes>(y, (nint)(endY - y));
            x += isX ? TLanes.Count : 0;
            y += isX ? 0 : TLanes.Count;
            TLanes.Merge(ref low, ref high);
            to += Pack<TOperation, TVector, TLanes>(low, TLanes.ShiftIn(before, low), ref second, to);
            before = low;
        }
        to += Pack<TOperation, TVector, TLanes>(high, TLanes.ShiftIn(before, high), ref second, to);
        if (!TOperation.KeepsBoth)
        {
            // The lanes that are packed are one lane behind.
            TVector end = TLanes.Create(ushort.MaxValue);
            to += Pack<TOperation, TVector, TLanes>(end, TLanes.ShiftIn(high, end), ref second, to);
        }
        // Padding looks like the highest possible id. Remove all of it, then add that id if a side really has it.
        while (to > part.Start && to[-1] == ushort.MaxValue) to--;
        bool lastOfA = endX[-1] == ushort.MaxValue, lastOfB = endY[-1] == ushort.MaxValue;
        if (lastOfA & lastOfB ? TOperation.KeepsBoth : TOperation.KeepsRight & (lastOfA | lastOfB)) *to++ = ushort.MaxValue;
        part.To = to;
    }

    // A whole vector of the side whose next id is lower, without a branch.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static TVector Take<TVector, TLanes>(ref ushort* x, ref ushort* y) where TLanes : struct, IMergeLanes<TVector>
    {
        nint takeX = -(nint)(*x <= *y ? 1 : 0);
        ushort* from = (ushort*)((nint)y ^ (((nint)x ^ (nint)y) & takeX));
        x += TLanes.Count & takeX;
        y += TLanes.Count & ~takeX;
        return TLanes.Load(from);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static TVector Load<TVector, TLanes>(ushort* from, nint left) where TLanes : struct, IMergeLanes<TVector> =>
        left >= TLanes.Count ? TLanes.Load(from) : TLanes.Load(from, left);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Pack<TOperation, TVector, TLanes>(TVector ids, TVector shifted, ref TVector shiftedBefore, ushort* to)
        where TOperation : struct, IIdOperation
        where TLanes : struct, IMergeLanes<TVector>
    {
        if (!TOperation.KeepsRight) return TLanes.PackSame(ids, shifted, to);
        if (TOperation.KeepsBoth) return TLanes.PackDifferent(ids, shifted, shifted, to);
        // Whether an id is alone is known only with the id behind it. So the lanes that are packed are one lane behind.
        int count = TLanes.PackDifferent(shifted, TLanes.ShiftIn(shiftedBefore, shifted), ids, to);
        shiftedBefore = shifted;
        return count;
    }

    // How far the merge of one part has come.
    private struct Part<TVector>
    {
        public ushort* X, Y, EndX, EndY, To, Start;

        // Waiting: the upper half of the last turn. Before: the last vector that was done. Second: the one before that, for the
        // exclusive-or.
        public TVector Waiting, Before, Second;
    }
}

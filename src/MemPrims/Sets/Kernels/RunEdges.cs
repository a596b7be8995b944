namespace MemPrims.Sets;

// Combines the runs of two containers by their edges, 16 a turn, without a branch that depends on the runs:
// 1. An edge is the first id of a run, or the first id after one. Its lane holds twice the id, plus 1 on the right side.
// 2. A bitonic network merges the edges of both sides in order.
// 3. After each edge of a side, that side changes from outside to inside, or back. So the parity of the number of edges up to a lane says
//    whether a side is inside there. Four shifts of a mask compute all parities.
// 4. The operation turns the parities of both sides into a mask of the stretches that are kept. Where neighbours in that mask differ is an
//    edge of the result.
// Unsorted runs give wrong edges, but nothing is written outside the room given.
internal static unsafe class RunEdges
{
    private const int Width = 16, RunsPerVector = 8;

    public static bool IsSupported => Hardware.Tier == Tier.Vector512;

    // Writes the edges of the result and returns how many. The destination takes the edges of both sides and EdgeList.Slack.
    public static int Combine<TOperation>(ReadOnlySpan<Run> left, ReadOnlySpan<Run> right, ref ushort destination)
        where TOperation : struct, IIdOperation
    {
        fixed (Run* startLeft = left, startRight = right)
        fixed (ushort* start = &destination)
        {
            uint* x = (uint*)startLeft, y = (uint*)startRight, endX = x + left.Length, endY = y + right.Length;
            ushort* to = start;
            Vector512<uint> low = Load(x, endX - x, 0), high = Load(y, endY - y, 1), before = Vector512<uint>.Zero;
            x += RunsPerVector;
            y += RunsPerVector;
            // Before the first edge is a vector of zeros, which are no edges. These masks leave them out.
            ulong inside = 0, kept = 0, none = 1;
            while (true)
            {
                Network.Merge(ref low, ref high);
                to += Turn<TOperation>(before, low, none, ref inside, ref kept, to);
                none = 0;
                before = low;
                bool moreX = x < endX, moreY = y < endY;
                if (!(moreX | moreY)) break;
                if (!moreY || moreX && (ushort)*x <= (ushort)*y)
                {
                    low = Load(x, endX - x, 0);
                    x += RunsPerVector;
                }
                else
                {
                    low = Load(y, endY - y, 1);
                    y += RunsPerVector;
                }
            }
            to += Turn<TOperation>(before, high, none, ref inside, ref kept, to);
            to += Turn<TOperation>(high, Vector512<uint>.AllBitsSet, none, ref inside, ref kept, to);
            return (int)(to - start);
        }
    }

    // Turns edges, two for each run, into runs in place, and returns how many ids are in them. The edge after the last id is 0.
    public static int ToRuns(Span<Run> edges)
    {
        Span<uint> pairs = MemoryMarshal.Cast<Run, uint>(edges);
        int at = 0, ids = edges.Length;
        Vector<uint> sum = Vector<uint>.Zero;
        for (; at <= pairs.Length - Vector<uint>.Count; at += Vector<uint>.Count)
        {
            // The lower half is the first id. The upper half is the end: minus the first id and 1, it is how many follow.
            Vector<uint> pair = new(pairs[at..]);
            pair -= (pair << 16) + new Vector<uint>(1u << 16);
            sum += pair >>> 16;
            pair.CopyTo(pairs[at..]);
        }
        for (; at < pairs.Length; at++)
        {
            uint pair = pairs[at];
            pair -= (pair << 16) + (1u << 16);
            ids += (int)(pair >> 16);
            pairs[at] = pair;
        }
        return ids + (int)Vector.Sum(sum);
    }

    // Writes the edges that are certain once `after` is known. That is one lane less than before: an edge is certain only when the one
    // after it is known.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Turn<TOperation>(Vector512<uint> before, Vector512<uint> after, ulong none, ref ulong inside, ref ulong kept,
        ushort* to)
        where TOperation : struct, IIdOperation
    {
        const ulong lanes = 0xFFFF;
        const int right = 32;
        Vector512<uint> edges = Avx512F.AlignRight32(after, before, Width - 1);
        ulong exists = ~Vector512.Equals(edges, Vector512<uint>.AllBitsSet).ExtractMostSignificantBits() & ~none & lanes;
        ulong ofRight = (edges << 31).ExtractMostSignificantBits() & exists;
        // The parities of both sides in one word, 16 lanes each.
        ulong parity = (exists & ~ofRight) | ofRight << right;
        parity ^= parity << 1;
        parity ^= parity << 2;
        parity ^= parity << 4;
        parity ^= parity << 8;
        parity ^= inside;
        inside = (parity >> 15 & 1) * lanes | (parity >> (right + 15) & 1) * (lanes << right);
        ulong inLeft = parity & lanes, inRight = parity >> right & lanes;
        ulong keeps = (TOperation.KeepsBoth ? inLeft & inRight : 0) | (TOperation.KeepsLeft ? inLeft & ~inRight : 0)
            | (TOperation.KeepsRight ? inRight & ~inLeft : 0);
        // Several edges may lie at one id, up to four where runs of a side touch. Only the last of them says what follows.
        ulong same = Vector512.LessThan(edges ^ after, Vector512.Create(2u)).ExtractMostSignificantBits() & lanes;
        keeps = (keeps & ~same) | ((keeps << 1 | kept) & same);
        keeps = (keeps & ~same) | ((keeps << 1 | kept) & same);
        keeps = (keeps & ~same) | ((keeps << 1 | kept) & same);
        ulong changes = (keeps ^ (keeps << 1 | kept)) & lanes & ~none;
        kept = keeps >> 15 & 1;
        Vector512<uint> bits = Vector512.Create(1u, 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 5, 1 << 6, 1 << 7,
            1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15);
        Vector512<uint> chosen = ~Vector512.Equals(Vector512.Create((uint)changes) & bits, Vector512<uint>.Zero);
        Avx512F.ConvertToVector256UInt16(Avx512F.Compress(Vector512<uint>.Zero, chosen, edges >>> 1)).Store(to);
        return BitOperations.PopCount(changes);
    }

    // The edges of up to eight runs, marked with their side; all bits are set where there are fewer.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector512<uint> Load(uint* runs, long left, uint side)
    {
        Vector256<uint> eight;
        if (left >= RunsPerVector) eight = Vector256.Load(runs);
        else
        {
            Vector256<uint> there = Vector256.LessThan(Vector256<uint>.Indices, Vector256.Create((uint)left));
            eight = Avx2.MaskLoad(runs, there);
        }
        Vector512<ulong> wide = Avx512F.ConvertToVector512UInt64(eight);
        Vector512<ulong> first = wide & Vector512.Create((ulong)ushort.MaxValue), end = first + (wide >> 16) + Vector512<ulong>.One;
        Vector512<uint> edges = ((first | end << 32) << 1).AsUInt32() | Vector512.Create(side);
        if (left >= RunsPerVector) return edges;
        return edges | Vector512.GreaterThanOrEqual(Vector512<uint>.Indices, Vector512.Create((uint)left * 2));
    }
}

// The edges of a container, in order and all different. An edge is where a stretch of ids begins, or the first id after a stretch. So
// edges at even places (counted from 0) begin a stretch, and those at odd places end one. The edge 65,536, after the last id of a
// container, is left out: a list of odd length ends with it.
internal static class EdgeList
{
    // What a destination needs after its edges: whole vectors are stored.
    public const int Slack = 64;

    // Writes the edges of runs and returns how many. The destination takes two a run and Slack.
    public static int OfRuns(ReadOnlySpan<Run> runs, ref ushort edges)
    {
        ref uint from = ref Unsafe.As<Run, uint>(ref MemoryMarshal.GetReference(runs));
        ref uint to = ref Unsafe.As<ushort, uint>(ref edges);
        int at = 0, last = runs.Length - Vector<uint>.Count;
        // The lower half is the first id. The upper half, how many ids follow, becomes the end: the first id and 1 are added.
        for (; at <= last; at += Vector<uint>.Count)
        {
            Vector<uint> pairs = Vector.LoadUnsafe(ref from, (nuint)at);
            (pairs + (pairs << 16) + new Vector<uint>(1u << 16)).StoreUnsafe(ref to, (nuint)at);
        }
        for (; at < runs.Length; at++)
        {
            uint pair = Unsafe.Add(ref from, at);
            Unsafe.Add(ref to, at) = pair + (pair << 16) + (1u << 16);
        }
        int count = 2 * runs.Length;
        // Drop the edge 65,536 first. It looks like 0, and a full container has the edges 0 and 65,536.
        if (count > 0 && Unsafe.Add(ref edges, count - 1) == 0) count--;
        return HasTwins(ref edges, count) ? DropTwins(ref edges, count) : count;
    }

    // Writes the edges of ids and returns how many. The destination takes two an id and Slack.
    public static int OfIds(ReadOnlySpan<ushort> ids, ref ushort edges)
    {
        const int eight = 8;
        ref ushort first = ref MemoryMarshal.GetReference(ids);
        int written = 0, at = 0, behind = -1;
        if (Vector128.IsHardwareAccelerated && ids.Length > eight + 1)
        {
            // The first id has none before it, the last one none after it: both are left to the loops of single ids.
            edges = first;
            Unsafe.Add(ref edges, 1) = (ushort)(first + 1);
            written = first + 1 == Unsafe.Add(ref first, 1) ? 1 : 2;
            for (at = 1; at < ids.Length - eight; at += eight)
                written += OfEight(ref Unsafe.Add(ref first, at), ref Unsafe.Add(ref edges, written));
            behind = Unsafe.Add(ref first, at - 1) + 1;
            // An end is left out if the next id follows directly. The loop expects it to be there.
            if (behind == Unsafe.Add(ref first, at)) Unsafe.Add(ref edges, written++) = (ushort)behind;
        }
        for (; at < ids.Length; at++)
        {
            // An id that directly follows the last one overwrites the end edge of that one. No branch is needed.
            ushort id = Unsafe.Add(ref first, at);
            int joins = id == behind ? 1 : 0;
            Unsafe.Add(ref edges, written) = id;
            written += 1 - 2 * joins;
            behind = id + 1;
            Unsafe.Add(ref edges, written++) = (ushort)behind;
        }
        return behind == Container.Universe ? written - 1 : written;
    }

    // Combines two lists edge by edge, the lower edge first, without a branch on which that is. Writes the edges of the result and returns
    // how many. That is an even number: the edge 65,536 is written as 0. The destination takes both lists and 1 more.
    public static int Merge<TOperation>(ReadOnlySpan<ushort> left, ReadOnlySpan<ushort> right, ref ushort edges)
        where TOperation : struct, IIdOperation
    {
        ref ushort a = ref MemoryMarshal.GetReference(left), b = ref MemoryMarshal.GetReference(right);
        int i = 0, j = 0, written = 0;
        uint kept = 0;
        while (i < left.Length && j < right.Length)
        {
            // The lower one by arithmetic. The JIT makes a branch of Math.Min here: 40 × 40 edges took 580 ns with it.
            int x = Unsafe.Add(ref a, i), y = Unsafe.Add(ref b, j), next = y + ((x - y) & (x - y >> 31));
            i += x <= y ? 1 : 0;
            j += y <= x ? 1 : 0;
            uint now = KeptBit<TOperation>(i, j);
            Unsafe.Add(ref edges, written) = (ushort)next;
            written += (int)(now ^ kept);
            kept = now;
        }
        bool isRight = i == left.Length;
        ReadOnlySpan<ushort> rest = isRight ? right[j..] : left[i..];
        // One side has ended and stays as it is. If it alone decides, the other edges change nothing.
        bool matters = isRight ? KeptBit<TOperation>(left.Length, 0) != KeptBit<TOperation>(left.Length, 1)
            : KeptBit<TOperation>(0, right.Length) != KeptBit<TOperation>(1, right.Length);
        if (matters)
        {
            rest.CopyTo(MemoryMarshal.CreateSpan(ref Unsafe.Add(ref edges, written), rest.Length));
            written += rest.Length;
        }
        return Closed(written, ref edges);
    }

    // Combines a list of few edges, the left side, with one of many. Between two of the few edges, those of the many are all kept or all
    // dropped. So one search for each of the few is enough, and the stretches are copied. The list of many has
    // Slack after its edges, and the destination takes both lists and Slack. The result is as in Merge.
    public static int Splice<TOperation>(ReadOnlySpan<ushort> few, ReadOnlySpan<ushort> many, ref ushort edges)
        where TOperation : struct, IIdOperation
    {
        int done = 0, written = 0, inside = 0;
        foreach (ushort edge in few)
        {
            // The searches do not wait for one another.
            int upTo = many.IsEmpty ? 0 : Math.Max(ArraySearch.UpTo(many, edge), done);
            int below = upTo > done && many[upTo - 1] == edge ? upTo - 1 : upTo;
            if (Matters(inside)) CopyEdges(many[done..below], ref edges, ref written);
            uint before = KeptBit<TOperation>(inside, below);
            inside ^= 1;
            Unsafe.Add(ref edges, written) = edge;
            written += (int)(before ^ KeptBit<TOperation>(inside, upTo));
            done = upTo;
        }
        if (Matters(inside)) CopyEdges(many[done..], ref edges, ref written);
        return Closed(written, ref edges);

        static bool Matters(int inside) => KeptBit<TOperation>(inside, 0) != KeptBit<TOperation>(inside, 1);
    }

    // 1 if the operation keeps the ids that lie after so many edges of the left side and so many of the right, else 0.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static uint KeptBit<TOperation>(int left, int right) where TOperation : struct, IIdOperation
    {
        uint table = (TOperation.KeepsLeft ? 0b0010u : 0) | (TOperation.KeepsRight ? 0b0100u : 0) | (TOperation.KeepsBoth ? 0b1000u : 0);
        return table >> ((left & 1) | (right & 1) << 1) & 1;
    }

    // A stretch that has not ended goes to the end of the container.
    private static int Closed(int written, ref ushort edges)
    {
        Unsafe.Add(ref edges, written) = 0;
        return written + (written & 1);
    }

    // Copies edges in whole vectors, because a call for each short stretch would take longer. Both lists have Slack for the last one.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void CopyEdges(ReadOnlySpan<ushort> from, ref ushort to, ref int written)
    {
        ref ushort source = ref MemoryMarshal.GetReference(from), target = ref Unsafe.Add(ref to, written);
        for (int at = 0; at < from.Length; at += Vector<ushort>.Count)
            Vector.LoadUnsafe(ref source, (nuint)at).StoreUnsafe(ref target, (nuint)at);
        written += from.Length;
    }

    // Puts each of eight ids, which have a neighbour on both sides, and the id after it side by side, and leaves out those that are no
    // edge. One by one, 20 runs and 3000 ids took twice as long to combine (Sets/pairs).
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int OfEight(ref ushort ids, ref ushort to)
    {
        Vector128<ushort> starts = Vector128.LoadUnsafe(ref ids), one = Vector128<ushort>.One;
        Vector128<ushort> noStart = Vector128.Equals(starts, Vector128.LoadUnsafe(ref Unsafe.Subtract(ref ids, 1)) + one);
        Vector128<ushort> noEnd = Vector128.Equals(starts + one, Vector128.LoadUnsafe(ref ids, 1));
        Vector256<uint> both = Wide(starts), no = Wide(noStart) | Wide(noEnd) << 16;
        both += (both << 16) + Vector256.Create(1u << 16);
        return PackTable.Pack(both.AsUInt16(), ~no.AsUInt16(), ref to);

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        static Vector256<uint> Wide(Vector128<ushort> lanes) => Vector256.WidenLower(lanes.ToVector256Unsafe());
    }

    private static bool HasTwins(ref ushort edges, int count)
    {
        Vector<ushort> same = Vector<ushort>.Zero;
        int at = 0;
        for (; at < count - Vector<ushort>.Count; at += Vector<ushort>.Count)
            same |= Vector.Equals(Vector.LoadUnsafe(ref edges, (nuint)at), Vector.LoadUnsafe(ref edges, (nuint)at + 1));
        bool found = same != Vector<ushort>.Zero;
        for (; at < count - 1; at++) found |= Unsafe.Add(ref edges, at) == Unsafe.Add(ref edges, at + 1);
        return found;
    }

    // Twins are edges of runs that touch. Only other writers make such runs.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int DropTwins(ref ushort edges, int count)
    {
        int written = 0;
        for (int i = 0; i < count; i++)
        {
            ushort edge = Unsafe.Add(ref edges, i);
            if (written > 0 && Unsafe.Add(ref edges, written - 1) == edge) written--;
            else Unsafe.Add(ref edges, written++) = edge;
        }
        return written;
    }
}

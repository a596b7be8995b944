using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace MemPrims.Sets;

/// <summary>
/// Combines the runs of two containers by their edges, 16 a turn, without a branch that depends on the runs:
/// <list type="number">
/// <item>An edge is the first id of a run, or the first id after one. Its lane holds twice the id, plus 1 on the right side.</item>
/// <item>A bitonic network merges the edges of both sides in order.</item>
/// <item>After each edge of a side, that side changes from outside to inside, or back. So the parity of the number of edges up to a lane
/// says whether a side is inside there. Four shifts of a mask compute all parities.</item>
/// <item>The operation turns the parities of both sides into a mask of the stretches that are kept. Where neighbours in that mask differ
/// is an edge of the result.</item>
/// </list>
/// Unsorted runs give wrong edges, but nothing is written outside the room given.
/// </summary>
internal static unsafe class RunEdges
{
    /// <summary>
    /// The room that the destination needs after the edges of both sides: whole vectors are stored.
    /// </summary>
    public const int Slack = 96;

    private const int Width = 16, RunsPerVector = 8;

    public static bool IsSupported => Hardware.Tier == Tier.Vector512;

    /// <summary>
    /// Writes the edges of the result and returns how many. The destination takes the edges of both sides and <see cref="Slack"/>.
    /// </summary>
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

    /// <summary>
    /// Turns edges, two for each run, into runs in place, and returns how many ids are in them. The edge after the last id is 0.
    /// </summary>
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

    /// <summary>
    /// Writes the edges that are certain once <paramref name="after"/> is known. That is one lane less than before: an edge is certain
    /// only when the one after it is known.
    /// </summary>
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

    /// <summary>The edges of up to eight runs, marked with their side; all bits are set where there are fewer.</summary>
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

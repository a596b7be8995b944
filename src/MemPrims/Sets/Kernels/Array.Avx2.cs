using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace MemPrims.Sets;

/// <summary>
/// Two arrays of 16-bit ids in 256 bits: which ids of the first are in the second. A block of 16 ids meets eight of the other side. Then
/// the block that ends lower moves on, by additions and not by a branch. Each move waits for the one before, so both arrays are cut at one
/// id, and the two halves take turns. What is left of a half goes to <see cref="SortedBlocks{T, TLanes}"/>. Unsorted ids give a wrong
/// result, but nothing is written outside the room given.
/// </summary>
internal static unsafe class ArrayMeeting256
{
    /// <summary>
    /// The room that the destination needs after the ids of the first array: whole vectors are stored, and there is a gap between the
    /// halves.
    /// </summary>
    public const int Slack = 64;

    /// <summary>
    /// With at most so many ids on the longer side, each is compared with all of the few. With 48 that takes 0.84 of looking up the few,
    /// with 96 1.03, with 192 1.4 (Zen 4; Sets/thresholds, few of many).
    /// </summary>
    private const int MostMany = 96;

    private const int Eight = 8, Width = 16;

    /// <summary>
    /// Shorter arrays are met in one part. With 128 ids that takes 0.68 of two parts, with 256 0.89, with 512 1.03, with 1024 1.12 (Zen 4;
    /// Sets/thresholds, halves).
    /// </summary>
    private const int FewestToHalve = 512;

    public static bool IsSupported => Hardware.Tier == Tier.Vector256 && Avx2.IsSupported;

    /// <summary>Whether there are at most 32 ids, and so few others that each of them is compared with all of these.</summary>
    public static bool AreFew(ReadOnlySpan<ushort> ids, ReadOnlySpan<ushort> others) =>
        ids.Length <= 2 * Width && others.Length <= MostMany;

    /// <summary>How many ids of at most 32 are in the other array.</summary>
    public static int CountFew(ReadOnlySpan<ushort> few, ReadOnlySpan<ushort> many)
    {
        ushort* padded = stackalloc ushort[2 * Width];
        return BitOperations.PopCount(BitsOfFew(few, many, padded));
    }

    /// <summary>A bit for each of at most 32 ids that is in the other array. The ids are copied, because whole vectors are read.</summary>
    private static uint BitsOfFew(ReadOnlySpan<ushort> few, ReadOnlySpan<ushort> many, ushort* padded)
    {
        few.CopyTo(new(padded, 2 * Width));
        Vector256<ushort> low = Vector256.Load(padded), high = Vector256.Load(padded + Width), inLow = Vector256<ushort>.Zero,
            inHigh = inLow;
        foreach (ushort id in many)
        {
            Vector256<ushort> ids = Vector256.Create(id);
            inLow |= Vector256.Equals(low, ids);
            inHigh |= Vector256.Equals(high, ids);
        }
        uint mask = (uint)Bits(inLow) | (uint)Bits(inHigh) << Width;
        return (uint)(mask & ((1ul << few.Length) - 1));
    }

    private static int SelectFew<TOperation>(ReadOnlySpan<ushort> few, ReadOnlySpan<ushort> many, ref ushort destination)
        where TOperation : struct, IIdOperation
    {
        ushort* padded = stackalloc ushort[2 * Width];
        uint mask = BitsOfFew(few, many, padded);
        if (!TOperation.KeepsBoth) mask ^= (uint)((1ul << few.Length) - 1);
        int written = 0;
        for (int i = 0; i < 2 * Width; i += Eight, mask >>= Eight)
        {
            PackTable.Pack(Vector128.Load(padded + i), (byte)mask).StoreUnsafe(ref destination, (nuint)written);
            written += BitOperations.PopCount((uint)(byte)mask);
        }
        return written;
    }

    /// <summary>
    /// Writes the ids of <paramref name="ids"/> that are in <paramref name="others"/>, or that are not. The destination takes all of them
    /// and <see cref="Slack"/>.
    /// </summary>
    public static int Select<TOperation>(ReadOnlySpan<ushort> ids, ReadOnlySpan<ushort> others, ref ushort destination)
        where TOperation : struct, IIdOperation
    {
        if (AreFew(ids, others)) return SelectFew<TOperation>(ids, others, ref destination);
        fixed (ushort* a = ids, b = others, start = &destination)
        {
            if (Math.Min(ids.Length, others.Length) < FewestToHalve)
                return (int)(Rest<TOperation>(a, a + ids.Length, b, b, b + others.Length, start) - start);
            int half = ids.Length / 2, cut = ids[half] == 0 ? 0 : ArraySearch.UpTo(others, (ushort)(ids[half] - 1));
            // The second half writes after a gap, because the first half is not done yet. Its ids are moved down at the end.
            ushort* x = a, y = b, to = start, u = a + half, v = b + cut, toSecond = start + half + Slack / 2;
            ushort* lastX = u - Width, lastY = v - Eight, lastU = a + ids.Length - Width, lastV = b + others.Length - Eight;
            Vector256<ushort> met = Vector256<ushort>.Zero, metSecond = met;
            while (x <= lastX & y <= lastY & u <= lastU & v <= lastV)
            {
                to += Turn<TOperation>(ref x, ref y, ref met, to);
                toSecond += Turn<TOperation>(ref u, ref v, ref metSecond, toSecond);
            }
            to = Rest<TOperation>(x, a + half, b, y, b + cut, to);
            ushort* second = start + half + Slack / 2;
            int count = (int)(Rest<TOperation>(u, a + ids.Length, b + cut, v, b + others.Length, toSecond) - second);
            new ReadOnlySpan<ushort>(second, count).CopyTo(new(to, count));
            return (int)(to - start) + count;
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Turn<TOperation>(ref ushort* x, ref ushort* y, ref Vector256<ushort> met, ushort* to)
        where TOperation : struct, IIdOperation
    {
        Vector256<ushort> block = Vector256.Load(x);
        met |= Meeting.Matches(block, ref *y);
        ushort endX = x[Width - 1], endY = y[Eight - 1];
        int done = -(endX <= endY ? 1 : 0);
        int keep = (TOperation.KeepsBoth ? Bits(met) : ~Bits(met)) & done & ushort.MaxValue;
        // Ids are written when their block is left: until then, they may match further blocks of the other side.
        uint low = (byte)keep;
        PackTable.Pack(block.GetLower(), low).Store(to);
        PackTable.Pack(block.GetUpper(), (uint)keep >> 8).Store(to + BitOperations.PopCount(low));
        met = Vector256.AndNot(met, Vector256.Create((ushort)done));
        x += done & Width;
        y += (nint)(endY <= endX ? 1 : 0) * Eight;
        return BitOperations.PopCount((uint)keep);
    }

    /// <summary>
    /// The current block starts again. What it has met lies before the current place of the other side, so those ids are met once more.
    /// </summary>
    private static ushort* Rest<TOperation>(ushort* x, ushort* endX, ushort* startY, ushort* y, ushort* endY, ushort* to)
        where TOperation : struct, IIdOperation
    {
        ReadOnlySpan<ushort> ids = new(x, (int)(endX - x));
        if (ids.IsEmpty) return to;
        nint again = y > startY ? SortedSearch.LowerBound(new ReadOnlySpan<ushort>(startY, (int)(y - startY)), ids[0]) : 0;
        ReadOnlySpan<ushort> others = new(startY + again, (int)(endY - startY - again));
        return to + SortedBlocks<ushort, Lanes256<ushort>>.Select<TOperation>(ids, others, new(to, ids.Length));
    }

    // One bit for each lane. The halves are narrowed to bytes first.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Bits(Vector256<ushort> lanes) =>
        Sse2.MoveMask(Sse2.PackSignedSaturate(lanes.GetLower().AsInt16(), lanes.GetUpper().AsInt16()));
}

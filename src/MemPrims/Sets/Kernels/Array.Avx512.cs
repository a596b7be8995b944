using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace MemPrims.Sets;

/// <summary>
/// Two arrays of 16-bit ids in 512 bits: which ids of the first are in the second. A block of 32 ids meets eight of the other side. Then
/// the block that ends lower moves on, by additions and not by a branch. The rest of the first array is one masked vector, the rest of the
/// second is padded with its last id, so no id is looked up alone. Unsorted ids give a wrong result, but nothing is written outside the
/// room given.
/// </summary>
internal static unsafe class ArrayMeeting512
{
    /// <summary>
    /// The room that the destination needs after the largest possible result: whole vectors are stored.
    /// </summary>
    public const int Slack = 32;

    /// <summary>
    /// At most so many ids meet at most so many. With more, it is faster to look at the window where each id should be: the meeting takes
    /// 0.83 of that with 128 ids, 1.04 with 256, 1.5 with 512 (Zen 4; Sets/thresholds, few of many).
    /// </summary>
    public const int MostFew = 32, MostMany = 256;

    private const int Eight = 8, Width = 32;

    public static bool IsSupported => MergeLanes512.IsSupported;

    /// <summary>How many of at most 32 ids are in the other array.</summary>
    public static int CountFew(ReadOnlySpan<ushort> few, ReadOnlySpan<ushort> many)
    {
        fixed (ushort* a = few, b = many)
        {
            Vector512<ushort> lanes = Vector512.LessThan(Vector512<ushort>.Indices, Vector512.Create((ushort)few.Length));
            Vector512<ushort> ids = Avx512BW.MaskLoad(a, lanes, Vector512<ushort>.Zero), least = Vector512<ushort>.AllBitsSet;
            nint at = 0, last = many.Length - Eight;
            for (; at <= last; at += Eight) least = Vector512.Min(least, Meeting.Least(ids, ref *(b + at)));
            for (; at < many.Length; at++) least = Vector512.Min(least, ids ^ Vector512.Create(b[at]));
            return BitOperations.PopCount((Vector512.Equals(least, Vector512<ushort>.Zero) & lanes).ExtractMostSignificantBits());
        }
    }

    /// <summary>
    /// Writes the ids of <paramref name="ids"/> that are in <paramref name="others"/>, or that are not. The destination takes all of them
    /// and <see cref="Slack"/>.
    /// </summary>
    public static int Select<TOperation>(ReadOnlySpan<ushort> ids, ReadOnlySpan<ushort> others, ref ushort destination)
        where TOperation : struct, IIdOperation
    {
        fixed (ushort* a = ids, b = others, start = &destination)
        {
            ushort* to = start;
            nint i = 0, j = 0, n = ids.Length, m = others.Length;
            Vector512<ushort> least = Vector512<ushort>.AllBitsSet;
            while (i <= n - Width && j <= m - Eight)
            {
                Vector512<ushort> block = Vector512.Load(a + i);
                least = Vector512.Min(least, Meeting.Least(block, ref *(b + j)));
                ushort endA = a[i + Width - 1], endB = b[j + Eight - 1];
                nint done = endA <= endB ? 1 : 0;
                Vector512<ushort> isDone = Vector512.Create((ushort)-done);
                to += Pack<TOperation>(block, least, isDone, to);
                least |= isDone;
                i += done * Width;
                j += (nint)(endB <= endA ? 1 : 0) * Eight;
            }
            ushort* tail = stackalloc ushort[Eight];
            if (m > 0) Vector128.Create(b[m - 1]).Store(tail);
            for (nint k = m & -Eight; k < m; k++) tail[k & (Eight - 1)] = b[k];
            while (i <= n - Width && j < m)
            {
                // Fewer than eight of the others are left.
                Vector512<ushort> block = Vector512.Load(a + i);
                least = Vector512.Min(least, Meeting.Least(block, ref *tail));
                if (a[i + Width - 1] > b[m - 1]) break;
                to += Pack<TOperation>(block, least, Vector512<ushort>.AllBitsSet, to);
                least = Vector512<ushort>.AllBitsSet;
                i += Width;
            }
            if (n - i >= Width)
            {
                // Nothing is left of the others.
                to += Pack<TOperation>(Vector512.Load(a + i), least, Vector512<ushort>.AllBitsSet, to);
                i += Width;
                nint rest = TOperation.KeepsBoth ? 0 : n - i;
                ids.Slice((int)i, (int)rest).CopyTo(new Span<ushort>(to, (int)rest));
                return (int)(to + rest - start);
            }
            if (i < n)
            {
                Vector512<ushort> lanes = Vector512.LessThan(Vector512<ushort>.Indices, Vector512.Create((ushort)(n - i)));
                Vector512<ushort> block = Avx512BW.MaskLoad(a + i, lanes, Vector512<ushort>.Zero);
                ushort end = a[n - 1];
                for (; j <= m - Eight; j += Eight)
                {
                    least = Vector512.Min(least, Meeting.Least(block, ref *(b + j)));
                    if (b[j + Eight - 1] >= end) goto met;
                }
                if (j < m) least = Vector512.Min(least, Meeting.Least(block, ref *tail));
            met:
                to += Pack<TOperation>(block, least, lanes, to);
            }
            return (int)(to - start);
        }
    }

    /// <summary>Packs the lanes whose least difference is zero, or is not, of those in <paramref name="lanes"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Pack<TOperation>(Vector512<ushort> ids, Vector512<ushort> least, Vector512<ushort> lanes, ushort* to)
        where TOperation : struct, IIdOperation =>
        MergeLanes512.Pack(ids, TOperation.KeepsBoth ? Vector512.Equals(least | ~lanes, Vector512<ushort>.Zero)
            : ~Vector512.Equals(least & lanes, Vector512<ushort>.Zero), to);
}

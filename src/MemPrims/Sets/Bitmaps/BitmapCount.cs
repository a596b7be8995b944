using System.Numerics;
using System.Runtime.CompilerServices;

namespace MemPrims.Sets;

/// <summary>Counts the bits of a bitmap, of two and-ed, or of a part of one.</summary>
internal static class BitmapCount
{
    /// <summary>The bits set in one bitmap.</summary>
    public static int Ones(ref ulong words) => BitmapPass.CountAnd(ref words, ref words);

    /// <summary>The bits set from <paramref name="start"/> to <paramref name="end"/>, both included.</summary>
    public static int Range(ref ulong words, int start, int end)
    {
        int first = start >> 6, last = end >> 6;
        ulong head = ulong.MaxValue << start, tail = ulong.MaxValue >> (63 - (end & 63));
        if (first >= last) return BitOperations.PopCount(Unsafe.Add(ref words, first) & head & tail);
        ref ulong inner = ref Unsafe.Add(ref words, first + 1);
        return BitOperations.PopCount(Unsafe.Add(ref words, first) & head)
            + BitmapPass.PassWords<AndIds, BitmapPass.Counted>(ref inner, ref inner, ref inner, last - first - 1)
            + BitOperations.PopCount(Unsafe.Add(ref words, last) & tail);
    }
}

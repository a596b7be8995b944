using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MemPrims.Sets;

/// <summary>
/// Widens the ids of an array to those of a set. One vector of 16-bit ids becomes two of 32 bits, or four of 64.
/// </summary>
internal static class ArrayDecode
{
    /// <summary>Writes all ids with <paramref name="high"/> above them.</summary>
    public static void Write<T>(ReadOnlySpan<ushort> ids, T high, Span<T> destination) where T : unmanaged, IBinaryInteger<T>
    {
        destination = destination[..ids.Length];
        int at = 0;
        if (Unsafe.SizeOf<T>() == sizeof(uint) && Vector.IsHardwareAccelerated && ids.Length >= Vector<ushort>.Count)
        {
            Vector<uint> above = new(uint.CreateTruncating(high));
            ref ushort from = ref MemoryMarshal.GetReference(ids);
            ref uint to = ref Unsafe.As<T, uint>(ref MemoryMarshal.GetReference(destination));
            int last = ids.Length - Vector<ushort>.Count;
            for (; at < last; at += Vector<ushort>.Count) Widen(ref from, ref to, at, above);
            // The last vector begins with ids that were written already.
            Widen(ref from, ref to, last, above);
            return;
        }
        for (; at < ids.Length; at++) destination[at] = high | T.CreateTruncating(ids[at]);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Widen(ref ushort from, ref uint to, int at, Vector<uint> above)
    {
        Vector.Widen(Vector.LoadUnsafe(ref from, (nuint)at), out Vector<uint> low, out Vector<uint> high);
        (low | above).StoreUnsafe(ref to, (nuint)at);
        (high | above).StoreUnsafe(ref to, (nuint)(at + Vector<uint>.Count));
    }
}

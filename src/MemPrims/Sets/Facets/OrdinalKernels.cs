using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace MemPrims.Sets;

/// <summary>
/// Counts ordinals of one byte into the tables of a <see cref="FacetTally"/>: those of given ids, those under the set bits of a bitmap,
/// or those of a stretch. Eight ordinals are loaded before the first count is stored, because a load may have to wait for a store whose
/// place is not known yet. With AVX-512 VBMI2 the ordinals under a bitmap are compressed 64 at a time, without decoding ids and without a
/// branch on the bits.
/// </summary>
internal static class OrdinalKernels
{
    private const int Eight = 8, Size = FacetTally.TableSize;

    /// <summary>
    /// With so many ids in a container the hardware fetches the lines in time, and prefetching only costs (6 % of a million: 22 µs
    /// without, 46 with).
    /// </summary>
    private const int FewestDense = 1024;

    /// <summary>
    /// How many ids ahead lines are fetched. A column that has left the caches is read in half the time (1 % of a million: 50 µs for 96,
    /// one run; 32 to 128 ahead are alike); a column in the cache takes a fifth more.
    /// </summary>
    private const int Ahead = 64;

    public static bool CanCompress => Avx512Vbmi2.IsSupported && Hardware.Tier == Tier.Vector512;

    /// <summary>Counts the ordinal of every id; the layer has one for each that there can be.</summary>
    public static void AddIds(byte[] layer, ReadOnlySpan<ushort> ids, Span<int> tables)
    {
        OrdinalsOfIds ordinals = new(ref MemoryMarshal.GetArrayDataReference(layer), ref MemoryMarshal.GetReference(ids));
        bool prefetches = Sse.IsSupported && ids.Length < FewestDense;
        if (prefetches) ordinals.Prefetch(0, Math.Min(Ahead, ids.Length));
        for (int i = 0; i < ids.Length; i += Ahead)
        {
            if (prefetches && i + Ahead < ids.Length) ordinals.Prefetch(i + Ahead, Math.Min(2 * Ahead, ids.Length - i) - Ahead);
            Add(ordinals, i, Math.Min(Ahead, ids.Length - i), tables);
        }
    }

    /// <summary>Counts all ordinals of a stretch.</summary>
    public static void AddAll(ReadOnlySpan<byte> ordinals, Span<int> tables) =>
        Add(new OrdinalsInStretch(ref MemoryMarshal.GetReference(ordinals)), 0, ordinals.Length, tables);

    /// <summary>
    /// Counts the ordinals of the bits that differ from <paramref name="flip"/>: of set bits where it is 0, of clear bits where it is all
    /// ones.
    /// </summary>
    public static void AddBits(byte[] layer, ref ulong words, int count, ulong flip, Span<int> tables)
    {
        const int chunk = 64;
        Span<byte> ordinals = stackalloc byte[chunk * 64 + Vector512<byte>.Count];
        for (int word = 0; word < count; word += chunk)
            AddAll(ordinals[..Compress(layer, ref Unsafe.Add(ref words, word), word, Math.Min(chunk, count - word), flip, ordinals)],
                tables);
    }

    private static void Add<TOrdinals>(TOrdinals ordinals, nint from, nint count, Span<int> tables)
        where TOrdinals : struct, IOrdinals, allows ref struct
    {
        ref int table = ref MemoryMarshal.GetReference(tables[..FacetTally.TotalSize]);
        nint i = from, end = from + count;
        for (; i <= end - Eight; i += Eight)
        {
            nint a = ordinals.At(i), b = ordinals.At(i + 1), c = ordinals.At(i + 2), d = ordinals.At(i + 3);
            nint e = ordinals.At(i + 4), f = ordinals.At(i + 5), g = ordinals.At(i + 6), h = ordinals.At(i + 7);
            Four(ref table, a, b, c, d);
            Four(ref table, e, f, g, h);
        }
        for (; i < end; i++) Unsafe.Add(ref table, ordinals.At(i))++;

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        static void Four(ref int table, nint a, nint b, nint c, nint d)
        {
            Unsafe.Add(ref table, a)++;
            Unsafe.Add(ref table, Size + b)++;
            Unsafe.Add(ref table, 2 * Size + c)++;
            Unsafe.Add(ref table, 3 * Size + d)++;
        }
    }

    private static int Compress(byte[] layer, ref ulong words, int firstWord, int count, ulong flip, Span<byte> ordinals)
    {
        // Copies each byte of the word to the eight lanes whose bits it holds.
        Vector512<byte> byteOfLane = Vector512.Create(
            0x0000_0000_0000_0000ul, 0x0101_0101_0101_0101, 0x0202_0202_0202_0202, 0x0303_0303_0303_0303,
            0x0404_0404_0404_0404, 0x0505_0505_0505_0505, 0x0606_0606_0606_0606, 0x0707_0707_0707_0707).AsByte();
        Vector512<byte> bitOfLane = Vector512.Create(0x8040_2010_0804_0201ul).AsByte();
        ref byte from = ref Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(layer), firstWord * 64);
        ref byte to = ref MemoryMarshal.GetReference(ordinals);
        nint written = 0;
        for (nint i = 0; i < count; i++)
        {
            ulong word = Unsafe.Add(ref words, i) ^ flip;
            Vector512<byte> mask = Vector512.Equals(Avx512BW.Shuffle(Vector512.Create(word).AsByte(), byteOfLane) & bitOfLane, bitOfLane);
            Vector512<byte> packed = Avx512Vbmi2.Compress(Vector512<byte>.Zero, mask, Vector512.LoadUnsafe(ref from, (nuint)(i * 64)));
            int bits = BitOperations.PopCount(word);
            // A short store rarely crosses a cache line. Neighbouring words are about as dense, so the branch is predicted.
            if (bits <= Vector128<byte>.Count) packed.GetLower().GetLower().StoreUnsafe(ref to, (nuint)written);
            else packed.StoreUnsafe(ref to, (nuint)written);
            written += bits;
        }
        return (int)written;
    }

    private interface IOrdinals
    {
        nint At(nint index);
    }

    // A load of each byte is faster than one of all eight and shifts.
    private readonly ref struct OrdinalsInStretch(ref byte first) : IOrdinals
    {
        private readonly ref byte _first = ref first;

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public nint At(nint index) => Unsafe.Add(ref _first, index);
    }

    private readonly ref struct OrdinalsOfIds(ref byte layer, ref ushort first) : IOrdinals
    {
        private readonly ref byte _layer = ref layer;
        private readonly ref ushort _first = ref first;

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public nint At(nint index) => Unsafe.Add(ref _layer, (nint)Unsafe.Add(ref _first, index));

        /// <summary>Only a hint, so the layer may move meanwhile.</summary>
        public unsafe void Prefetch(nint from, nint count)
        {
            for (nint i = from; i < from + count; i++)
                Sse.Prefetch0(Unsafe.AsPointer(ref Unsafe.Add(ref _layer, (nint)Unsafe.Add(ref _first, i))));
        }
    }
}

using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace MemPrims.Sets;

/// <summary>A container's 65,536 bits as 1024 words: single bits, ranges and whole bitmaps. Counting lies in <see cref="BitmapCount"/>.</summary>
internal static class Bitmap
{
    public const int Bytes = 8192, WordCount = 1024;

    public static bool Contains(ref ulong words, int id) => (Unsafe.Add(ref words, id >> 6) >> id & 1) != 0;

    /// <summary>How many of the ids have their bit set.</summary>
    public static int CountHits(ref ulong words, ReadOnlySpan<ushort> ids)
    {
        // Four sums, so that neither the loads nor the additions wait for one another.
        ref ushort first = ref MemoryMarshal.GetReference(ids);
        ulong a = 0, b = 0, c = 0, d = 0;
        int i = 0;
        for (; i <= ids.Length - 4; i += 4)
        {
            a += Bit(ref words, Unsafe.Add(ref first, i));
            b += Bit(ref words, Unsafe.Add(ref first, i + 1));
            c += Bit(ref words, Unsafe.Add(ref first, i + 2));
            d += Bit(ref words, Unsafe.Add(ref first, i + 3));
        }
        for (; i < ids.Length; i++) a += Bit(ref words, Unsafe.Add(ref first, i));
        return (int)(a + b + (c + d));

        static ulong Bit(ref ulong words, nint id) => Unsafe.Add(ref words, id >> 6) >> (int)id & 1;
    }

    /// <summary>Writes the ids whose bit is as <paramref name="wanted"/> says, at most all of them, and returns how many.</summary>
    public static int SelectHits(ref ulong words, ReadOnlySpan<ushort> ids, bool wanted, Span<ushort> destination)
    {
        ref ushort to = ref MemoryMarshal.GetReference(destination[..ids.Length]);
        ulong flip = wanted ? 0ul : 1;
        nint written = 0;
        foreach (ushort id in ids)
        {
            Unsafe.Add(ref to, written) = id;
            written += (nint)((Unsafe.Add(ref words, id >> 6) >> id & 1) ^ flip);
        }
        return (int)written;
    }

    /// <summary>Applies an operation to the bits from <paramref name="start"/> to <paramref name="end"/>, both included.</summary>
    public static void Range<TOperation>(ref ulong words, int start, int end) where TOperation : struct, IBitOperation
    {
        int first = start >> 6, last = end >> 6;
        ulong head = ulong.MaxValue << start, tail = ulong.MaxValue >> (63 - (end & 63));
        if (first == last)
        {
            One(ref words, first, head & tail);
            return;
        }
        One(ref words, first, head);
        for (int i = first + 1; i < last; i++) One(ref words, i, ulong.MaxValue);
        One(ref words, last, tail);

        static void One(ref ulong words, int index, ulong mask)
        {
            ref ulong word = ref Unsafe.Add(ref words, index);
            word = TOperation.Apply(word, mask);
        }
    }

    /// <summary>Applies an operation to the bits of a container, whatever its kind: to those of <paramref name="other"/> that are set.</summary>
    public static void Apply<TOperation>(ref ulong words, in ContainerView other) where TOperation : struct, IBitOperation
    {
        switch (other.Kind)
        {
            case ContainerKind.Bitmap:
                Combine<TOperation>(ref words, ref other.Words);
                break;
            case ContainerKind.Array:
                foreach (ushort id in other.Ids)
                {
                    ref ulong word = ref Unsafe.Add(ref words, id >> 6);
                    word = TOperation.Apply(word, 1ul << id);
                }
                break;
            default:
                foreach (Run run in other.Runs) Range<TOperation>(ref words, run.Start, run.End);
                break;
        }
    }

    /// <summary>Clears the words, then sets the bits of a container.</summary>
    public static void Expand(Span<ulong> words, in ContainerView container)
    {
        if (container.Kind == ContainerKind.Bitmap)
        {
            MemoryMarshal.CreateReadOnlySpan(ref container.Words, WordCount).CopyTo(words);
            return;
        }
        words[..WordCount].Clear();
        Apply<OrBits>(ref MemoryMarshal.GetReference(words), container);
    }

    public static void Combine<TOperation>(ref ulong words, ref ulong other) where TOperation : struct, IBitOperation
    {
        for (nuint i = 0; i < WordCount; i += (nuint)Vector<ulong>.Count)
            TOperation.Apply(Vector.LoadUnsafe(ref words, i), Vector.LoadUnsafe(ref other, i)).StoreUnsafe(ref words, i);
    }

    /// <summary>Writes the ids whose bits are set, with <paramref name="high"/> above them, as far as the destination takes them.</summary>
    public static void Decode<T>(ref ulong words, T high, Span<T> destination) where T : unmanaged, IBinaryInteger<T> =>
        Decode(ref words, 0, WordCount, high, destination);

    /// <summary>The same for the words from one up to another; returns how many ids.</summary>
    public static int Decode<T>(ref ulong words, int from, int to, T high, Span<T> destination) where T : unmanaged, IBinaryInteger<T>
    {
        // Four ids are written for every word that has a bit, eight where it has more: the count of bits is a branch that mostly repeats itself.
        ref T first = ref MemoryMarshal.GetReference(destination);
        nint written = 0, last = destination.Length - 8;
        for (int i = from; i < to; i++)
        {
            ulong word = Unsafe.Add(ref words, i);
            if (word == 0) continue;
            T start = high | T.CreateTruncating(i << 6);
            int bits = BitOperations.PopCount(word);
            nint next = Math.Min(written + bits, destination.Length);
            if (written <= last)
            {
                Four(ref Unsafe.Add(ref first, written), ref word, start);
                if (bits > 4) Four(ref Unsafe.Add(ref first, written + 4), ref word, start);
                written += 8;
            }
            for (; written < next; written++, word &= word - 1) Unsafe.Add(ref first, written) = start | T.CreateTruncating(BitOperations.TrailingZeroCount(word));
            written = next;
        }
        return (int)written;

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        static void Four(ref T to, ref ulong word, T from)
        {
            for (int k = 0; k < 4; k++, word &= word - 1) Unsafe.Add(ref to, k) = from | T.CreateTruncating(BitOperations.TrailingZeroCount(word));
        }
    }

    /// <summary>The runs of set bits.</summary>
    public static int CountRuns(ref ulong words)
    {
        int runs = 0;
        ulong carry = 0;
        for (int i = 0; i < WordCount; i++)
        {
            ulong word = Unsafe.Add(ref words, i);
            runs += BitOperations.PopCount(word & ~(word << 1 | carry));
            carry = word >> 63;
        }
        return runs;
    }

    /// <summary>The first id at or after <paramref name="from"/> whose bit is as <paramref name="set"/> says; 65,536 when there is none.</summary>
    public static int Next(ref ulong words, int from, bool set)
    {
        ulong flip = set ? 0 : ulong.MaxValue, mask = ulong.MaxValue << from;
        for (int i = from >> 6; i < WordCount; i++, mask = ulong.MaxValue)
        {
            ulong word = (Unsafe.Add(ref words, i) ^ flip) & mask;
            if (word != 0) return (i << 6) + BitOperations.TrailingZeroCount(word);
        }
        return Container.Universe;
    }
}

/// <summary>What is done to a word with the bits of another.</summary>
internal interface IBitOperation
{
    static abstract ulong Apply(ulong word, ulong other);
    static abstract Vector<ulong> Apply(Vector<ulong> word, Vector<ulong> other);
}

internal readonly struct OrBits : IBitOperation
{
    public static ulong Apply(ulong word, ulong other) => word | other;
    public static Vector<ulong> Apply(Vector<ulong> word, Vector<ulong> other) => word | other;
}

internal readonly struct AndBits : IBitOperation
{
    public static ulong Apply(ulong word, ulong other) => word & other;
    public static Vector<ulong> Apply(Vector<ulong> word, Vector<ulong> other) => word & other;
}

internal readonly struct XorBits : IBitOperation
{
    public static ulong Apply(ulong word, ulong other) => word ^ other;
    public static Vector<ulong> Apply(Vector<ulong> word, Vector<ulong> other) => word ^ other;
}

internal readonly struct AndNotBits : IBitOperation
{
    public static ulong Apply(ulong word, ulong other) => word & ~other;
    public static Vector<ulong> Apply(Vector<ulong> word, Vector<ulong> other) => Vector.AndNot(word, other);
}

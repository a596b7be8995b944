using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace MemPrims.Sets;

/// <summary>
/// Writes a bitmap of ids, of edges, or of few runs. Words are only stored and never loaded, because a load would wait for the last store
/// to the same place. Neighbouring ids share a word, so the word stays in a register while ids fall into it, and is stored after each id.
/// The ids are divided in four parts that take turns, so that no part waits for its own last id. 3000 ids take 1.2 µs; loading, changing
/// and storing a byte for each took 3.0 (Sets/pairs). Unsorted ids give wrong bits, but none outside the words.
/// </summary>
internal static class BitmapFill
{
    private const int WordShift = 6, Parts = 4;

    /// <summary>Fewer ids than these are set one by one.</summary>
    private const int FewestForParts = 64;

    /// <summary>Writes the bits of ids over the words.</summary>
    public static void Ids(ref ulong words, ReadOnlySpan<ushort> ids)
    {
        MemoryMarshal.CreateSpan(ref words, Bitmap.WordCount).Clear();
        Flip(ref words, ids);
    }

    /// <summary>Flips the bits of ids, or of edges, in words that are clear.</summary>
    public static void Flip(ref ulong words, ReadOnlySpan<ushort> ids)
    {
        if (ids.Length < FewestForParts)
        {
            FlipEach(ref words, ids);
            return;
        }
        int second = PartStart(ids, ids.Length / Parts), third = PartStart(ids, ids.Length / 2), fourth = PartStart(ids,
            ids.Length - ids.Length / Parts);
        ref ushort first = ref MemoryMarshal.GetReference(ids);
        ref ushort a = ref first, b = ref Unsafe.Add(ref first, second), c = ref Unsafe.Add(ref first, third),
            d = ref Unsafe.Add(ref first, fourth);
        int together = Math.Min(Math.Min(second, third - second), Math.Min(fourth - third, ids.Length - fourth));
        ulong wordA = 0, wordB = 0, wordC = 0, wordD = 0;
        nint atA = -1, atB = -1, atC = -1, atD = -1;
        for (nint i = 0; i < together; i++)
        {
            Step(ref words, Unsafe.Add(ref a, i), ref atA, ref wordA);
            Step(ref words, Unsafe.Add(ref b, i), ref atB, ref wordB);
            Step(ref words, Unsafe.Add(ref c, i), ref atC, ref wordC);
            Step(ref words, Unsafe.Add(ref d, i), ref atD, ref wordD);
        }
        together = Math.Max(together, 0);
        // The ids that a part has more than the shortest part.
        FlipEach(ref words, Rest(ids, 0, second, together));
        FlipEach(ref words, Rest(ids, second, third, together));
        FlipEach(ref words, Rest(ids, third, fourth, together));
        FlipEach(ref words, Rest(ids, fourth, ids.Length, together));
    }

    /// <summary>
    /// Writes the bits of few runs. From each edge on, whole vectors are stored without asking where the stretch ends. The next edge
    /// overwrites what is too much.
    /// </summary>
    public static void Runs(ref ulong words, ReadOnlySpan<Run> runs)
    {
        int at = 0;
        foreach (Run run in runs)
        {
            at = FillTo(ref words, at, run.Start, 0);
            at = FillTo(ref words, at, run.End + 1, ulong.MaxValue);
        }
        FillTo(ref words, at, Container.Universe, 0);
    }

    /// <summary>
    /// Stores a value into all words from one on up to the word of a bit. That word gets the value below the bit and its opposite from the
    /// bit on. Returns the number of the next word.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int FillTo(ref ulong words, int from, int bit, ulong value)
    {
        const int usual = 32;
        int last = bit >> WordShift, at = from;
        Vector512<ulong> whole = Vector512.Create(value);
        while (at <= last && at <= Bitmap.WordCount - usual)
        {
            // Four vectors at once. Most stretches are shorter, so this branch mostly goes the same way.
            whole.StoreUnsafe(ref words, (nuint)at);
            whole.StoreUnsafe(ref words, (nuint)at + 8);
            whole.StoreUnsafe(ref words, (nuint)at + 16);
            whole.StoreUnsafe(ref words, (nuint)at + 24);
            at += usual;
        }
        int end = Math.Min(last, Bitmap.WordCount - 1);
        for (; at <= end; at++) Unsafe.Add(ref words, at) = value;
        if (last >= Bitmap.WordCount) return last;
        // Edges in one word flip what is above them in turn.
        Unsafe.Add(ref words, last) ^= ulong.MaxValue << bit;
        return Math.Max(from, last + 1);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Step(ref ulong words, nint id, ref nint at, ref ulong word)
    {
        nint now = id >> WordShift;
        // All ones if the id falls into the same word as the id before it, else zero. No branch is needed.
        ulong keep = (ulong)((now ^ at) - 1 >> 63);
        word = (word & keep) ^ 1ul << (int)id;
        Unsafe.Add(ref words, now) = word;
        at = now;
    }

    private static void FlipEach(ref ulong words, ReadOnlySpan<ushort> ids)
    {
        foreach (ushort id in ids) Unsafe.Add(ref words, id >> WordShift) ^= 1ul << id;
    }

    // No word may belong to two parts, because each part stores its own words whole.
    private static int PartStart(ReadOnlySpan<ushort> ids, int at)
    {
        while (at < ids.Length && ids[at] >> WordShift == ids[at - 1] >> WordShift) at++;
        return at;
    }

    private static ReadOnlySpan<ushort> Rest(ReadOnlySpan<ushort> ids, int start, int end, int done) =>
        start + done < end ? ids[(start + done)..end] : [];
}

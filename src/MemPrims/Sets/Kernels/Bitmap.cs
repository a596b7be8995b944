namespace MemPrims.Sets;

// Works on the 65,536 bits of a container, 1024 words: single bits, the ids of an array, and ranges. BitmapPass combines two bitmaps,
// BitmapDecode makes ids of bits, and BitmapRuns runs.
internal static class Bitmap
{
    public const int Bytes = Container.Universe / 8, WordCount = Bytes / sizeof(ulong);

    public static bool Contains(ref ulong words, int id) => (Unsafe.Add(ref words, id >> 6) >> id & 1) != 0;

    // How many of the ids have their bit set.
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
    }

    // Writes the ids whose bit is set (And), or those whose bit is not (AndNot), and returns how many. The destination takes all of them
    // and 8 more. The bits of eight ids make a mask, by which the eight ids are packed.
    public static int SelectHits<TOperation>(ref ulong words, ReadOnlySpan<ushort> ids, ref ushort to)
        where TOperation : struct, IIdOperation
    {
        ref ushort first = ref MemoryMarshal.GetReference(ids);
        uint flip = TOperation.KeepsBoth ? 0u : 0xFF;
        nint written = 0;
        int i = 0;
        for (; Vector128.IsHardwareAccelerated && i <= ids.Length - 8; i += 8)
        {
            ref ushort eight = ref Unsafe.Add(ref first, i);
            ulong low = Bit(ref words, eight) | Bit(ref words, Unsafe.Add(ref eight, 1)) << 1
                | (Bit(ref words, Unsafe.Add(ref eight, 2)) << 2 | Bit(ref words, Unsafe.Add(ref eight, 3)) << 3);
            ulong high = Bit(ref words, Unsafe.Add(ref eight, 4)) << 4 | Bit(ref words, Unsafe.Add(ref eight, 5)) << 5
                | (Bit(ref words, Unsafe.Add(ref eight, 6)) << 6 | Bit(ref words, Unsafe.Add(ref eight, 7)) << 7);
            uint mask = (uint)(low | high) ^ flip;
            PackTable.Pack(Vector128.LoadUnsafe(ref eight), mask).StoreUnsafe(ref to, (nuint)written);
            written += BitOperations.PopCount(mask);
        }
        for (; i < ids.Length; i++)
        {
            ushort id = Unsafe.Add(ref first, i);
            Unsafe.Add(ref to, written) = id;
            written += (nint)Bit(ref words, id) ^ (nint)(flip & 1);
        }
        return (int)written;
    }

    // Sets, flips or clears the bits of ids, as the operation does with the bits of its right side, and returns how many were set before.
    // A load waits for the last store to the same place. So the ids are divided in four parts that take turns, and the bits are changed by
    // bytes.
    public static int Apply<TOperation>(ref ulong words, ReadOnlySpan<ushort> ids) where TOperation : struct, IIdOperation
    {
        ref byte bytes = ref Unsafe.As<ulong, byte>(ref words);
        ref ushort first = ref MemoryMarshal.GetReference(ids);
        int quarter = ids.Length >> 2;
        ref ushort second = ref Unsafe.Add(ref first, quarter), third = ref Unsafe.Add(ref second, quarter),
            fourth = ref Unsafe.Add(ref third, quarter);
        uint before = 0;
        for (int i = 0; i < quarter; i++)
        {
            before += One(ref bytes, Unsafe.Add(ref first, i)) + One(ref bytes, Unsafe.Add(ref second, i));
            before += One(ref bytes, Unsafe.Add(ref third, i)) + One(ref bytes, Unsafe.Add(ref fourth, i));
        }
        for (int i = quarter * 4; i < ids.Length; i++) before += One(ref bytes, Unsafe.Add(ref first, i));
        return (int)before;

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        static uint One(ref byte bytes, nint id)
        {
            ref byte cell = ref Unsafe.Add(ref bytes, id >> 3);
            uint bits = cell;
            cell = (byte)TOperation.Apply(bits, 1u << ((int)id & 7));
            return bits >> ((int)id & 7) & 1;
        }
    }

    // Sets the bits from `start` to `end`, both included.
    public static void SetRange(ref ulong words, int start, int end)
    {
        int first = start >> 6, last = end >> 6;
        ulong head = ulong.MaxValue << start, tail = ulong.MaxValue >> (63 - (end & 63));
        if (first >= last)
        {
            Unsafe.Add(ref words, first) |= head & tail;
            return;
        }
        Unsafe.Add(ref words, first) |= head;
        MemoryMarshal.CreateSpan(ref Unsafe.Add(ref words, first + 1), last - first - 1).Fill(ulong.MaxValue);
        Unsafe.Add(ref words, last) |= tail;
    }

    // Writes the bits of a container of any kind over the words.
    public static void Expand(ref ulong words, in ContainerView container)
    {
        Span<ulong> all = MemoryMarshal.CreateSpan(ref words, WordCount);
        switch (container.Kind)
        {
            case ContainerKind.Bitmap:
                MemoryMarshal.CreateReadOnlySpan(ref container.Words, WordCount).CopyTo(all);
                break;
            case ContainerKind.Array:
                BitmapFill.Ids(ref words, container.Ids);
                break;
            default:
                BitmapRuns.Expand(ref words, container.Runs);
                break;
        }
    }

    // Sets the bits of a container of any kind.
    public static void Add(ref ulong words, in ContainerView container)
    {
        switch (container.Kind)
        {
            case ContainerKind.Bitmap:
                BitmapPass.Combine<OrIds>(ref words, ref container.Words, ref words);
                break;
            case ContainerKind.Array:
                Apply<OrIds>(ref words, container.Ids);
                break;
            default:
                foreach (Run run in container.Runs) SetRange(ref words, run.Start, run.End);
                break;
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Bit(ref ulong words, nint id) => Unsafe.Add(ref words, id >> 6) >> (int)id & 1;
}

// Counts the bits of a bitmap, of two and-ed, or of a part of one.
internal static class BitmapCount
{
    // The bits set in one bitmap.
    public static int Ones(ref ulong words) => BitmapPass.CountAnd(ref words, ref words);

    // The same as Range, without a branch on whether the range lies in one word or in two.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int ShortRange(ref ulong words, int start, int end)
    {
        int first = start >> 6, last = end >> 6;
        if (last > first + 1) return Range(ref words, start, end);
        ulong isTwo = 0 - (ulong)(last - first), head = ulong.MaxValue << start, tail = ulong.MaxValue >> (63 - (end & 63));
        return BitOperations.PopCount(Unsafe.Add(ref words, first) & head & (tail | isTwo))
            + BitOperations.PopCount(Unsafe.Add(ref words, last) & tail & isTwo);
    }

    // The bits set from `start` to `end`, both included.
    public static int Range(ref ulong words, int start, int end)
    {
        int first = start >> 6, last = end >> 6;
        ulong head = ulong.MaxValue << start, tail = ulong.MaxValue >> (63 - (end & 63));
        if (first >= last) return BitOperations.PopCount(Unsafe.Add(ref words, first) & head & tail);
        ref ulong inner = ref Unsafe.Add(ref words, first + 1);
        return BitOperations.PopCount(Unsafe.Add(ref words, first) & head)
            + (last > first + 1 ? BitmapPass.Count(ref inner, last - first - 1) : 0)
            + BitOperations.PopCount(Unsafe.Add(ref words, last) & tail);
    }
}

// Writes a bitmap of ids, of edges, or of few runs. Words are only stored and never loaded, because a load would wait for the last store
// to the same place. Neighbouring ids share a word, so the word stays in a register while ids fall into it, and is stored after each id.
// The ids are divided in four parts that take turns, so that no part waits for its own last id. 3000 ids take 1.2 µs; loading, changing
// and storing a byte for each took 3.0 (Sets/pairs). Unsorted ids give wrong bits, but none outside the words.
internal static class BitmapFill
{
    private const int WordShift = 6, Parts = 4;

    // Fewer ids than these are set one by one.
    private const int FewestForParts = 64;

    // Writes the bits of ids over the words.
    public static void Ids(ref ulong words, ReadOnlySpan<ushort> ids)
    {
        MemoryMarshal.CreateSpan(ref words, Bitmap.WordCount).Clear();
        Flip(ref words, ids);
    }

    // Flips the bits of ids, or of edges, in words that are clear.
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

    // Writes the bits of few runs. From each edge on, whole vectors are stored without asking where the stretch ends. The next edge
    // overwrites what is too much.
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

    // Stores a value into all words from one on up to the word of a bit. That word gets the value below the bit and its opposite from the
    // bit on. Returns the number of the next word.
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

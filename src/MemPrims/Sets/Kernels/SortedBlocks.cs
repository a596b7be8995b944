namespace MemPrims.Sets;

// Two sorted arrays, met a block at a time. A vector of the first array meets eight ids of the second. Then the block that ends lower
// moves on, or both if they end alike. The moves are additions and not branches, so random ids take no longer than regular ones. A move
// waits for the comparison of the ends. So both arrays are cut at one id, and the halves take turns and fill each other's waits: 34 µs to
// count 100 k × 100 k ids, twice that one after the other. What is left once a side has no whole block goes to SortedSearch, whose work is
// bounded by that short side. A vector has 256 bits where the processor has them: with 512 a turn takes twice as long on Zen 4, and there
// are not half as many (Sets/SortedIds count). Unsorted ids give a wrong answer but no access outside the arrays: positions only grow, and
// each turn moves at least one of them.
// What has a loop is never inlined: a caller compiled again would inline it, run out of what the JIT inlines into one method, and call
// each move of a block (3000 × 3000 ids: 95 µs in place of 23).
internal static class SortedBlocks<T>
{
    // With this room after the ids of the first array, the destination takes what the halves store beyond their ids.
    public const int Slack = 64;

    // The ids of the second array that a vector of the first meets.
    private const int NarrowBlock = 8;

    // From this length of the shorter side on, the two halves take turns (Sets/IdSet count, 100 k × 100 k in 10 M, 655 ids a container).
    private const int FewestToHalve = 128;

    // The same where ids are written. With 128 ids one part takes 0.68 of two, with 256 0.89, with 512 1.03, with 1024 1.12 (Zen 4;
    // Sets/thresholds, halves).
    private const int FewestToHalveWritten = 512;

    // Counts the ids that are in both. It is fastest with the longer array first.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static long Count(ReadOnlySpan<T> wide, ReadOnlySpan<T> narrow)
    {
        if (Math.Min(wide.Length, narrow.Length) < FewestToHalve) return CountOne(wide, narrow);
        int half = wide.Length / 2, cut = (int)SortedSearch.LowerBound(narrow, wide[half]);
        Meeting low = new(wide[..half], narrow[..cut]), high = new(wide[half..], narrow[cut..]);
        Vector<T> met = Vector<T>.Zero;
        while (low.Goes && high.Goes)
        {
            met -= low.Matches(low.Block);
            low.Move();
            met -= high.Matches(high.Block);
            high.Move();
        }
        return (long)Id.Value(Vector.Sum(met)) + Count(low.RestOfWide, low.RestOfNarrow)
            + Count(high.RestOfWide, high.RestOfNarrow);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long CountOne(ReadOnlySpan<T> wide, ReadOnlySpan<T> narrow)
    {
        Meeting all = new(wide, narrow);
        Vector<T> met = Vector<T>.Zero;
        for (; all.Goes; all.Move()) met -= all.Matches(all.Block);
        return (long)Id.Value(Vector.Sum(met)) + SortedSearch.CountUneven(all.RestOfWide, all.RestOfNarrow);
    }

    // Writes the ids of `wide` that are in `narrow` (And), or those that are not (AndNot). The destination takes all of `wide`; for And,
    // the length of the shorter array is enough.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Select<TOperation>(ReadOnlySpan<T> wide, ReadOnlySpan<T> narrow, Span<T> destination)
        where TOperation : struct, IIdOperation
    {
        if (Math.Min(wide.Length, narrow.Length) < FewestToHalveWritten || destination.Length - Slack < wide.Length)
            return SelectOne<TOperation>(wide, narrow, destination);
        int half = wide.Length / 2, cut = (int)SortedSearch.LowerBound(narrow, wide[half]);
        Meeting low = new(wide[..half], narrow[..cut]), high = new(wide[half..], narrow[cut..]);
        // The second half writes after a gap, because the first half is not done yet. Its ids are moved down at the end.
        Span<T> ofHigh = destination[(half + Slack / 2)..];
        ref T to = ref MemoryMarshal.GetReference(destination), toHigh = ref MemoryMarshal.GetReference(ofHigh);
        nint written = 0, writtenHigh = 0;
        Vector<T> met = Vector<T>.Zero, metHigh = met;
        while (low.Goes & high.Goes)
        {
            written += low.Select<TOperation>(ref met, ref Unsafe.Add(ref to, written));
            writtenHigh += high.Select<TOperation>(ref metHigh, ref Unsafe.Add(ref toHigh, writtenHigh));
        }
        written += SelectRest<TOperation>(low, narrow[..cut], destination[(int)written..(half + Slack / 2)]);
        writtenHigh += SelectRest<TOperation>(high, narrow[cut..], ofHigh[(int)writtenHigh..]);
        ofHigh[..(int)writtenHigh].CopyTo(destination[(int)written..]);
        return (int)(written + writtenHigh);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int SelectOne<TOperation>(ReadOnlySpan<T> wide, ReadOnlySpan<T> narrow, Span<T> destination)
        where TOperation : struct, IIdOperation
    {
        Meeting all = new(wide, narrow);
        ref T to = ref MemoryMarshal.GetReference(destination);
        nint written = 0, last = destination.Length - Vector<T>.Count;
        Vector<T> met = Vector<T>.Zero;
        while (all.Goes && written <= last) written += all.Select<TOperation>(ref met, ref Unsafe.Add(ref to, written));
        // The current block starts again. What it has met lies before the place in the other array, so those ids are met once more.
        ReadOnlySpan<T> rest = all.RestOfWide, others = all.RestOfNarrow;
        if (met != Vector<T>.Zero) others = narrow[(int)SortedSearch.LowerBound(narrow[..^others.Length], rest[0])..];
        return (int)written + SortedSearch.SelectUneven<T, TOperation>(rest, others, destination[(int)written..]);
    }

    private static int SelectRest<TOperation>(in Meeting half, ReadOnlySpan<T> narrow, Span<T> destination)
        where TOperation : struct, IIdOperation
    {
        ReadOnlySpan<T> rest = half.RestOfWide, others = half.RestOfNarrow;
        if (!rest.IsEmpty) others = narrow[(int)SortedSearch.LowerBound(narrow[..^others.Length], rest[0])..];
        return SelectOne<TOperation>(rest, others, destination);
    }

    // Writes the lanes of a block that are set, and returns how many. It may overwrite the block's length.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Pack(Vector<T> block, Vector<T> lanes, ref T to) =>
        Vector<byte>.Count == Vector128<byte>.Count ? PackTable.Pack(block.AsVector128(), lanes.AsVector128(), ref to)
        : PackTable.Pack(block.AsVector256(), lanes.AsVector256(), ref to);

    // How far two arrays have been read. References take one register less each than an index into an array.
    private ref struct Meeting(ReadOnlySpan<T> wide, ReadOnlySpan<T> narrow)
    {
        private ref T _a = ref MemoryMarshal.GetReference(wide), _b = ref MemoryMarshal.GetReference(narrow);
        private readonly ref T _endA = ref Unsafe.Add(ref MemoryMarshal.GetReference(wide), wide.Length);
        private readonly ref T _endB = ref Unsafe.Add(ref MemoryMarshal.GetReference(narrow), narrow.Length);

        // Whether both have a whole block left.
        public readonly bool Goes
        {
            [MethodImpl(MethodImplOptions.AggressiveInlining)]
            get => !Unsafe.IsAddressGreaterThan(ref Unsafe.Add(ref _a, Vector<T>.Count), ref _endA)
                && !Unsafe.IsAddressGreaterThan(ref Unsafe.Add(ref _b, NarrowBlock), ref _endB);
        }

        public readonly ReadOnlySpan<T> RestOfWide => Rest(ref _a, ref _endA);

        public readonly ReadOnlySpan<T> RestOfNarrow => Rest(ref _b, ref _endB);

        public readonly Vector<T> Block
        {
            [MethodImpl(MethodImplOptions.AggressiveInlining)]
            get => Vector.LoadUnsafe(ref _a);
        }

        // All bits are set in the lanes of the block whose id is among the eight.
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public readonly Vector<T> Matches(Vector<T> block) =>
            (Same(block, 0) | Same(block, 1) | (Same(block, 2) | Same(block, 3)))
                | (Same(block, 4) | Same(block, 5) | (Same(block, 6) | Same(block, 7)));

        // Moves past the block that ends lower. All bits of the value are set if that is the block of the first array.
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public nint Move()
        {
            ulong lastA = Id.Value(Unsafe.Add(ref _a, Vector<T>.Count - 1)), lastB = Id.Value(Unsafe.Add(ref _b, NarrowBlock - 1));
            nint isDone = lastA <= lastB ? 1 : 0;
            // The product with a power of two becomes a shift of the flag, two instructions less than a mask.
            _a = ref Unsafe.Add(ref _a, isDone * Vector<T>.Count);
            _b = ref Unsafe.Add(ref _b, (nint)(lastB <= lastA ? 1 : 0) * NarrowBlock);
            return -isDone;
        }

        // Ids are written when their block is left: until then, they may match further blocks of the other side.
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public nint Select<TOperation>(ref Vector<T> met, ref T to) where TOperation : struct, IIdOperation
        {
            Vector<T> block = Block;
            met |= Matches(block);
            Vector<T> done = Vector.As<nint, T>(new(Move()));
            int written = Pack(block, TOperation.KeepsBoth ? met & done : Vector.AndNot(done, met), ref to);
            met = Vector.AndNot(met, done);
            return written;
        }

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        private readonly Vector<T> Same(Vector<T> block, int index) => Vector.Equals(block, Vector.Create(Unsafe.Add(ref _b, index)));

        private static ReadOnlySpan<T> Rest(ref T from, ref T end) =>
            MemoryMarshal.CreateReadOnlySpan(ref from, (int)(Unsafe.ByteOffset(ref from, ref end) / Unsafe.SizeOf<T>()));
    }
}

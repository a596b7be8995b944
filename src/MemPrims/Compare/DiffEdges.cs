namespace MemPrims;

// Where the ranges begin and end in which two blocks differ. A chunk of 64 bytes gives a mask of the bytes that differ. Each bit is
// repeated in as many bits above it as the gap is wide. So the runs of the mask are the ranges, each too long by the gap, and no branch
// asks which differences lie near one another. The edges of the runs are a start, an end, a start and so on. Eight chunks are looked at
// together, so that little of the work waits for a branch.
internal unsafe struct DiffEdges
{
    // The widest gap. Others are joined range by range.
    public const int MostWidened = Chunk - 1;

    // The most places that Take stores, and what it may store after them.
    public const int Most = Chunks * Chunk + Chunk;

    private const int Chunk = 64, Chunks = 8;

    private Masks _left;

    // What the runs of the chunks before leave to the next one: bits, and whether the bit before it is set.
    private ulong _spill, _isWithin;

    // Where the next group starts, and the place of the edges that are left.
    private nint _next;
    private int _at;

    // Takes the next edge of the group; negative where there is none.
    public int Take()
    {
        for (int i = 0; i < Chunks; i++)
        {
            if (_left[i] == 0) continue;
            int edge = _at + i * Chunk + BitOperations.TrailingZeroCount(_left[i]);
            _left[i] &= _left[i] - 1;
            return edge;
        }
        return -1;
    }

    // Takes all edges of the group, stores them after those that are there, and returns how many there are then.
    public int Take(int* places, int count)
    {
        if (Hardware.HasCompress512) return TakeCompressed(places, count);
        for (int i = 0; i < Chunks; i++)
        {
            ulong left = _left[i];
            int at = _at + i * Chunk, after = count + BitOperations.PopCount(left);
            for (; ; count += 4)
            {
                places[count] = at + BitOperations.TrailingZeroCount(left);
                places[count + 1] = at + BitOperations.TrailingZeroCount(left &= left - 1);
                places[count + 2] = at + BitOperations.TrailingZeroCount(left &= left - 1);
                places[count + 3] = at + BitOperations.TrailingZeroCount(left &= left - 1);
                if (count + 4 >= after) break;
                left &= left - 1;
            }
            count = after;
        }
        _left = default;
        return count;
    }

    // Without a branch up to sixteen edges of a chunk; more are few.
    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    private int TakeCompressed(int* places, int count)
    {
        const ulong each = 0x0101_0101_0101_0101;
        // Lane i gets the byte of the edges that holds bit i.
        Vector512<byte> spread = Vector512.Create(0, each, 2 * each, 3 * each, 4 * each, 5 * each, 6 * each, 7 * each).AsByte();
        Vector512<byte> bits = Vector512.Create(0x8040_2010_0804_0201ul).AsByte();
        for (int i = 0; i < Chunks; i++)
        {
            ulong left = _left[i];
            Vector512<byte> isEdge = ~Vector512.Equals(Avx512BW.Shuffle(Vector512.Create(left).AsByte(), spread) & bits,
                Vector512<byte>.Zero);
            Vector512<byte> edges = Avx512Vbmi2.Compress(Vector512<byte>.Zero, isEdge, Vector512<byte>.Indices);
            Vector512<int> at = Vector512.Create(_at + i * Chunk);
            int after = count + BitOperations.PopCount(left);
            (Avx512F.ConvertToVector512Int32(edges.GetLower().GetLower()) + at).Store(places + count);
            if (after - count > 16)
            {
                (Avx512F.ConvertToVector512Int32(edges.GetLower().GetUpper()) + at).Store(places + count + 16);
                (Avx512F.ConvertToVector512Int32(edges.GetUpper().GetLower()) + at).Store(places + count + 32);
                (Avx512F.ConvertToVector512Int32(edges.GetUpper().GetUpper()) + at).Store(places + count + 48);
            }
            count = after;
        }
        _left = default;
        return count;
    }

    // Looks at the next group of chunks in which something differs; false where there is none.
    // before: the block as it was.
    // after: the block as it is.
    // length: how many bytes both have.
    // gap: by how many bytes each end is too far.
    public bool Look(ref byte before, ref byte after, nint length, int gap) =>
        Hardware.Has512 ? Look512(ref before, ref after, length, gap)
        : Vector256.IsHardwareAccelerated ? Look<Bytes256>(ref before, ref after, length, gap)
        : Vector128.IsHardwareAccelerated ? Look<Bytes128>(ref before, ref after, length, gap)
        : Look<Bytes64>(ref before, ref after, length, gap);

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    private bool Look512(ref byte before, ref byte after, nint length, int gap) => Look<Bytes512>(ref before, ref after, length, gap);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool Look<TVector>(ref byte before, ref byte after, nint length, int gap) where TVector : struct, IVector<TVector>
    {
        if (!Find<TVector>(ref before, ref after, length)) return false;
        ulong spill = _spill, isWithin = _isWithin;
        for (int i = 0; i < Chunks; i++)
        {
            ulong different = _left[i];
            int beyond = gap - BitOperations.LeadingZeroCount(different);
            ulong within = Widen(different, gap) | spill;
            _left[i] = within ^ (within << 1 | isWithin);
            isWithin = within >> 63;
            spill = (1ul << (beyond & ~(beyond >> 31))) - 1;
        }
        _spill = spill;
        _isWithin = isWithin;
        return true;
    }

    // The differences of the next group that has some or that a run goes on in.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool Find<TVector>(ref byte before, ref byte after, nint length) where TVector : struct, IVector<TVector>
    {
        nint at = _next;
        if (_isWithin == 0)
        {
            at = SkipEqual<TVector>(ref before, ref after, at, length);
            if (at >= length)
            {
                _next = at;
                return false;
            }
        }
        _at = (int)at;
        _next = at + Chunks * Chunk;
        if (_next > length) LookAtEnd(ref before, ref after, at, length);
        else
            for (int i = 0; i < Chunks; i++) _left[i] = Differences<TVector>(ref before, ref after, at + i * Chunk);
        return true;
    }

    // Every bit is repeated in the bits above it.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Widen(ulong bits, int by)
    {
        if (by == BlockDiff.UsualGap)
        {
            bits |= bits << 1;
            bits |= bits << 2;
            bits |= bits << 4;
            return bits | bits << 1;
        }
        for (int step = 1; by > 0; step <<= 1)
        {
            bits |= bits << Math.Min(step, by);
            by -= step;
        }
        return bits;
    }

    // Goes on while four vectors are equal.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static nint SkipEqual<TVector>(ref byte before, ref byte after, nint at, nint length) where TVector : struct, IVector<TVector>
    {
        while (at <= length - 4 * TVector.Size
            && FourVectors<TVector>.Load(ref before, at).Equals(FourVectors<TVector>.Load(ref after, at))) at += 4 * TVector.Size;
        return at;
    }

    // The last chunk has no more bits than there are bytes.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void LookAtEnd(ref byte before, ref byte after, nint at, nint length)
    {
        for (int i = 0; at < length; i++, at += Chunk)
        {
            int missing = (int)Math.Max(at + Chunk - length, 0);
            if (length >= Chunk) _left[i] = Differences<Bytes64>(ref before, ref after, at - missing) >> missing;
            else
                for (nint k = at; k < length; k++)
                    _left[i] |= Unsafe.Add(ref before, k) == Unsafe.Add(ref after, k) ? 0 : 1ul << (int)(k - at);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Differences<TVector>(ref byte before, ref byte after, nint at) where TVector : struct, IVector<TVector>
    {
        ulong differences = 0;
        for (int i = 0; i < Chunk; i += TVector.Size)
        {
            ulong of = typeof(TVector) == typeof(Bytes64) ? OfWord(ref before, ref after, at + i)
                : TVector.DifferentBytes(TVector.Load(ref before, at + i), TVector.Load(ref after, at + i));
            differences |= of << i;
        }
        return differences;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong OfWord(ref byte before, ref byte after, nint at)
    {
        const ulong low = 0x7F7F_7F7F_7F7F_7F7F, gathers = 0x0102_0408_1020_4080;
        ulong word = Unsafe.ReadUnaligned<ulong>(ref Unsafe.Add(ref before, at))
            ^ Unsafe.ReadUnaligned<ulong>(ref Unsafe.Add(ref after, at));
        // The high bit of each byte that is not zero; a product brings the eight together at the top.
        ulong high = ((word & low) + low | word) & ~low;
        return (high >> 7) * gathers >> 56;
    }

    [InlineArray(Chunks)]
    private struct Masks
    {
        private ulong _first;
    }
}

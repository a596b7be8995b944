using System.Buffers.Binary;

namespace MemPrims;

/// <summary>The ranges in which two blocks differ: <see cref="Block.Diff"/>. It is its own enumerator.</summary>
public ref struct BlockDiff
{
    internal const int UsualGap = 8, HeaderBytes = 2 * sizeof(int);

    private const int Chunk = 64;

    private readonly ReadOnlySpan<byte> _before, _after;
    private readonly int _gap;

    // Bit i of the differences that are left is for the byte at _at + i.
    private ulong _left;
    private int _at = -Chunk, _start, _end;

    internal BlockDiff(ReadOnlySpan<byte> before, ReadOnlySpan<byte> after, int gap)
    {
        _before = before;
        _after = after;
        _gap = gap;
    }

    /// <summary>The range.</summary>
    public readonly Range Current => _start.._end;

    /// <summary>This.</summary>
    public readonly BlockDiff GetEnumerator() => this;

    /// <summary>Goes to the next range; false where there is none.</summary>
    public bool MoveNext()
    {
        _start = -1;
        while (true)
        {
            while (_left == 0)
            {
                if (_at >= _before.Length - Chunk) return _start >= 0;
                _at += Chunk;
                _left = Differences(_at);
            }
            int first = _at + BitOperations.TrailingZeroCount(_left);
            if (_start < 0) _start = first;
            else if (first - _end > _gap) return true;
            // The carry of the lowest bit goes through the ones above it.
            ulong above = _left & _left + (_left & 0 - _left), run = _left ^ above;
            _end = _at + Chunk - BitOperations.LeadingZeroCount(run);
            _left = above;
        }
    }

    /// <summary>
    /// Writes all ranges that are left, each as its start and its length in 4 bytes, low byte first, and its bytes of the block as it is.
    /// <see cref="Block.Patch"/> reads them.
    /// </summary>
    /// <returns>False where the destination has no room for all. Blocks of n bytes that differ everywhere take n + 8.</returns>
    public bool TryWrite(Span<byte> destination, out int written)
    {
        written = 0;
        while (MoveNext())
        {
            Span<byte> to = destination[written..];
            int length = _end - _start;
            if (to.Length - HeaderBytes < length) return false;
            BinaryPrimitives.WriteInt32LittleEndian(to, _start);
            BinaryPrimitives.WriteInt32LittleEndian(to[sizeof(int)..], length);
            Block.Copy(to[HeaderBytes..], _after[_start.._end]);
            written += HeaderBytes + length;
        }
        return true;
    }

    // The chunk at a place, of which the last one has no more bits than there are bytes.
    private readonly ulong Differences(int at)
    {
        ref byte before = ref MemoryMarshal.GetReference(_before), after = ref MemoryMarshal.GetReference(_after);
        int missing = at + Chunk - _before.Length;
        if (missing <= 0) return Differences(ref before, ref after, at);
        if (_before.Length >= Chunk) return Differences(ref before, ref after, at - missing) >> missing;
        ulong differences = 0;
        for (int i = at; i < _before.Length; i++) differences |= _before[i] == _after[i] ? 0 : 1ul << i - at;
        return differences;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Differences(ref byte before, ref byte after, int at) =>
        Vector256.IsHardwareAccelerated ? Differences<Bytes256>(ref before, ref after, at)
        : Vector128.IsHardwareAccelerated ? Differences<Bytes128>(ref before, ref after, at)
        : DifferencesOfWords(ref before, ref after, at);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Differences<TVector>(ref byte before, ref byte after, int at) where TVector : struct, IVector<TVector>
    {
        ulong differences = 0;
        for (int i = 0; i < Chunk; i += TVector.Size)
            differences |= TVector.DifferentBytes(TVector.Load(ref before, at + i), TVector.Load(ref after, at + i)) << i;
        return differences;
    }

    private static ulong DifferencesOfWords(ref byte before, ref byte after, int at)
    {
        const ulong low = 0x7F7F_7F7F_7F7F_7F7F, gathers = 0x0102_0408_1020_4080;
        ulong differences = 0;
        for (int i = 0; i < Chunk; i += sizeof(ulong))
        {
            ulong word = Unsafe.ReadUnaligned<ulong>(ref Unsafe.Add(ref before, at + i))
                ^ Unsafe.ReadUnaligned<ulong>(ref Unsafe.Add(ref after, at + i));
            // The high bit of each byte that is not zero; a product brings the eight together at the top.
            ulong high = ((word & low) + low | word) & ~low;
            differences |= (high >> 7) * gathers >> 56 << i;
        }
        return differences;
    }

    internal static int Start(ReadOnlySpan<byte> range) => BinaryPrimitives.ReadInt32LittleEndian(range);

    internal static int Length(ReadOnlySpan<byte> range) => BinaryPrimitives.ReadInt32LittleEndian(range[sizeof(int)..]);
}

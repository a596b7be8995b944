namespace MemPrims.Codecs;

// What a list takes, while blocks are added to it. A list that goes on takes fewer bytes in one case: the first id of a block that begins
// makes the least step a byte shorter, and the bits of the steps are too few for one. It is one byte only: a step that takes two less is
// so much smaller than the others that its bits are more. So the longest beginning that fits is found from the front, and the search goes
// on past one byte too many.
internal struct PackedIdsPlan(ulong first)
{
    // Where bits of the shape are: those of a step, and whether each block has its own width. Before is the shift.
    public const int StepBitsAt = 6, ApartAt = 13, ShapeBytes = 2;

    public const int MostSaved = 1;

    // Of so many blocks the shapes are kept until they are written. They are found once more for those behind.
    public const int MostKept = 32;

    private readonly ulong _first = first;
    private ulong _any, _leastStep = ulong.MaxValue, _mostStep;
    private long _widths, _patchBytes;
    private int _code = -1;
    private bool _isApart;

    // How many blocks were added.
    public int Blocks { get; private set; }

    // Adds a whole block that another one follows: `next` is the first id of that.
    public void Add(in PackedBlock block, ulong start, ulong before, ulong next)
    {
        _any |= block.Any | (next - before);
        ulong step = next - start;
        _leastStep = Math.Min(_leastStep, step);
        _mostStep = Math.Max(_mostStep, step);
        int code = block.Code(0);
        _isApart |= _code >= 0 && code != _code;
        _code = code;
        _widths += block.Width;
        if (block.Exceptions > 0) _patchBytes += PackedBlock.Size(0, 0, block.Exceptions, block.Extra);
        Blocks++;
    }

    // The bytes of a list that ends with this block.
    public readonly long Size(in PackedBlock last)
    {
        int shift = Shift(last), count = Count(last);
        long size = Varint.Size((ulong)count) + Varint.Size(_first);
        if (count == 1) return size;
        size += ShapeBytes + WidthBytes + last.Size(shift);
        if (Blocks == 0) return size;
        size += Varint.Size(_leastStep >> shift) + PackedBits.Bytes((long)Blocks * StepBits(shift));
        return size + PackedBlock.MostGaps / 8 * (_widths - (long)Blocks * shift) + _patchBytes;
    }

    public readonly int Count(in PackedBlock last) => Blocks * PackedBlock.MostIds + last.Gaps + 1;

    // Writes the list, of which Size has told that it fits before `end`. Returns its end.
    public readonly unsafe byte* Write<T>(T* ids, PackedBlock* shapes, in PackedBlock last, byte* to, byte* end)
        where T : unmanaged
    {
        int count = Count(last), shift = Shift(last), stepBits = StepBits(shift);
        to = Varint.Write(Varint.Write(to, (ulong)count), _first);
        if (count == 1) return to;
        Unsafe.WriteUnaligned(to, (ushort)(shift | stepBits << StepBitsAt | (_isApart ? 1 << ApartAt : 0)));
        byte* widths = to + ShapeBytes;
        to = widths + WidthBytes;
        if (Blocks > 0)
        {
            to = Varint.Write(to, _leastStep >> shift);
            PackedBitWriter steps = new(to);
            for (int i = 1; i <= Blocks; i++)
            {
                T* start = ids + (long)i * PackedBlock.MostIds;
                steps.Write((PackedId.Of(start) - PackedId.Of(start - PackedBlock.MostIds) - _leastStep) >> shift, stepBits);
            }
            to = steps.End();
        }
        ulong* wide = stackalloc ulong[PackedBlock.MostIds];
        uint* low = stackalloc uint[PackedBlock.MostGaps];
        for (int i = 0; i <= Blocks; i++)
        {
            int gaps = i < Blocks ? PackedBlock.MostGaps : last.Gaps;
            ulong* from = PackedId.Widen(ids + (long)i * PackedBlock.MostIds, gaps + 1, wide);
            PackedBlock block;
            if (i >= MostKept) PackedBlock.TryOf(from, gaps, low, out block);
            else
            {
                block = shapes[i];
                PackedGaps.Of(from, gaps, low, out _, out _);
            }
            if (block.Size(shift) > end - to) throw CodecErrors.ChangedIds();
            if (i == Blocks) widths[WidthBytes - 1] = (byte)block.Code(shift);
            else if (_isApart || i == 0) widths[i] = (byte)block.Code(shift);
            to = block.Write(from, low, shift, to, end);
        }
        return to;
    }

    // The last block, which may be a short one, always has a width of its own.
    private readonly int WidthBytes => _isApart ? Blocks + 1 : Math.Min(Blocks, 1) + 1;

    private readonly int Shift(in PackedBlock last) => (_any | last.Any) is not 0 and ulong any ? BitOperations.TrailingZeroCount(any) : 0;

    private readonly int StepBits(int shift) => Blocks == 0 ? 0 : PackedBits.Length((_mostStep - _leastStep) >> shift);
}

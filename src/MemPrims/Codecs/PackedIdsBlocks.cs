namespace MemPrims.Codecs;

// The blocks of a list in foreign bytes, one after the other. Moving on looks at the heads only. Nothing outside the bytes is read, and
// what no list has is damage.
internal unsafe struct PackedIdsBlocks
{
    // Places are counted from the first byte: between two calls the bytes may move.
    private readonly int _length, _widths, _steps;
    private readonly bool _isApart;
    private readonly int _stepBits, _shift, _blocks;
    private readonly ulong _leastStep, _most;
    private byte* _source;
    private ulong _nextStart;
    private int _next, _at, _width, _exceptions, _extra;

    // Reads the head. The ids may be up to `most`.
    public PackedIdsBlocks(byte* source, int length, ulong most)
    {
        _source = source;
        _length = length;
        _most = most;
        int at = 0;
        ulong count = ReadVarint(ref at, "count");
        if (count > PackedIds.MaxCount) throw Damaged(0, $"The count is {count}, and a list has at most {PackedIds.MaxCount} ids");
        Count = (int)count;
        Index = -1;
        _next = at;
        if (count == 0) return;
        int first = at;
        _nextStart = First = ReadVarint(ref at, "first id");
        if (First > most) throw Damaged(first, $"The first id is {First}, and the ids to be read go to {most}");
        _blocks = (Count + PackedBlock.MostGaps) / PackedBlock.MostIds;
        _widths = _next = at;
        if (count == 1) return;
        if (_length - at < PackedIdsPlan.ShapeBytes) throw TooShort(at, "shape");
        int shape = Unsafe.ReadUnaligned<ushort>(_source + at);
        _shift = shape & 63;
        _stepBits = shape >> PackedIdsPlan.StepBitsAt & 127;
        _isApart = (shape >> PackedIdsPlan.ApartAt & 1) != 0;
        if (shape >> PackedIdsPlan.ApartAt > 1 || _stepBits > 64 - _shift || _blocks == 1 && (_isApart || _stepBits != 0))
            throw Damaged(at, $"The shape {shape:X4} is none that a list of {Count} ids has");
        at += PackedIdsPlan.ShapeBytes;
        _widths = at;
        int widths = _isApart ? _blocks : Math.Min(_blocks, 2);
        if (_length - at < widths) throw TooShort(at, "widths");
        at += widths;
        if (_blocks > 1)
        {
            int least = at;
            _leastStep = ReadVarint(ref at, "least step");
            if (_leastStep < PackedBlock.MostIds) throw Damaged(least, $"The step {_leastStep} is less than a block's ids");
            long bits = (long)(_blocks - 1) * _stepBits;
            if (_length - at < PackedBits.Bytes(bits)) throw TooShort(at, "steps");
            _steps = at;
            CheckPadding(at, bits, "steps");
            at += PackedBits.Bytes(bits);
        }
        _next = at;
    }

    public int Count { get; }

    public ulong First { get; }

    // The block at which this is; −1 before the first.
    public int Index { get; private set; }

    public readonly bool IsLast => Index == _blocks - 1;

    // How many gaps the block has; it has one more id.
    public readonly int Gaps => IsLast ? Count - Index * PackedBlock.MostIds - 1 : PackedBlock.MostGaps;

    // The first id of the block.
    public ulong Start { get; private set; }

    // Where the block ends: how many bytes it and those before take.
    public readonly int Size => _next;

    // The greatest id that the block can have.
    private readonly ulong Most => IsLast ? _most : _nextStart - 1;

    private readonly byte* At => _source + _at;

    private readonly byte* End => _source + _length;

    // Says where the bytes lie now.
    public void Pin(byte* source) => _source = source;

    // Goes to the next block; false behind the last.
    public bool MoveNext()
    {
        if (Index + 1 >= _blocks) return false;
        Index++;
        Start = _nextStart;
        _at = _next;
        _width = _exceptions = _extra = 0;
        if (Count > 1) ReadShape();
        if (IsLast) return true;
        // A step is at least one for each id, so blocks never go back.
        ulong step = PackedBits.Read(_source + _steps, End, (long)Index * _stepBits, _stepBits);
        ulong most = (_most - Start) >> _shift;
        if (step > most || _leastStep > most - step) throw Damaged(_steps, $"The start of block {Index + 1} is above {_most}");
        _nextStart = Start + ((_leastStep + step) << _shift);
        return true;
    }

    // Goes to the block in which the first id is that is not below `id`, or to the last.
    public void MoveTo(ulong id)
    {
        while ((Index < 0 || !IsLast && _nextStart <= id) && MoveNext())
        {
        }
    }

    // Writes the ids of the block, one more than it has gaps: ulong or uint.
    public readonly void Decode<T>(T* ids)
        where T : unmanaged
    {
        int gaps = Gaps, length = _width + _extra;
        // Here the words of the kernels are wide enough, and the last id has wrapped around once at most.
        if (_width <= PackedBits.MostUnpacked && length <= PackedGaps.MostSummed
            && length + _shift <= 8 * sizeof(T) - PackedBlock.PlaceBits)
        {
            PackedGaps.Room room;
            uint* low = (uint*)&room + PackedGaps.Margin;
            PackedBits.Unpack(At, End, _width, gaps, low);
            if (_exceptions > 0) Patch(low);
            PackedGaps.Sum(low, gaps, Start, _shift, ids);
            ulong last = PackedId.Of(ids + gaps);
            if (gaps > 0 && (last <= Start || last > Most)) throw TooHigh(Most);
        }
        else DecodeSingly(ids);
    }

    // For wider gaps: one by one, in 64 bits.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private readonly void DecodeSingly<T>(T* ids)
        where T : unmanaged
    {
        int gaps = Gaps;
        ulong* wide = stackalloc ulong[PackedBlock.MostGaps];
        for (int i = 0; i < gaps; i++) wide[i] = PackedBits.Read(At, End, (long)i * _width, _width);
        if (_exceptions > 0) Patch(wide);
        ulong id = Start;
        PackedId.Put(ids, id);
        for (int i = 0; i < gaps; i++)
        {
            // The gap is one more.
            if (wide[i] >= (Most - id) >> _shift) throw TooHigh(Most);
            PackedId.Put(ids + i + 1, id += (wide[i] + 1) << _shift);
        }
    }

    private readonly void Patch<T>(T* gaps)
        where T : unmanaged
    {
        long places = (long)Gaps * _width, upper = places + (long)_exceptions * PackedBlock.PlaceBits;
        int before = -1;
        for (int i = 0; i < _exceptions; i++)
        {
            int place = (int)PackedBits.Read(At, End, places + (long)i * PackedBlock.PlaceBits, PackedBlock.PlaceBits);
            ulong rest = PackedBits.Read(At, End, upper + (long)i * _extra, _extra);
            if (place <= before || place >= Gaps || rest == 0)
                throw Damaged(_at, $"Exception {i} of block {Index} is none: place {place} behind {before}, upper bits {rest}");
            before = place;
            if (sizeof(T) == sizeof(uint)) ((uint*)gaps)[place] |= (uint)(rest << _width);
            else ((ulong*)gaps)[place] |= rest << _width;
        }
    }

    private void ReadShape()
    {
        int code = _widths + (_isApart ? Index : IsLast ? Math.Min(_blocks, 2) - 1 : 0), bits = _source[code];
        _width = bits & ~PackedBlock.Patched;
        int gaps = Gaps;
        if ((bits & PackedBlock.Patched) != 0)
        {
            if (_length - _at < PackedBlock.PatchBytes) throw TooShort(_at, $"block {Index}");
            _exceptions = _source[_at];
            _extra = _source[_at + 1];
            if (_exceptions == 0 || _exceptions > gaps || _extra == 0 || _width + _extra > 64)
                throw Damaged(_at, $"Block {Index} has no {_exceptions} exceptions of {_extra} bits");
        }
        if (_width + _extra + _shift > 64 || gaps == 0 && bits != 0)
            throw Damaged(code, $"The width {_width} is none that block {Index} can have");
        int size = PackedBlock.Size(_width, gaps, _exceptions, _extra);
        if (_length - _at < size) throw TooShort(_at, $"block {Index}");
        _next = _at + size;
        if (_exceptions > 0) _at += PackedBlock.PatchBytes;
        CheckPadding(_at, gaps * _width + _exceptions * (PackedBlock.PlaceBits + _extra), "block");
    }

    private readonly ulong ReadVarint(ref int at, string what)
    {
        OperationStatus status = Varint.Read(new(_source + at, _length - at), out ulong value, out int consumed);
        if (status == OperationStatus.NeedMoreData) throw TooShort(at, what);
        if (status != OperationStatus.Done) throw Damaged(at, $"The {what} is no varint");
        at += consumed;
        return value;
    }

    private readonly void CheckPadding(int at, long bits, string what)
    {
        int last = at + (int)(bits >> 3);
        if ((bits & 7) != 0 && _source[last] >> (int)(bits & 7) != 0) throw Damaged(last, $"Bits behind the {what} are not 0");
    }

    private readonly DamagedDataException TooHigh(ulong most) => Damaged(_at, $"An id of block {Index} is above {most}");

    private readonly DamagedDataException TooShort(int at, string what) =>
        Damaged(at, $"The bytes end, at {_length}, before the end of the {what}");

    private readonly DamagedDataException Damaged(int at, string damage) => CodecErrors.PackedIds(at, damage);
}

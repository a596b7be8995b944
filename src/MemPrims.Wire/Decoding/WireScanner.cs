namespace MemPrims.Wire;

// Walks the fields of a message whose type is not known: number, wire type, value. For what is not built: schemas, unknown fields, fields
// beside a path, the parts of a message set. Every fault is a WireException with its offset.
internal ref struct WireScanner
{
    private readonly ReadOnlySpan<byte> _source;
    private readonly long _base;
    private int _position, _tagAt;

    public WireScanner(ReadOnlySpan<byte> source, long offset)
    {
        _source = source;
        _base = offset;
    }

    public int Number { get; private set; }

    public WireType WireType { get; private set; }

    // Where the next byte lies in the whole input.
    public readonly long Offset => _base + _position;

    public readonly bool IsAtEnd => _position == _source.Length;

    public readonly bool Is(int number, WireType type) => Number == number && WireType == type;

    // What was read from an offset on.
    public readonly ReadOnlySpan<byte> Since(long offset) => _source[(int)(offset - _base).._position];

    public bool Next()
    {
        if (_position == _source.Length) return false;
        _tagAt = _position;
        ulong tag = Varint();
        if (tag > uint.MaxValue || _position - _tagAt > Codecs.Varint.MaxSize32) throw Fault(WireErrors.BadTag(tag), TagOffset);
        Number = (int)(tag >> 3);
        WireType = (WireType)(tag & 7);
        if (Number == 0 || WireType > WireType.Fixed32) throw Fault(WireErrors.BadTag(tag), TagOffset);
        return true;
    }

    public ulong Varint()
    {
        if ((uint)_position < (uint)_source.Length && _source[_position] < 0x80) return _source[_position++];
        return LongVarint();
    }

    private unsafe ulong LongVarint()
    {
        fixed (byte* start = _source)
        {
            int length = LooseVarint.Read(start + _position, start + _source.Length, out ulong value);
            if (length <= 0)
                throw length == 0 ? Fault(WireErrors.Truncated, _base + _source.Length) : Fault(WireErrors.LongVarint, Offset);
            _position += length;
            return value;
        }
    }

    public ReadOnlySpan<byte> Bytes()
    {
        ulong length = Varint();
        if (length > (ulong)(_source.Length - _position)) throw Fault(WireErrors.BadLength(length, _source.Length - _position), Offset);
        ReadOnlySpan<byte> bytes = _source.Slice(_position, (int)length);
        _position += (int)length;
        return bytes;
    }

    public WireScanner Inner()
    {
        ReadOnlySpan<byte> bytes = Bytes();
        return new(bytes, Offset - bytes.Length);
    }

    // What is after the length, or between the tags of a group, and where in the whole input it begins.
    public ReadOnlySpan<byte> Content(out long at)
    {
        if (WireType == WireType.Bytes)
        {
            ReadOnlySpan<byte> bytes = Bytes();
            at = Offset - bytes.Length;
            return bytes;
        }
        (int number, WireType type, int start) = (Number, WireType, _position);
        at = Offset;
        Skip();
        // The last tag is the end tag. Where it begins is noted: it may be longer than it has to be.
        (Number, WireType) = (number, type);
        return _source[start.._tagAt];
    }

    // An item of a message set, behind its start tag: the number (field 2) and the message (field 3) in any order, the end tag. The first
    // of each counts.
    // at: where in the whole input the message begins; -1 if there is none.
    public ReadOnlySpan<byte> SetItem(out int number, out long at, int depth = 100)
    {
        (number, at) = (0, -1);
        ReadOnlySpan<byte> message = default;
        while (Next())
        {
            if (Is(1, WireType.EndGroup)) return message;
            if (Is(2, WireType.Varint) && number == 0) number = (int)Varint();
            else if (Is(3, WireType.Bytes) && at < 0)
            {
                message = Bytes();
                at = Offset - message.Length;
            }
            else Skip(depth);
        }
        throw Fault(WireErrors.UnclosedGroup(1), Offset);
    }

    private readonly long TagOffset => _base + _tagAt;

    public ulong Raw() => WireType switch
    {
        WireType.Varint => Varint(),
        WireType.Fixed32 => BinaryPrimitives.ReadUInt32LittleEndian(Take(4)),
        _ => BinaryPrimitives.ReadUInt64LittleEndian(Take(8)),
    };

    // Skips fields of other numbers as long as their tags and lengths have at most two bytes, and stops before anything else. A field
    // takes a few instructions here, and many more by Next and Skip. Values of a list after the tag counted are skipped and counted too,
    // except the one at the index wanted.
    public unsafe void PassOthers(uint number, uint counted, ref int count, int wanted)
    {
        // The longest field that is looked at without another check: two bytes of tag, ten of a varint.
        const int Reach = 12;
        const int Line = 64, Ahead = 1024;
        fixed (byte* start = _source)
        {
            byte* p = start + _position, end = start + _source.Length;
            uint before = 0;
            bool isAsking = false;
            while (end - p >= Reach)
            {
                uint tag = *p;
                byte* at = p + 1;
                if (tag >= 0x80)
                {
                    if (*at >= 0x80) break;
                    tag = tag & 0x7F | (uint)*at++ << 7;
                }
                if (tag >> 3 == number && (tag != counted || count == wanted)) break;
                if (tag < 8) break;
                if ((tag & 7) == (uint)WireType.Bytes)
                {
                    uint length = *at++;
                    if (length >= 0x80)
                    {
                        if (*at >= 0x80) break;
                        length = length & 0x7F | (uint)*at++ << 7;
                    }
                    if (length > end - at) break;
                    // Where the next field begins is known only from the length of this one, so nothing else asks memory for it early.
                    // Values of a list are often about as long as the one before. Of long ones, the line is asked for in which the
                    // third from here begins; of short ones, all lines ahead.
                    if (Sse.IsSupported && length >= Line) Sse.Prefetch0(at + 3 * (nint)length);
                    else if (Sse.IsSupported && tag == before)
                    {
                        for (int i = Line; !isAsking && i < Math.Min(end - p, Ahead); i += Line) Sse.Prefetch0(p + i);
                        isAsking = true;
                        Sse.Prefetch0(p + Ahead);
                    }
                    before = tag;
                    p = at + length;
                    if (tag == counted) count++;
                }
                else if ((tag & 7) == (uint)WireType.Varint)
                {
                    byte* last = at + 9;
                    while (*at >= 0x80 && at < last) at++;
                    if (*at >= 0x80) break;
                    p = at + 1;
                }
                else if ((tag & 7) == (uint)WireType.Fixed64) p = at + 8;
                else if ((tag & 7) == (uint)WireType.Fixed32) p = at + 4;
                else break;
            }
            _position = (int)(p - start);
        }
    }

    // Says what the next value is, where none has a tag of its own.
    public void Expect(int number, WireType type)
    {
        Number = number;
        WireType = type;
    }

    // Passes by the value of the field, groups as deep as depth.
    public void Skip(int depth = 100)
    {
        switch (WireType)
        {
            case WireType.Varint: Varint(); break;
            case WireType.Fixed64: Take(8); break;
            case WireType.Bytes: Bytes(); break;
            case WireType.Fixed32: Take(4); break;
            case WireType.StartGroup: SkipGroup(depth); break;
            default: throw Fault(WireErrors.UnexpectedEndGroup(Number), TagOffset);
        }
    }

    private void SkipGroup(int depth)
    {
        int number = Number;
        if (depth <= 0) throw Fault(WireErrors.TooDeepGroups, Offset);
        if ((depth & 31) == 0 && !RuntimeHelpers.TryEnsureSufficientExecutionStack()) throw Fault(WireErrors.NoStack, Offset);
        while (Next())
        {
            if (WireType == WireType.EndGroup)
            {
                if (Number != number) throw Fault(WireErrors.UnexpectedEndGroup(Number), TagOffset);
                return;
            }
            Skip(depth - 1);
        }
        throw Fault(WireErrors.UnclosedGroup(number), Offset);
    }

    private ReadOnlySpan<byte> Take(int count)
    {
        if (count > _source.Length - _position) throw Fault(WireErrors.Truncated, Offset);
        _position += count;
        return _source.Slice(_position - count, count);
    }

    private static WireException Fault(string reason, long offset) => new(reason, offset);
}

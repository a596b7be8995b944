namespace MemPrims.Wire;

// Numbers, lengths, and what the schema does not know.
internal unsafe ref partial struct Decoder
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private byte* ReadVarint(byte* p, byte* end, out ulong value)
    {
        if (p < end && *p < 0x80)
        {
            value = *p;
            return p + 1;
        }
        return ReadLongVarint(p, end, out value);
    }

    private byte* ReadLongVarint(byte* p, byte* end, out ulong value)
    {
        int length = LooseVarint.Read(p, end, out value);
        if (length > 0) return p + length;
        throw length == 0 ? Truncated(end) : WireErrors.LongVarint(OffsetOf(p), Path());
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private byte* ReadLongTag(byte* p, byte* end, out uint tag)
    {
        if (end - p >= 2 && p[1] < 0x80)
        {
            tag = (uint)(p[0] & 0x7F | p[1] << 7);
            return p + 2;
        }
        byte* after = ReadLongVarint(p, end, out ulong value);
        if (value > uint.MaxValue || after - p > Codecs.Varint.MaxSize32) throw WireErrors.BadTag(value, OffsetOf(p), Path());
        tag = (uint)value;
        return after;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private byte* ReadLength(byte* p, byte* end, out int length)
    {
        ulong value;
        byte* at;
        if (end - p >= 2 && (*p < 0x80 || p[1] < 0x80))
        {
            // One byte or two, without a branch on which.
            uint more = (uint)*p >> 7;
            value = (uint)*p & 0x7F | (uint)p[1] * more << 7;
            at = p + 1 + more;
        }
        else at = ReadLongVarint(p, end, out value);
        if (value > (ulong)(end - at)) throw WrongLength(value, at, end);
        length = (int)value;
        return at;
    }

    // Skips a field, and keeps it if that is wanted.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private byte* ReadUnknown(Message message, byte* field, byte* p, byte* end, uint tag)
    {
        if (message.Type.IsMessageSet && tag == 0x0B) return ReadSetItem(message, field, p, end);
        _place.Field = -1;
        byte* after = Skip(field, p, end, tag, _depth);
        if (!_options.DiscardUnknown) message.UnknownToFill().Append(new ReadOnlySpan<byte>(field, (int)(after - field)));
        return after;
    }

    // The value at p, whose tag lies at field.
    private byte* Skip(byte* field, byte* p, byte* end, uint tag, int depth)
    {
        if (tag < 8) throw WireErrors.BadTag(tag, OffsetOf(field), Path());
        switch ((WireType)(tag & 7))
        {
            case WireType.Varint: return ReadVarint(p, end, out _);
            case WireType.Bytes: return ReadLength(p, end, out int length) + length;
            case WireType.Fixed32:
                if (end - p < 4) throw Truncated(p);
                return p + 4;
            case WireType.Fixed64:
                if (end - p < 8) throw Truncated(p);
                return p + 8;
            case WireType.StartGroup:
                return SkipGroup(p, end, tag, depth);
            case WireType.EndGroup:
                throw WireErrors.UnexpectedEndGroup((int)(tag >> 3), OffsetOf(field), Path());
            default:
                throw WireErrors.BadTag(tag, OffsetOf(field), Path());
        }
    }

    private byte* SkipGroup(byte* p, byte* end, uint tag, int depth)
    {
        if (depth <= 0) throw WireErrors.TooDeep(_options.MaxDepth, OffsetOf(p), Path());
        if ((depth & 31) == 0 && !RuntimeHelpers.TryEnsureSufficientExecutionStack()) throw WireErrors.NoStack(OffsetOf(p), Path());
        uint endTag = tag + 1;
        while (p < end)
        {
            byte* field = p;
            uint next = *p;
            if (next < 0x80) p++;
            else p = ReadLongTag(p, end, out next);
            if (next == endTag) return p;
            p = Skip(field, p, end, next, depth - 1);
        }
        throw WireErrors.UnclosedGroup((int)(tag >> 3), OffsetOf(p), Path());
    }

    private readonly string Path() => _place.ToString(_root);

    private WireException Truncated(byte* p) => WireErrors.Truncated(OffsetOf(p), Path());

    private WireException WrongLength(ulong value, byte* p, byte* end) => WireErrors.BadLength(value, end - p, OffsetOf(p), Path());
}

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
        throw length == 0 ? Fault(WireErrors.Truncated, end) : Fault(WireErrors.LongVarint, p);
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
        if (value > uint.MaxValue || after - p > Codecs.Varint.MaxSize32) throw Fault(WireErrors.BadTag(value), p);
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
        if (value > (ulong)(end - at)) throw Fault(WireErrors.BadLength(value, end - at), at);
        length = (int)value;
        return at;
    }

    // Skips a field, and keeps it if that is wanted. Of a message set, an item is a field.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private byte* ReadUnknown(Message message, byte* field, byte* end)
    {
        _place.Field = -1;
        WireScanner scan = new(new(field, (int)(end - field)), OffsetOf(field));
        bool isItem;
        int number = 0;
        long at = -1;
        ReadOnlySpan<byte> content = default;
        try
        {
            scan.Next();
            isItem = message.Type.IsMessageSet && scan.Is(1, WireType.StartGroup);
            if (isItem) content = scan.SetItem(out number, out at, _depth);
            else scan.Skip(_depth);
        }
        catch (WireException e)
        {
            throw new WireException(e.Reason, e.Offset, Path(), e);
        }
        byte* after = _start + scan.Offset;
        // An item without a number or without a message says nothing.
        if (isItem && (number == 0 || at < 0)) return after;
        int index = isItem ? message.Type.IndexOf((uint)number) : -1;
        if (index >= 0)
        {
            _place.Field = index;
            byte* inner = _start + at;
            ReadMessage(message, ref message.Type.Ops[index], index, inner, inner + content.Length, 0);
        }
        else if (!_options.DiscardUnknown) message.UnknownToFill().Append(new ReadOnlySpan<byte>(field, (int)(after - field)));
        return after;
    }

    private readonly string Path() => _place.ToString(_root);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private readonly WireException Fault(string reason, byte* p) => new(reason, OffsetOf(p), Path());
}

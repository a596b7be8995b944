namespace MemPrims.Wire;

// Scans a message for one path. Each level is read to its end: a value that comes later replaces an earlier one, sub-messages that come
// again are merged, so indexes are counted on across them, and another member of a oneof takes away what was found.
internal ref struct PathScanner
{
    private readonly PathStep[] _steps;
    private readonly Span<int> _counts;
    private readonly ReadOnlySpan<byte> _source;

    private bool _isFound;
    private ulong _bits;
    private ReadOnlySpan<byte> _bytes;
    private Message? _message;

    // The entries seen so far of a map that an index is taken of, and the step that takes it. Which entry that is depends on the keys of
    // all of them.
    private Message? _map;
    private int _mapLevel;

    // Makes a scanner; counts has a zero for each step.
    public PathScanner(PathStep[] steps, ReadOnlySpan<byte> source, Span<int> counts)
    {
        _steps = steps;
        _source = source;
        _counts = counts;
        counts.Clear();
    }

    // The number that was found.
    public readonly ulong Bits => _bits;

    // The text or bytes that were found.
    public readonly ReadOnlySpan<byte> Bytes => _bytes;

    // The message that was found.
    public readonly Message? Message => _message;

    public bool Scan()
    {
        Scan(0, _source, 0);
        while (_map is { } map)
        {
            _map = null;
            EnterEntry(map, _mapLevel);
        }
        return _isFound;
    }

    // Goes on in one entry of a map, once all of them are there.
    private void EnterEntry(Message map, int level)
    {
        PathStep step = _steps[level];
        if (map.Count(step.Field) <= step.Index) return;
        Message entry = map.ItemAt<Message>(step.Field, step.Index);
        if (level + 1 < _steps.Length) Scan(level + 1, entry.ToByteArray(), 0);
        else (_message, _isFound) = (entry, true);
    }

    // Entries are merged as in decoding: one whose key comes again takes the place of the first.
    private void GatherEntry(int level, MessageField field, ReadOnlySpan<byte> entry, long offset)
    {
        (_map, _mapLevel) = (_map ?? new(field.Type), level);
        byte[] whole = new byte[2 * Codecs.Varint.MaxSize32 + entry.Length];
        int head = Codecs.Varint.Write(whole, (uint)field.Number << 3 | (uint)WireType.Bytes);
        head += Codecs.Varint.Write(whole.AsSpan(head), (uint)entry.Length);
        entry.CopyTo(whole.AsSpan(head));
        try
        {
            _map.MergeFrom(whole.AsSpan(0, head + entry.Length), s_partial);
        }
        catch (WireException e)
        {
            throw new WireException(e.Reason, e.Offset - head + offset, e.Path, e);
        }
    }

    private void Scan(int level, ReadOnlySpan<byte> message, long offset)
    {
        PathStep step = _steps[level];
        MessageField field = step.Field;
        bool isSet = field.Type.IsMessageSet;
        bool isAlone = field.Oneof is null && !isSet;
        // Values of a list that are not wanted need no look inside, when each has a tag and a length of its own.
        bool isCounted = field.IsRepeated && !field.IsMap && Scalars.WireTypeOf(field.Kind) == WireType.Bytes;
        uint counted = isCounted ? (uint)field.Number << 3 | (uint)WireType.Bytes : 0;
        WireScanner scan = new(message, offset);
        while (true)
        {
            if (isAlone) scan.PassOthers((uint)field.Number, counted, ref _counts[level], step.Index);
            if (!scan.Next()) return;
            if (scan.Number == field.Number && !isSet) Visit(level, step, ref scan, message, offset);
            else if (isSet && scan.Is(1, WireType.StartGroup)) VisitSetItem(level, step, ref scan, message, offset);
            else if (field.Oneof is null) scan.Skip();
            else if (IsSibling(field, ref scan)) Forget(level);
        }
    }

    private void Visit(int level, PathStep step, ref WireScanner scan, ReadOnlySpan<byte> message, long offset)
    {
        MessageField field = step.Field;
        WireType plain = Scalars.WireTypeOf(field.Kind);
        bool isPacked = field.IsRepeated && scan.WireType == WireType.Bytes && plain != WireType.Bytes
            && Scalars.TypeOf(field.Kind) is not null;
        if (scan.WireType != plain && !isPacked)
        {
            scan.Skip();
            return;
        }
        if (isPacked)
        {
            VisitPacked(level, step, scan.Inner());
            return;
        }
        if (Scalars.TypeOf(field.Kind) is not null)
        {
            ulong bits = ReadNumber(field, ref scan);
            if (field.EnumType is { IsClosed: true } type && !type.Has((int)bits)) return;
            if (!field.IsRepeated || _counts[level]++ == step.Index) TakeNumber(field, bits);
            return;
        }
        ReadOnlySpan<byte> content = Content(ref scan, message, out int start);
        if (step.IsKey) VisitEntry(level, step, content, offset + start);
        else if (field.IsMap) GatherEntry(level, field, content, offset + start);
        else if (!field.IsRepeated || _counts[level]++ == step.Index) Enter(level, field, content, offset + start);
    }

    // What is behind the length, or between the tags of a group; where it begins.
    private static ReadOnlySpan<byte> Content(scoped ref WireScanner scan, ReadOnlySpan<byte> message, out int start)
    {
        start = scan.Position;
        if (scan.WireType == WireType.Bytes)
        {
            int length = scan.Bytes().Length;
            start = scan.Position - length;
            return message.Slice(start, length);
        }
        int tag = Codecs.Varint.Size((ulong)(uint)scan.Number << 3);
        scan.Skip();
        return message[start..(scan.Position - tag)];
    }

    private void Enter(int level, MessageField field, ReadOnlySpan<byte> content, long offset)
    {
        if (!field.IsMessage) TakeBytes(field, content, offset);
        else if (level + 1 < _steps.Length) Scan(level + 1, content, offset);
        else
        {
            Decoder.Decode(_message ??= new(field.MessageType!), content, null, 0, s_partial);
            _isFound = true;
        }
    }

    // An entry whose key comes again replaces the whole value.
    private void VisitEntry(int level, PathStep step, ReadOnlySpan<byte> entry, long offset)
    {
        MessageField keyField = step.Field.MessageType!.Fields[0], valueField = step.Field.MessageType.Fields[1];
        ulong keyBits = 0;
        ReadOnlySpan<byte> keyText = default;
        WireScanner scan = new(entry, offset);
        while (scan.Next())
            if (scan.Number != 1 || scan.WireType != Scalars.WireTypeOf(keyField.Kind)) scan.Skip();
            else if (keyField.IsText) keyText = scan.Bytes();
            else keyBits = ReadNumber(keyField, ref scan);
        if (step.KeyText is not null ? !keyText.SequenceEqual(step.KeyText) : keyBits != step.KeyBits) return;

        Forget(level + 1);
        bool hasMore = level + 1 < _steps.Length;
        if (!hasMore && valueField.IsMessage) (_message, _isFound) = (new(valueField.MessageType!), true);
        else if (!hasMore)
        {
            _bits = valueField.Defaults.Bits;
            _bytes = default;
            _isFound = true;
        }
        scan = new(entry, offset);
        while (scan.Next())
        {
            if (scan.Number != 2 || scan.WireType != Scalars.WireTypeOf(valueField.Kind))
            {
                scan.Skip();
                continue;
            }
            if (!valueField.IsMessage && !valueField.IsText)
            {
                ulong bits = ReadNumber(valueField, ref scan);
                TakeNumber(valueField, bits);
                // A value that a closed enum does not declare makes the whole entry unknown.
                if (valueField.EnumType is { IsClosed: true } type && !type.Has((int)bits)) _isFound = false;
                continue;
            }
            ReadOnlySpan<byte> content = Content(ref scan, entry, out int start);
            Enter(level, valueField, content, offset + start);
        }
    }

    private void VisitPacked(int level, PathStep step, WireScanner values)
    {
        while (!values.IsAtEnd)
        {
            values.Restore(step.Field.Number, Scalars.WireTypeOf(step.Field.Kind));
            ulong bits = ReadNumber(step.Field, ref values);
            if (step.Field.EnumType is { IsClosed: true } type && !type.Has((int)bits)) continue;
            if (_counts[level]++ == step.Index) TakeNumber(step.Field, bits);
        }
    }

    private void VisitSetItem(int level, PathStep step, ref WireScanner scan, ReadOnlySpan<byte> message, long offset)
    {
        ReadOnlySpan<byte> item = Content(ref scan, message, out int start), content = default;
        int number = 0, contentStart = 0;
        WireScanner parts = new(item, offset + start);
        bool has = false;
        while (parts.Next())
            if (parts.Is(2, WireType.Varint) && number == 0) number = (int)parts.Varint();
            else if (parts.Is(3, WireType.Bytes) && !has)
            {
                has = true;
                content = Content(ref parts, item, out contentStart);
            }
            else parts.Skip();
        if (has && number == step.Field.Number) Enter(level, step.Field, content, offset + start + contentStart);
    }

    public static ulong ReadNumber(MessageField field, ref WireScanner scan) => ScalarReading.Decode(field.Kind, scan.WireType switch
    {
        WireType.Varint => scan.Varint(),
        WireType.Fixed32 => scan.Fixed32(),
        _ => scan.Fixed64(),
    });

    // Skips another member of the oneof; false if the field is none, or has an enum value that is not declared.
    private static bool IsSibling(MessageField field, ref WireScanner scan)
    {
        foreach (MessageField member in field.Oneof!.Members)
        {
            if (member.Number != scan.Number || scan.WireType != Scalars.WireTypeOf(member.Kind)) continue;
            if (member.EnumType is { IsClosed: true } type) return type.Has((int)scan.Varint());
            scan.Skip();
            return true;
        }
        scan.Skip();
        return false;
    }

    private void TakeNumber(MessageField field, ulong bits)
    {
        _bits = bits;
        _isFound = bits != 0 || field.HasPresence || field.IsRepeated;
    }

    private void TakeBytes(MessageField field, ReadOnlySpan<byte> bytes, long offset)
    {
        if (field.IsUtf8Checked && !Ascii.IsUtf8(bytes)) WireErrors.InvalidUtf8(offset, field.Name);
        _bytes = bytes;
        _isFound = bytes.Length != 0 || field.HasPresence || field.IsRepeated;
    }

    private void Forget(int level)
    {
        for (int i = level; i < _counts.Length; i++) _counts[i] = 0;
        _isFound = false;
        _message = null;
        _map = null;
    }

    private static readonly DecodeOptions s_partial = new() { AllowPartial = true };
}

namespace MemPrims.Wire;

// Scans a message for one path: for its one value, or for every value of a path with [*]. Each level is read to its end: a value that
// comes later replaces an earlier one, sub-messages that come again are merged, so indexes are counted on across them, and another member
// of a oneof takes away what was found.
// The path is cut into parts: one from the top, and one from each value of a list under [*]. A part has one value, or goes on in other
// parts.
internal ref struct PathScanner
{
    // Required fields are not the path's business.
    public static DecodeOptions Options { get; } = new() { AllowPartial = true };

    private readonly PathStep[] _steps;
    private readonly Span<int> _counts;
    private readonly ReadOnlySpan<byte> _source;
    private readonly DecodeOptions _options;
    private readonly bool _asText;
    private readonly List<Slot>? _values;

    private bool _isFound;
    private ulong _bits;
    private ReadOnlySpan<byte> _bytes;
    private Message? _message;
    private long _memory;

    // The first of the values that came from this part.
    private int _firstOfPart;

    // A message with the entries seen so far of a map that an index or [*] is taken of, and the step that takes of them. Which entry has
    // an index depends on the keys of all of them.
    private Message? _map;
    private int _mapLevel;

    // counts: room for a number for each step.
    // asText: whether text is found as a string, not as UTF-8.
    // values: takes every value of the path; null if it has one.
    public PathScanner(PathStep[] steps, ReadOnlySpan<byte> source, Span<int> counts, DecodeOptions options, bool asText,
        List<Slot>? values)
    {
        _steps = steps;
        _source = source;
        _counts = counts;
        _options = options;
        _asText = asText;
        _values = values;
        _memory = options.MaxMemory;
    }

    // What was found, in a slot of no message.
    public readonly Slot Found()
    {
        MessageField field = _steps[^1].Field;
        Slot slot = new() { Bits = _bits, Ref = _message };
        if (_asText && field.Kind == FieldKind.String) slot.Ref = Ascii.MakeString(_bytes);
        else if (field.IsText) slot.Set(_bytes.ToArray());
        return slot;
    }

    // Whether there is a value. All of them are in values, if that is given.
    public bool Scan()
    {
        ScanPart(0, _source, 0);
        return _isFound;
    }

    private void ScanPart(int level, ReadOnlySpan<byte> message, long offset)
    {
        (int first, Message? map, int mapLevel) = (_firstOfPart, _map, _mapLevel);
        _firstOfPart = _values?.Count ?? 0;
        Forget(level);
        Scan(level, message, offset);
        while (_map is { } entries)
        {
            _map = null;
            EnterEntries(_mapLevel, entries);
        }
        if (_isFound) Give(offset);
        (_firstOfPart, _map, _mapLevel) = (first, map, mapLevel);
    }

    // Hands over what was found.
    private void Give(long offset)
    {
        if (_values is null) return;
        if ((_memory -= Decoder.ElementMemory) < 0) throw new WireException(WireErrors.TooMuch(_options.MaxMemory), offset);
        _values.Add(Found());
        _isFound = false;
        _message = null;
    }

    // Goes on in one entry of a map or in all of them, once they are there: merged as in decoding.
    private void EnterEntries(int level, Message map)
    {
        PathStep step = _steps[level];
        bool isMany = step.Index == PathStep.All;
        int count = map.Count(step.Field), end = isMany ? count : Math.Min(count, step.Index + 1);
        for (int i = isMany ? 0 : step.Index; i < end; i++)
        {
            Message entry = map.At<Message>(step.Field, i);
            if (level + 1 == _steps.Length)
            {
                (_message, _isFound) = (entry, true);
                if (isMany) Give(0);
            }
            else if (isMany) ScanPart(level + 1, entry.ToByteArray(), 0);
            else Scan(level + 1, entry.ToByteArray(), 0);
        }
    }

    private void Scan(int level, ReadOnlySpan<byte> message, long offset)
    {
        PathStep step = _steps[level];
        MessageField field = step.Field;
        bool isSet = field.Type.IsMessageSet;
        bool isAlone = field.Oneof is null && !isSet;
        // Values of a list that are not wanted need no look inside, when each has a tag and a length of its own.
        bool isCounted = field.IsRepeated && !field.IsMap && step.Index != PathStep.All
            && Scalars.WireTypeOf(field.Kind) == WireType.Bytes;
        uint counted = isCounted ? (uint)field.Number << 3 | (uint)WireType.Bytes : 0;
        WireScanner scan = new(message, offset);
        while (true)
        {
            if (isAlone) scan.PassOthers((uint)field.Number, counted, ref _counts[level], step.Index);
            if (!scan.Next()) return;
            if (isSet && scan.Is(1, WireType.StartGroup)) VisitSetItem(level, step, ref scan);
            else if (scan.Number == field.Number) Visit(level, step, ref scan);
            else if (field.Oneof is null) scan.Skip();
            else if (IsSibling(field, ref scan)) Forget(level);
        }
    }

    private void Visit(int level, PathStep step, ref WireScanner scan)
    {
        MessageField field = step.Field;
        WireType plain = Scalars.WireTypeOf(field.Kind);
        bool isNumber = Scalars.TypeOf(field.Kind) is not null;
        if (scan.WireType == plain && isNumber) VisitNumber(level, step, ref scan);
        else if (scan.WireType == plain) VisitContent(level, step, ref scan);
        else if (scan.WireType == WireType.Bytes && isNumber && field.IsRepeated)
        {
            WireScanner values = scan.Inner();
            for (values.Expect(field.Number, plain); !values.IsAtEnd;) VisitNumber(level, step, ref values);
        }
        else scan.Skip();
    }

    private void VisitNumber(int level, PathStep step, ref WireScanner scan)
    {
        MessageField field = step.Field;
        ulong bits = ReadNumber(field, ref scan);
        if (field.EnumType is { IsClosed: true } type && !type.Has((int)bits)) return;
        if (!IsWanted(level, step)) return;
        TakeNumber(field, bits);
        if (step.Index == PathStep.All) Give(scan.Offset);
    }

    private void VisitContent(int level, PathStep step, ref WireScanner scan)
    {
        MessageField field = step.Field;
        ReadOnlySpan<byte> content = scan.Content(out long offset);
        if (step.IsKey) VisitEntry(level, step, content, offset);
        else if (field.IsMap) AddEntry(level, field, content, offset);
        else if (!IsWanted(level, step)) return;
        else if (step.Index != PathStep.All) Enter(level, field, content, offset);
        else if (level + 1 < _steps.Length) ScanPart(level + 1, content, offset);
        else
        {
            Enter(level, field, content, offset);
            Give(offset);
        }
    }

    private readonly bool IsWanted(int level, PathStep step) =>
        !step.Field.IsRepeated || step.Index == PathStep.All || _counts[level]++ == step.Index;

    private void Enter(int level, MessageField field, ReadOnlySpan<byte> content, long offset)
    {
        if (!field.IsMessage) TakeBytes(field, content, offset);
        else if (level + 1 < _steps.Length) Scan(level + 1, content, offset);
        else
        {
            Decode(_message ??= field.MessageType!.New(), content, offset);
            _isFound = true;
        }
    }

    private void AddEntry(int level, MessageField field, ReadOnlySpan<byte> entry, long offset)
    {
        _map ??= field.Type.New();
        _mapLevel = level;
        UnknownFields whole = new();
        whole.Append(field.Number, WireType.Bytes, (ulong)entry.Length);
        int head = whole.Length;
        whole.Append(entry);
        Decode(_map, whole.Span, offset - head);
    }

    // offset: where in the whole input the bytes begin.
    private void Decode(Message message, ReadOnlySpan<byte> bytes, long offset)
    {
        try
        {
            Decoder.Decode(message, bytes, null, 0, _options, ref _memory);
        }
        catch (WireException e) when (e.Offset >= 0)
        {
            throw new WireException(e.Reason, e.Offset + offset, e.Path, e);
        }
    }

    // An entry whose key comes again replaces the whole value.
    private void VisitEntry(int level, PathStep step, ReadOnlySpan<byte> entry, long offset)
    {
        MessageField keyField = step.Field.MessageType!.Fields[0], valueField = step.Field.MessageType.Fields[1];
        ulong keyBits = 0;
        ReadOnlySpan<byte> keyText = default;
        bool hasDeclared = false, hasOther = false;
        WireScanner scan = new(entry, offset);
        while (scan.Next())
            if (valueField.EnumType is { IsClosed: true } closed && scan.Is(2, WireType.Varint))
            {
                bool isDeclared = closed.Has((int)scan.Varint());
                hasDeclared |= isDeclared;
                hasOther |= !isDeclared;
            }
            else if (scan.Number != 1 || scan.WireType != Scalars.WireTypeOf(keyField.Kind)) scan.Skip();
            else if (keyField.IsText) keyText = scan.Bytes();
            else keyBits = ReadNumber(keyField, ref scan);
        if (step.KeyText is not null ? !keyText.SequenceEqual(step.KeyText) : keyBits != step.KeyBits) return;
        // Where the enum declares none of the values, the whole entry is an unknown field.
        if (hasOther && !hasDeclared) return;
        Forget(level + 1);
        // An entry without a value has its zero.
        if (level + 2 == _steps.Length)
        {
            (_isFound, _bits, _message) = (true, valueField.Defaults.Bits, valueField.MessageType?.New());
            _bytes = default;
        }
        Scan(level + 1, entry, offset);
    }

    private void VisitSetItem(int level, PathStep step, ref WireScanner scan)
    {
        ReadOnlySpan<byte> content = scan.SetItem(out int number, out long at);
        if (at >= 0 && number == step.Field.Number) Enter(level, step.Field, content, at);
    }

    private static ulong ReadNumber(MessageField field, ref WireScanner scan) => Scalars.OfWire(field.Kind, scan.Raw());

    // Skips another member of the oneof; false if the field is none, or has an enum value that is not declared.
    private static bool IsSibling(MessageField field, ref WireScanner scan)
    {
        int index = field.Type.IndexOf((uint)scan.Number);
        MessageField? member = index < 0 ? null : field.Type.Ops[index].Field;
        bool isSibling = member is not null && member.Oneof == field.Oneof && scan.WireType == Scalars.WireTypeOf(member.Kind);
        if (isSibling && member!.EnumType is { IsClosed: true } type) return type.Has((int)scan.Varint());
        scan.Skip();
        return isSibling;
    }

    private void TakeNumber(MessageField field, ulong bits)
    {
        _bits = bits;
        _isFound = bits != 0 || field.HasPresence || field.IsRepeated;
    }

    private void TakeBytes(MessageField field, ReadOnlySpan<byte> bytes, long offset)
    {
        if (field.IsUtf8Checked && !Ascii.IsUtf8(bytes)) throw new WireException(WireErrors.InvalidUtf8, offset, field.Name);
        _bytes = bytes;
        _isFound = bytes.Length != 0 || field.HasPresence || field.IsRepeated;
    }

    private void Forget(int level)
    {
        for (int i = level; i < _counts.Length; i++) _counts[i] = 0;
        _isFound = false;
        _message = null;
        _map = null;
        _values?.RemoveRange(_firstOfPart, _values.Count - _firstOfPart);
    }
}

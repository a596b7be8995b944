namespace MemPrims.Wire;

// Messages in messages: after a length, as groups, in lists and maps.
internal unsafe ref partial struct Decoder
{
    // A message up to end, or, of a group, up to its end tag.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private byte* ReadMessage(Message message, ref FieldOp op, int index, byte* p, byte* end, uint endTag)
    {
        if (op.IsInOneof) message.ClearOthers(op.Field);
        bool wasSet = message.IsSet(index);
        if (_lazy is not null && !wasSet && endTag == 0)
        {
            message.KeepLazy(_lazy, _depth);
            StoreBytes(ref message.Claim(index), p, (int)(end - p));
            return end;
        }
        ref Slot slot = ref message.Claim(index);
        // A field that comes again is merged into what came before.
        Message inner = wasSet ? Continue(message, ref slot, op.Type!) : Recycle(ref slot, op.Type!);
        return Descend(inner, index, -1, p, end, endTag);
    }

    // Whether a value that the enum does not declare is among the unknown fields of an entry.
    private static bool HasValue(ReadOnlySpan<byte> unknown)
    {
        WireScanner scan = new(unknown, 0);
        while (scan.Next())
        {
            if (scan.Is(2, WireType.Varint)) return true;
            scan.Skip(int.MaxValue);
        }
        return false;
    }

    private byte* ReadElement(Message message, ref FieldOp op, int index, byte* field, byte* p, byte* end, uint tag)
    {
        int size = 0;
        bool isGroup = op.Code == (Op.Repeated | Op.Group);
        if (!isGroup) p = ReadLength(p, end, out size);
        Charge(ElementMemory, p);
        if (op.Type!.IsMapEntry) return ReadEntry(message, ref op, index, field, p, size);
        if (_lazy is not null && !isGroup)
        {
            message.KeepLazy(_lazy, _depth);
            StoreBytes(ref message.ClaimList(index).Add(), p, size);
            return p + size;
        }
        SlotList list = message.ClaimList(index);
        Message inner = Recycle(ref list.Add(), op.Type);
        int element = list.Count - 1;
        return isGroup ? Descend(inner, index, element, p, end, tag + 1) : Descend(inner, index, element, p, p + size, 0);
    }

    private byte* ReadEntry(Message message, ref FieldOp op, int index, byte* field, byte* p, int size)
    {
        SlotList list = message.ClaimList(index);
        Message entry = Recycle(ref list.Add(), op.Type!);
        // An entry is in the map once it is whole, and the map is set once it has an entry: not when a fault comes before.
        int before = --list.Count;
        try
        {
            p = Descend(entry, index, before, p, p + size, 0);
            list.Count++;
            SettleEntry(message, list, entry, field, p);
        }
        finally
        {
            if (list.Count == 0) message.Unset(index);
        }
        return p;
    }

    // An entry has both key and value; one with a key that was there before takes its place; one with an enum value that is not
    // declared is unknown.
    private readonly void SettleEntry(Message message, SlotList list, Message entry, byte* field, byte* after)
    {
        if (!entry.IsSet(1) && entry.Type.Ops[1].Code == Op.ClosedEnum && entry.Unknown is { Length: > 0 } unknown
            && HasValue(unknown.Span))
        {
            list.Count--;
            if (!_options.DiscardUnknown) message.UnknownToFill().Append(new ReadOnlySpan<byte>(field, (int)(after - field)));
            return;
        }
        entry.CompleteEntry(_lends);
        MapIndex.Settle(list);
    }

    // A slot and a short string: what a value of a list takes, whatever its length on the wire. Numbers take their own size.
    internal const int ElementMemory = 48;

    // A list of numbers before the first of them.
    private const int ListMemory = 96;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Charge(long memory, byte* p)
    {
        if ((_memory -= memory) < 0) throw Fault(WireErrors.TooMuch(_options.MaxMemory), p);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private byte* Descend(Message inner, int index, int element, byte* p, byte* end, uint endTag)
    {
        if (--_depth < 0) throw Fault(WireErrors.TooDeep(_options.MaxDepth), p);
        if ((_depth & 31) == 0 && !RuntimeHelpers.TryEnsureSufficientExecutionStack()) throw Fault(WireErrors.NoStack, p);
        Charge(inner.Type.Footprint, p);
        DecodePlace.Level level;
        _place.Enter(&level, index, element);
        p = Read(inner, p, end, endTag);
        _place.Leave();
        _depth++;
        return p;
    }

    // The message that is there already. Its slices may lie in other memory than those to come.
    private readonly Message Continue(Message owner, ref Slot slot, MessageType type)
    {
        Message inner = owner.Inner(ref slot, type, mayMiss: true);
        if (_lends) inner.LendMore(_source!);
        return inner;
    }

    // The message that was in the slot before its owner was cleared, if it is still the owner's.
    private readonly Message Recycle(ref Slot slot, MessageType type)
    {
        Message? inner = slot.Ref as Message;
        if (inner is not null && inner.IsAtHome(type)) inner.Reset();
        else slot.Ref = inner = Message.AtHome(type);
        if (_lends) inner.Lend(_source!);
        return inner;
    }
}

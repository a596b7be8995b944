namespace MemPrims.Wire;

// The rarer kinds of single fields, and all repeated ones.
internal unsafe ref partial struct Decoder
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    private byte* ReadOther(Message message, ref FieldOp op, int index, byte* field, byte* p, byte* end, uint tag)
    {
        int length;
        switch (op.Code)
        {
            case Op.Bytes or Op.RawString:
                p = ReadLength(p, end, out length);
                if (length == 0 && op.IsImplicit)
                {
                    message.Unset(index);
                    return p;
                }
                StoreRaw(op.Code, ref message.Claim(index), p, length);
                if (op.IsInOneof) message.ClearOthers(op.Field);
                return p + length;
            case Op.ClosedEnum:
                p = ReadVarint(p, end, out ulong bits);
                if (!op.Field.EnumType!.Has((int)bits))
                {
                    // An entry of a map keeps it in any case: it tells the map that this is no entry.
                    if (!_options.DiscardUnknown || message.Type.IsMapEntry)
                        message.UnknownToFill().Append(op.Field.Number, WireType.Varint, bits);
                    return p;
                }
                message.Claim(index).Bits = (ulong)(int)bits;
                if (op.IsInOneof) message.ClearOthers(op.Field);
                return p;
            case Op.Group:
                return ReadMessage(message, ref op, index, p, end, tag + 1);
            case Op.Repeated | Op.String:
                p = ReadLength(p, end, out length);
                string? text = ReadText(p, length);
                Charge(ElementMemory, p);
                StoreText(ref message.ClaimList(index).Add(), text, p, length);
                return p + length;
            case Op.Repeated | Op.Bytes or Op.Repeated | Op.RawString:
                p = ReadLength(p, end, out length);
                Charge(ElementMemory, p);
                StoreRaw(op.Code, ref message.ClaimList(index).Add(), p, length);
                return p + length;
            case Op.Repeated | Op.Message or Op.Repeated | Op.Group:
                return ReadElement(message, ref op, index, field, p, end, tag);
            default:
                return ReadRepeated(message, ref op, index, p, end, tag);
        }
    }

    // Scalars, packed or one by one, whichever the schema says.
    private byte* ReadRepeated(Message message, ref FieldOp op, int index, byte* p, byte* end, uint tag)
    {
        bool isPacked = (tag & 7) == (uint)WireType.Bytes;
        if (!message.IsSet(index)) Charge(ListMemory, p);
        switch (op.Code & ~Op.Repeated)
        {
            case Op.Int32 or Op.Enum: return ReadVarints<int, Plain>(message, index, p, end, isPacked);
            case Op.Int64: return ReadVarints<long, Plain>(message, index, p, end, isPacked);
            case Op.UInt32: return ReadVarints<uint, Plain>(message, index, p, end, isPacked);
            case Op.UInt64: return ReadVarints<ulong, Plain>(message, index, p, end, isPacked);
            case Op.Bool: return ReadVarints<bool, Plain>(message, index, p, end, isPacked);
            case Op.SInt32: return ReadVarints<int, ZigZag32>(message, index, p, end, isPacked);
            case Op.SInt64: return ReadVarints<long, ZigZag64>(message, index, p, end, isPacked);
            case Op.ClosedEnum: return ReadClosedEnums(message, ref op, index, p, end, isPacked);
            case Op.Float: return ReadFixed<float>(message, index, p, end, isPacked);
            case Op.Double: return ReadFixed<double>(message, index, p, end, isPacked);
            case Op.Fixed32: return ReadFixed<uint>(message, index, p, end, isPacked);
            case Op.Fixed64: return ReadFixed<ulong>(message, index, p, end, isPacked);
            case Op.SFixed32: return ReadFixed<int>(message, index, p, end, isPacked);
            default: return ReadFixed<long>(message, index, p, end, isPacked);
        }
    }

    private byte* ReadVarints<T, TForm>(Message message, int index, byte* p, byte* end, bool isPacked)
        where T : unmanaged
        where TForm : struct, IForm
    {
        if (!isPacked)
        {
            p = ReadVarint(p, end, out ulong value);
            Charge(sizeof(T), p);
            message.ClaimScalars<T>(index).Add(Scalars.FromBits<T>(TForm.Of(value)));
            return p;
        }
        p = ReadLength(p, end, out int length);
        if (length == 0) return p;
        byte* stop = p + length;
        if (stop[-1] >= 0x80) throw Fault(WireErrors.Truncated, stop);
        // Each value ends with a byte below 128: count them, then fill the room.
        int count = CountEnds(p, length);
        Charge((long)count * sizeof(T), p);
        ScalarList<T> list = message.ClaimScalars<T>(index);
        int before = list.Count;
        Span<T> values = list.Extend(count);
        try
        {
            Fill<T, TForm>(values, p, stop);
        }
        catch
        {
            // Values that were not read are not in the list.
            list.Count = before;
            if (before == 0) message.Unset(index);
            throw;
        }
        return stop;
    }

    private void Fill<T, TForm>(Span<T> values, byte* p, byte* stop)
        where T : unmanaged
        where TForm : struct, IForm
    {
        for (int i = 0; i < values.Length; i++)
        {
            p = ReadVarint(p, stop, out ulong value);
            values[i] = Scalars.FromBits<T>(TForm.Of(value));
        }
    }

    private static int CountEnds(byte* p, int length)
    {
        int count = 0, i = 0;
        for (; i <= length - 8; i += 8)
            count += 8 - BitOperations.PopCount(Unsafe.ReadUnaligned<ulong>(p + i) & 0x8080_8080_8080_8080);
        for (; i < length; i++) count += p[i] < 0x80 ? 1 : 0;
        return count;
    }

    private byte* ReadClosedEnums(Message message, ref FieldOp op, int index, byte* p, byte* end, bool isPacked)
    {
        byte* stop = end;
        if (isPacked)
        {
            p = ReadLength(p, end, out int length);
            stop = p + length;
        }
        do
        {
            if (p == stop && isPacked) break;
            p = ReadVarint(p, stop, out ulong value);
            if (op.Field.EnumType!.Has((int)value))
            {
                Charge(sizeof(int), p);
                message.ClaimScalars<int>(index).Add((int)value);
            }
            else if (!_options.DiscardUnknown) message.UnknownToFill().Append(op.Field.Number, WireType.Varint, value);
        }
        while (isPacked);
        return p;
    }

    private byte* ReadFixed<T>(Message message, int index, byte* p, byte* end, bool isPacked)
        where T : unmanaged
    {
        int length = sizeof(T);
        if (isPacked) p = ReadLength(p, end, out length);
        else if (end - p < sizeof(T)) throw Fault(WireErrors.Truncated, p);
        if (length % sizeof(T) != 0) throw Fault(WireErrors.NotWhole(sizeof(T)), p);
        if (length == 0) return p;
        Charge(length, p);
        Span<T> room = message.ClaimScalars<T>(index).Extend(length / sizeof(T));
        new ReadOnlySpan<byte>(p, length).CopyTo(MemoryMarshal.AsBytes(room));
        return p + length;
    }

    // How a varint becomes the bits of a number.
    private interface IForm
    {
        static abstract ulong Of(ulong value);
    }

    private readonly struct Plain : IForm
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public static ulong Of(ulong value) => value;
    }

    private readonly struct ZigZag32 : IForm
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public static ulong Of(ulong value) => (ulong)Codecs.Varint.UnZigZag((uint)value);
    }

    private readonly struct ZigZag64 : IForm
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public static ulong Of(ulong value) => (ulong)Codecs.Varint.UnZigZag(value);
    }
}

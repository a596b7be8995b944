namespace MemPrims.Wire;

// Groups, message sets and repeated fields: what writes its tags itself.
internal sealed unsafe partial class BackwardEncoder
{
    // Values written between two looks at the room that is left.
    private const int Chunk = 64, ChunkRoom = Chunk * 16;

    private byte* WriteOther(ref FieldOp op, ref Slot slot, Message message, byte* p)
    {
        switch (op.Code)
        {
            case Op.Group: return WriteGroup(ref op, ref slot, message, p);
            case Op.SetItem: return WriteSetItem(ref op, ref slot, message, p);
            case Op.Repeated | Op.String or Op.Repeated | Op.RawString or Op.Repeated | Op.Bytes:
            case Op.Repeated | Op.Message or Op.Repeated | Op.Group:
                return WriteList(ref op, (SlotList)slot.Ref!, message, p);
            case Op.Repeated | Op.Int32 or Op.Repeated | Op.Enum or Op.Repeated | Op.ClosedEnum:
                return WriteVarints<int, Plain>(ref op, slot.Ref, p);
            case Op.Repeated | Op.Int64: return WriteVarints<long, Plain>(ref op, slot.Ref, p);
            case Op.Repeated | Op.UInt32: return WriteVarints<uint, Plain>(ref op, slot.Ref, p);
            case Op.Repeated | Op.UInt64: return WriteVarints<ulong, Plain>(ref op, slot.Ref, p);
            case Op.Repeated | Op.Bool: return WriteVarints<bool, Plain>(ref op, slot.Ref, p);
            case Op.Repeated | Op.SInt32: return WriteVarints<int, ZigZag>(ref op, slot.Ref, p);
            case Op.Repeated | Op.SInt64: return WriteVarints<long, ZigZag>(ref op, slot.Ref, p);
            case Op.Repeated | Op.Float: return WriteFixed<float>(ref op, slot.Ref, p);
            case Op.Repeated | Op.Double: return WriteFixed<double>(ref op, slot.Ref, p);
            case Op.Repeated | Op.Fixed32: return WriteFixed<uint>(ref op, slot.Ref, p);
            case Op.Repeated | Op.Fixed64: return WriteFixed<ulong>(ref op, slot.Ref, p);
            case Op.Repeated | Op.SFixed32: return WriteFixed<int>(ref op, slot.Ref, p);
            default: return WriteFixed<long>(ref op, slot.Ref, p);
        }
    }

    private byte* WriteList(ref FieldOp op, SlotList list, Message message, byte* p)
    {
        Op element = op.Code & ~Op.Repeated;
        Span<Slot> items = list.Span;
        for (int i = items.Length - 1; i >= 0; i--)
        {
            if (p - _start < Slack) p = Grow(p, Slack);
            ref Slot slot = ref items[i];
            if (element == Op.Group)
            {
                p = WriteGroup(ref op, ref slot, message, p);
                continue;
            }
            if (slot.Ref is string text) p = WriteString(text, op.Field, p);
            else if (element == Op.Message) p = WriteInner(ref slot, message, p);
            else p = WriteSlice(ref slot, message, p);
            p = WriteTag(ref op, p);
        }
        return p;
    }

    private byte* WriteGroup(ref FieldOp op, ref Slot slot, Message message, byte* p)
    {
        p = Varint(p, (uint)op.Field.Number << 3 | (uint)WireType.EndGroup);
        // Read once: a reader on another thread may put the decoded message into the slot meanwhile.
        object? held = slot.Ref;
        if (held is Message inner) p = Descend(inner, p);
        else p = WriteRaw(new Slot { Bits = slot.Bits, Ref = held }.Span(message.Source), p);
        return WriteTag(ref op, p);
    }

    // Start tag of group 1, the number as field 2, the message as field 3, end tag.
    private byte* WriteSetItem(ref FieldOp op, ref Slot slot, Message message, byte* p)
    {
        *--p = 0x0C;
        p = WriteInner(ref slot, message, p);
        *--p = 0x1A;
        p = Varint(p, (uint)op.Field.Number);
        *--p = 0x10;
        *--p = 0x0B;
        return p;
    }

    private byte* WriteVarints<T, TForm>(ref FieldOp op, object? from, byte* p)
        where T : unmanaged
        where TForm : struct, IForm
    {
        ReadOnlySpan<T> values = ((ScalarList<T>)from!).Span;
        bool isPacked = op.IsPacked;
        long before = _end - p;
        for (int i = values.Length; i > 0;)
        {
            int stop = Math.Max(0, i - Chunk);
            if (p - _start < ChunkRoom + Slack) p = Grow(p, ChunkRoom + Slack);
            while (i > stop)
            {
                p = Varint(p, TForm.Of(Scalars.ToBits(values[--i])));
                if (!isPacked) p = WriteTag(ref op, p);
            }
        }
        return isPacked ? WriteTag(ref op, Varint(p, (ulong)(_end - p - before))) : p;
    }

    private byte* WriteFixed<T>(ref FieldOp op, object? from, byte* p)
        where T : unmanaged
    {
        ReadOnlySpan<T> values = ((ScalarList<T>)from!).Span;
        if (op.IsPacked)
        {
            ReadOnlySpan<byte> bytes = MemoryMarshal.AsBytes(values);
            p = WriteRaw(bytes, p);
            return WriteTag(ref op, Varint(p, (uint)bytes.Length));
        }
        for (int i = values.Length - 1; i >= 0; i--)
        {
            if (p - _start < Slack) p = Grow(p, Slack);
            p -= sizeof(T);
            Unsafe.WriteUnaligned(p, values[i]);
            p = WriteTag(ref op, p);
        }
        return p;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static byte* WriteTag(ref FieldOp op, byte* p)
    {
        Unsafe.WriteUnaligned(p - 8, op.TagTop);
        return p - op.TagLength;
    }

    // How the bits of a number become a varint.
    private interface IForm
    {
        static abstract ulong Of(ulong bits);
    }

    private readonly struct Plain : IForm
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public static ulong Of(ulong bits) => bits;
    }

    private readonly struct ZigZag : IForm
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public static ulong Of(ulong bits) => Codecs.Varint.ZigZag((long)bits);
    }
}

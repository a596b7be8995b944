namespace MemPrims.Wire;

// Writes a message from its last field to its first, so that the length of a sub-message is known when it is written. Nothing is
// measured before, whatever the depth. The bytes gather at the end of a scratch buffer of the thread. Long payloads stay where they are
// and are noted as Pieces.
// Numbers and tags are stored as whole words that end where the previous store began. The bytes too many lie below, and the next store
// writes over them. The loop keeps Slack bytes of room below the position for that.
internal sealed unsafe partial class BackwardEncoder : IDisposable
{
    // Payloads of at least this many bytes are referred to, not copied: the same bound as that of a SegmentList.
    public const int SpliceThreshold = Buffers.SegmentList.SpliceThreshold;

    private const int Slack = 64, FirstSize = 4096, LargestKept = 4 << 20;

    [ThreadStatic]
    private static BackwardEncoder? t_own;

    private readonly List<Piece> _pieces = [];
    private byte[] _buffer;
    private byte* _start, _end, _position;
    private long _spliced;
    private int _depth;
    private bool _isInUse;

    private BackwardEncoder() => _buffer = Hold(FirstSize);

    public long Length => _end - _position + _spliced;

    // Encodes a message with the thread's encoder. A stream that encodes while it is written to gets another one.
    public static BackwardEncoder Encode(Message message)
    {
        BackwardEncoder? encoder = t_own;
        if (encoder is null) t_own = encoder = new();
        else if (encoder._isInUse) encoder = new();
        encoder._isInUse = true;
        encoder._position = encoder._end;
        encoder._depth = 0;
        try
        {
            encoder._position = encoder.Write(message, encoder._end);
            return encoder.Length <= int.MaxValue ? encoder : throw WireErrors.TooLong();
        }
        catch
        {
            encoder.Dispose();
            throw;
        }
    }

    // Makes the encoder ready for the next message. A buffer that has grown large is let go.
    public void Dispose()
    {
        if (_pieces.Count > 0) _pieces.Clear();
        _spliced = 0;
        if (_buffer.Length > LargestKept) _buffer = Hold(FirstSize);
        _isInUse = false;
    }

    private byte* Write(Message message, byte* p)
    {
        if (message.Unknown is { Length: > 0 } unknown) p = WriteRaw(unknown.Span, p);
        MessageType type = message.Type;
        ref FieldOp ops = ref MemoryMarshal.GetArrayDataReference(type.Ops);
        ref Slot slots = ref type.IsDense ? ref message.DenseSlot(0) : ref MemoryMarshal.GetArrayDataReference(message.More!.Slots);
        ulong[]? words = null;
        int word = 0, rank = 0;
        uint bits = message.Bits;
        if (!type.IsDense)
        {
            words = message.More!.Words;
            rank = message.More.Count;
            word = words.Length - 1;
            bits = (uint)words[word];
        }
        while (true)
        {
            while (bits == 0)
            {
                if (--word < 0) return p;
                bits = (uint)words![word];
            }
            int index = 31 - BitOperations.LeadingZeroCount(bits);
            bits ^= 1u << index;
            ref Slot slot = ref Unsafe.Add(ref slots, words is null ? index : --rank);
            ref FieldOp op = ref Unsafe.Add(ref ops, word * 32 + index);
            if (p - _start < Slack) p = Grow(p, Slack);
            switch (op.Code)
            {
                case Op.Int32 or Op.Int64 or Op.UInt32 or Op.UInt64 or Op.Bool or Op.Enum or Op.ClosedEnum:
                    p = Varint(p, slot.Bits);
                    break;
                case Op.SInt32 or Op.SInt64:
                    p = Varint(p, Codecs.Varint.ZigZag((long)slot.Bits));
                    break;
                case Op.Fixed32 or Op.SFixed32 or Op.Float:
                    p -= 4;
                    Unsafe.WriteUnaligned(p, (uint)slot.Bits);
                    break;
                case Op.Fixed64 or Op.SFixed64 or Op.Double:
                    p -= 8;
                    Unsafe.WriteUnaligned(p, slot.Bits);
                    break;
                case Op.String or Op.RawString:
                    p = slot.Ref is string text ? WriteString(text, op.Field, p) : WriteSlice(ref slot, message, p);
                    break;
                case Op.Bytes:
                    p = WriteBytes(ref slot, message, p);
                    break;
                case Op.Message:
                    p = WriteInner(ref slot, message, p);
                    break;
                default:
                    p = WriteOther(ref op, ref slot, message, p);
                    continue;
            }
            Unsafe.WriteUnaligned(p - 8, op.TagTop);
            p -= op.TagLength;
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static byte* Varint(byte* p, ulong value)
    {
        if (value < 0x80)
        {
            *--p = (byte)value;
            return p;
        }
        if (value >= VarintWord.TooLarge) return LongVarint(p, value);
        int size = Codecs.Varint.Size(value);
        Unsafe.WriteUnaligned(p - 8, VarintWord.Of(value, size) << (64 - 8 * size));
        return p - size;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static byte* LongVarint(byte* p, ulong value)
    {
        p -= Codecs.Varint.Size(value);
        byte* at = p;
        for (; value >= 0x80; value >>= 7) *at++ = (byte)(value | 0x80);
        *at = (byte)value;
        return p;
    }

    // Length and text. ASCII is as long in UTF-8 as it is in characters, so it is converted right where it belongs.
    private byte* WriteString(string text, MessageField field, byte* p)
    {
        int length = text.Length;
        if (p - _start < length + Slack) p = Grow(p, length + Slack);
        byte* at = p - length;
        if (!Ascii.TryNarrow(ref Unsafe.AsRef(in text.GetPinnableReference()), length, at)) return WriteOtherText(text, field, p);
        return Varint(at, (uint)length);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private byte* WriteOtherText(string text, MessageField field, byte* p)
    {
        long most = 3L * text.Length;
        if (p - _start < most + Slack) p = Grow(p, most + Slack);
        byte* at = p - most;
        OperationStatus status = Utf8.FromUtf16(text, new(at, (int)most), out _, out int length, replaceInvalidSequences: false);
        if (status != OperationStatus.Done) throw MessageErrors.HalfSurrogate(field.Name);
        Block.Copy(p - length, at, length);
        return Varint(p - length, (uint)length);
    }

    // Length and bytes: of text in UTF-8, of bytes, of a message that is encoded already.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private byte* WriteSlice(ref Slot slot, Message message, byte* p)
    {
        int length = slot.Length;
        if (length >= SpliceThreshold) return Splice(ref slot, message, p);
        if (p - _start < length + Slack) p = Grow(p, length + Slack);
        if (length <= 32 && (slot.Ref ?? message.Source) is byte[] array && slot.LiesIn(array))
            Ascii.CopyBackward(array, slot.Offset, length, p);
        else CopySlice(ref slot, message, p);
        return Varint(p - length, (uint)length);
    }

    // The same out of line: in line in two places, it took 10 ms more of a new process to compile.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private byte* WriteBytes(ref Slot slot, Message message, byte* p) => WriteSlice(ref slot, message, p);

    // Out of line: Block.Copy brings much code to its caller, and Write with it in two places took 18 ms of a new process to compile.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void CopySlice(ref Slot slot, Message message, byte* end) =>
        Block.Copy(new Span<byte>(end - slot.Length, slot.Length), slot.Span(message.Source));

    private byte* WriteInner(ref Slot slot, Message message, byte* p)
    {
        object? held = slot.Ref;
        if (held is not Message inner)
        {
            // A reader on another thread may put the decoded message into the slot meanwhile.
            Slot encoded = new() { Bits = slot.Bits, Ref = held };
            return WriteSlice(ref encoded, message, p);
        }
        long before = _end - p + _spliced;
        p = Descend(inner, p);
        return Varint(p, (ulong)(_end - p + _spliced - before));
    }

    private byte* Descend(Message inner, byte* p)
    {
        if ((++_depth & 31) == 0 && !RuntimeHelpers.TryEnsureSufficientExecutionStack()) throw TooDeep(inner);
        p = Write(inner, p);
        _depth--;
        if (p - _start < Slack) p = Grow(p, Slack);
        return p;
    }

    private byte* WriteRaw(ReadOnlySpan<byte> bytes, byte* p)
    {
        if (p - _start < bytes.Length + Slack) p = Grow(p, bytes.Length + Slack);
        p -= bytes.Length;
        bytes.CopyTo(new Span<byte>(p, bytes.Length));
        return p;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private byte* Splice(ref Slot slot, Message message, byte* p)
    {
        ReadOnlyMemory<byte> memory = slot.Memory(message.Source);
        _pieces.Add(new(_end - p, memory));
        _spliced += memory.Length;
        return Varint(p, (uint)memory.Length);
    }

    // Doubles the buffer; the bytes stay at its end.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private byte* Grow(byte* p, long room)
    {
        long used = _end - p;
        if (used + room > Array.MaxLength) throw WireErrors.TooLong();
        byte[] before = _buffer;
        _buffer = Hold((int)Math.Min(Array.MaxLength, Math.Max(2L * before.Length, used + room)));
        Block.Copy(_end - used, p, (nint)used);
        GC.KeepAlive(before);
        return _end - used;
    }

    private byte[] Hold(int size)
    {
        byte[] buffer = GC.AllocateUninitializedArray<byte>(size, pinned: true);
        _start = (byte*)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(buffer));
        _end = _start + size;
        return buffer;
    }

    private static InvalidOperationException TooDeep(Message inner) =>
        new($"A message of {inner.Type.FullName} lies too deep for this thread's stack: "
        + "it contains itself, or is nested deeper than any reader accepts.");

    // A payload that was not copied, and how far from the end of the scratch bytes it belongs.
    private readonly record struct Piece(long FromEnd, ReadOnlyMemory<byte> Memory);
}

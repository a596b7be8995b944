namespace MemPrims.Wire;

// Reads a message by the flat table of its type: tag, index of the field, one switch over its kind. Text and bytes become
// strings and arrays, or, when the memory is lent, slices of it.
internal unsafe ref partial struct Decoder
{
    private readonly Message _root;
    private readonly DecodeOptions _options;
    private readonly byte* _start;

    // The memory that slices lie in, and where in it _start is; null when everything is copied.
    private readonly object? _source;
    private readonly int _sourceOffset;
    private readonly bool _lends;

    // What sub-messages that stay encoded need later; null if all is decoded now.
    private readonly LazyInput? _lazy;

    private DecodePlace _place;
    private int _depth;
    private long _memory;

    private Decoder(Message root, byte* start, object? source, int sourceOffset, DecodeOptions options, LazyInput? lazy, int depth,
        long memory)
    {
        (_root, _source, _sourceOffset, _options, _lazy) = (root, source, sourceOffset, options, lazy);
        _start = start;
        _lends = source is not null;
        (_depth, _memory) = (depth, memory);
        _place = new();
    }

    // Adds what the bytes say to a message. Slices may refer to the source, an array or a memory manager in which the bytes begin at the
    // offset. Without a source everything is copied.
    public static void Decode(Message message, ReadOnlySpan<byte> bytes, object? source, int sourceOffset, DecodeOptions options)
    {
        long memory = options.MaxMemory;
        Decode(message, bytes, source, sourceOffset, options, ref memory);
    }

    // The same with what is left of a budget that several messages share.
    public static void Decode(Message message, ReadOnlySpan<byte> bytes, object? source, int sourceOffset, DecodeOptions options,
        ref long memory)
    {
        if (bytes.Length > options.MaxBytes) throw WireErrors.TooLarge(bytes.Length, options.MaxBytes);
        bool isOwnCopy = source is null && options.LeavesParts;
        if (isOwnCopy)
        {
            // What stays encoded needs memory to stay in: one copy of the whole.
            byte[] copy = bytes.ToArray();
            bytes = copy;
            source = copy;
            sourceOffset = 0;
        }
        if (!options.LeavesParts) Read(message, bytes, source, sourceOffset, options, null, options.MaxDepth, ref memory);
        else
        {
            LazyInput lazy = new(message.Type, source!, isOwnCopy, sourceOffset, bytes.Length, options, new(options.MaxMemory));
            try
            {
                Read(message, bytes, source, sourceOffset, options, lazy, options.MaxDepth, ref memory);
            }
            catch (WireException e) when (e.Whole is null)
            {
                // A fault that comes before, in a part that stays encoded, is the one to tell.
                throw lazy.FaultOf(e, 0);
            }
            lazy.Charge(options.MaxMemory - memory);
        }
        if (message.Type.MayMissRequired && !options.AllowPartial)
            RequiredCheck.Run(message, nameof(DecodeOptions), options.LeavesParts);
    }

    // Decodes what a lazy decoding left encoded, with what is left of its budgets.
    public static void DecodePart(Message message, ReadOnlySpan<byte> bytes, int sourceOffset, DecodeOptions options, LazyInput input,
        int depth, out long used)
    {
        if (depth < 0) throw new WireException(WireErrors.TooDeep(options.MaxDepth), 0);
        long budget = input.MemoryLeft, left = budget - message.Type.Footprint;
        if (left < 0) throw new WireException(WireErrors.TooMuch(options.MaxMemory), 0);
        Read(message, bytes, input.Source, sourceOffset, options, input, depth, ref left);
        used = budget - left;
        if (message.Type.MayMissRequired && !options.AllowPartial)
            RequiredCheck.Run(message, nameof(DecodeOptions), leavesParts: true);
    }

    private static void Read(Message message, ReadOnlySpan<byte> bytes, object? source, int sourceOffset, DecodeOptions options,
        LazyInput? lazy, int depth, ref long memory)
    {
        // An empty span may have no address; positions are compared with one.
        byte none = 0;
        fixed (byte* given = bytes)
        {
            byte* start = given == null ? &none : given;
            Decoder decoder = new(message, start, source, sourceOffset, options, lazy, depth, memory);
            if (source is not null) message.Lend(source);
            decoder.Read(message, start, start + bytes.Length, 0);
            memory = decoder._memory;
        }
    }

    // Reads fields up to end, or up to the end tag of a group; returns where it stopped.
    private byte* Read(Message message, byte* p, byte* end, uint endTag)
    {
        MessageType type = message.Type;
        ref FieldOp ops = ref MemoryMarshal.GetArrayDataReference(type.Ops);
        while (p < end)
        {
            byte* field = p;
            uint tag = *p;
            if (tag < 0x80) p++;
            else p = ReadLongTag(p, end, out tag);
            int index = type.IndexOf(tag >> 3);
            if (index < 0)
            {
                if (tag == endTag && endTag != 0) return p;
                p = ReadUnknown(message, field, end);
                continue;
            }
            _place.Field = index;
            ref FieldOp op = ref Unsafe.Add(ref ops, index);
            if (op.Tag != tag)
            {
                if (tag == endTag && endTag != 0) return p;
                p = tag == op.OtherTag
                    ? ReadRepeated(message, ref op, index, p, end, tag)
                    : ReadUnknown(message, field, end);
                continue;
            }
            ulong bits;
            switch (op.Code)
            {
                case Op.Int64 or Op.UInt64:
                    p = ReadVarint(p, end, out bits);
                    break;
                case Op.Int32 or Op.Enum:
                    p = ReadVarint(p, end, out bits);
                    bits = (ulong)(int)bits;
                    break;
                case Op.UInt32:
                    p = ReadVarint(p, end, out bits);
                    bits = (uint)bits;
                    break;
                case Op.Bool:
                    p = ReadVarint(p, end, out bits);
                    bits = bits != 0 ? 1u : 0;
                    break;
                case Op.SInt32:
                    p = ReadVarint(p, end, out bits);
                    bits = (ulong)(long)(int)Codecs.Varint.UnZigZag((uint)bits);
                    break;
                case Op.SInt64:
                    p = ReadVarint(p, end, out bits);
                    bits = (ulong)Codecs.Varint.UnZigZag(bits);
                    break;
                case Op.Fixed32 or Op.Float:
                    if (end - p < 4) throw Fault(WireErrors.Truncated, p);
                    bits = Unsafe.ReadUnaligned<uint>(p);
                    p += 4;
                    break;
                case Op.SFixed32:
                    if (end - p < 4) throw Fault(WireErrors.Truncated, p);
                    bits = (ulong)Unsafe.ReadUnaligned<int>(p);
                    p += 4;
                    break;
                case Op.Fixed64 or Op.SFixed64 or Op.Double:
                    if (end - p < 8) throw Fault(WireErrors.Truncated, p);
                    bits = Unsafe.ReadUnaligned<ulong>(p);
                    p += 8;
                    break;
                case Op.String:
                    p = ReadLength(p, end, out int length);
                    if (length == 0 && op.IsImplicit) message.Unset(index);
                    else
                    {
                        string? text = ReadText(p, length);
                        StoreText(ref message.Claim(index), text, p, length);
                        if (op.IsInOneof) message.ClearOthers(op.Field);
                        p += length;
                    }
                    continue;
                case Op.Message or Op.SetItem:
                    p = ReadLength(p, end, out int size);
                    p = ReadMessage(message, ref op, index, p, p + size, 0);
                    continue;
                default:
                    p = ReadOther(message, ref op, index, field, p, end, tag);
                    continue;
            }
            if (bits == 0 && op.IsImplicit) message.Unset(index);
            else
            {
                message.Claim(index).Bits = bits;
                if (op.IsInOneof) message.ClearOthers(op.Field);
            }
        }
        if (endTag != 0) throw Fault(WireErrors.UnclosedGroup((int)(endTag >> 3)), p);
        return p;
    }

    // Checked text, as a string; null if the memory is lent. It is read before its slot is claimed: a fault leaves no slot without a
    // value.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private string? ReadText(byte* p, int length)
    {
        if (!_lends) return length == 0 ? "" : Ascii.TryMakeString(p, length) ?? MakeString(p, length);
        if (!Ascii.IsAscii(p, length)) CheckUtf8(p, length);
        return null;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private readonly void StoreText(ref Slot slot, string? text, byte* p, int length)
    {
        if (text is not null) slot.Ref = text;
        else
        {
            slot.Bits = SliceOf(p, length);
            if (slot.Ref is not null) slot.Ref = null;
        }
    }

    private readonly ulong SliceOf(byte* p, int length) => Slot.Slice(_sourceOffset + (int)(p - _start), length);

    private readonly long OffsetOf(byte* p) => p - _start;

    private void StoreBytes(ref Slot slot, byte* p, int length)
    {
        if (_lends)
        {
            slot.Bits = SliceOf(p, length);
            if (slot.Ref is not null) slot.Ref = null;
        }
        else slot.Set(new ReadOnlySpan<byte>(p, length).ToArray());
    }

    // Bytes, or text that the schema does not want checked: it stays bytes if it is not UTF-8.
    private void StoreRaw(Op code, ref Slot slot, byte* p, int length)
    {
        if (_lends || (code & ~Op.Repeated) == Op.Bytes || !Utf8.IsValid(new ReadOnlySpan<byte>(p, length)))
            StoreBytes(ref slot, p, length);
        else slot.Ref = Encoding.UTF8.GetString(p, length);
    }

    // Text that is not all ASCII. If it is short, it is checked, counted and converted in one pass rather than in three.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private string MakeString(byte* p, int length)
    {
        const int Short = 256;
        if (length <= Short)
        {
            char* made = stackalloc char[Short];
            OperationStatus status = Utf8.ToUtf16(new(p, length), new(made, Short), out _, out int count,
                replaceInvalidSequences: false);
            if (status == OperationStatus.Done) return new(made, 0, count);
        }
        CheckUtf8(p, length);
        return Encoding.UTF8.GetString(p, length);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void CheckUtf8(byte* p, int length)
    {
        if (!Utf8.IsValid(new ReadOnlySpan<byte>(p, length))) throw Fault(WireErrors.InvalidUtf8, p);
    }
}

using MemPrims.Codecs;

#pragma warning disable CS1591 // IReader documents the members without a comment, and editors show its text for them.
namespace MemPrims.Buffers;

/// <summary>
/// Reads what the appenders wrote from a sequence, for example that of a <see cref="SegmentList"/> or of a pipe. An item may lie in
/// several segments. A read that fails does not move. Assign <see cref="Position"/> to go back.
/// </summary>
public ref partial struct SegmentReader : IReader
{
    // The current segment and the place in it. Reads that end before the segment does use only these three. They pass the address of no
    // field to another method, so the JIT keeps the fields in registers through a loop of reads, as with SpanReader. Every other read is a
    // static method that takes a copy of the reader and returns it: SegmentReader.Slow.cs.
    private ref byte _start;
    private int _length, _at;

    // The rest is used only at the end of a segment. _before is the position of the current segment in the source.
    private readonly ReadOnlySequence<byte> _source;
    private readonly long _total;
    private SequencePosition _current, _next;
    private long _before;

    /// <summary>Reads a sequence from its first byte on.</summary>
    [OverloadResolutionPriority(1)] // For `default` and `new(…)` as the argument, which could be a list as well.
    public SegmentReader(scoped in ReadOnlySequence<byte> source)
    {
        _source = source;
        _total = source.Length;
        Position = 0;
    }

    /// <summary>Reads a list from its first byte on. The list must not be cut, cleared or disposed meanwhile.</summary>
    public SegmentReader(SegmentList source)
        : this((source ?? throw new ArgumentNullException(nameof(source))).AsSequence())
    {
    }

    /// <summary>Where the next read begins. Assign it to go back or ahead.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The source has no such place.</exception>
    public long Position
    {
        readonly get => _before + _at;
        set
        {
            ArgumentOutOfRangeException.ThrowIfGreaterThan((ulong)value, (ulong)_total, nameof(value));
            _next = _source.GetPosition(value);
            _before = value;
            _length = _at = 0;
            NextSegment();
        }
    }

    public readonly long Remaining => _total - Position;

    public int MaxLength
    {
        readonly get;
        init
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value);
            field = value;
        }
    } = int.MaxValue;

    public OperationStatus Status { readonly get; private set; }

    public readonly ReadOnlySpan<byte> Unread
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => MemoryMarshal.CreateReadOnlySpan(ref Here, _length - _at);
    }

    private readonly ref byte Here
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => ref Unsafe.Add(ref _start, (nint)(uint)_at);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Advance(long bytes)
    {
        if ((ulong)bytes < (ulong)(_length - _at)) _at += (int)bytes;
        else this = AdvanceAcross(this, bytes);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryRead<T>(out T value)
        where T : unmanaged => TryRead<LittleEndian<T>, T>(out value);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public unsafe T Read<T>()
        where T : unmanaged
    {
        // Not by the codec: ten mixed fields took 22.4 ns in place of 9.5 ("Reading ten mixed fields").
        Scalar.Require<T>();
        // The last item of a segment is left to the slow method, which also moves to the next segment.
        if (_at < _length - sizeof(T) && (typeof(T) != typeof(bool) || Here <= 1))
        {
            T value = Unsafe.ReadUnaligned<T>(ref Here);
            _at += sizeof(T);
            return value;
        }
        Moved<T> moved = ReadSlow<LittleEndian<T>, T>(this);
        this = moved.Reader;
        return moved.Value;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ulong ReadVarint()
    {
        if (_at <= _length - Varint.ShortReach)
        {
            ulong value = Varint.ReadShort(ref Here, out int size);
            if (size != 0)
            {
                _at += size;
                return value;
            }
        }
        Moved<ulong> moved = ReadSlow<Varint, ulong>(this);
        this = moved.Reader;
        return moved.Value;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryRead<TCodec, TValue>(out TValue value)
        where TCodec : ICodec<TCodec, TValue>
    {
        // The last item of a segment is left to the slow method, which also moves to the next segment.
        if (TCodec.MaxSize != int.MaxValue && !TCodec.TakesAll && TCodec.Read(Unread, out value, out int consumed) == OperationStatus.Done
            && (uint)consumed < (uint)(_length - _at))
        {
            _at += consumed;
            return true;
        }
        Moved<(bool IsRead, TValue Value)> moved = TryReadSlow<TCodec, TValue>(this);
        this = moved.Reader;
        value = moved.Value.Value;
        return moved.Value.IsRead;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public TValue Read<TCodec, TValue>()
        where TCodec : ICodec<TCodec, TValue> => TryRead<TCodec, TValue>(out TValue value) ? value
            : throw BufferErrors.NoItem(Status, TCodec.Name, Position, Remaining);

    /// <summary>Copies a block that WriteBlock wrote.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryReadBlock(scoped Span<byte> destination, out int written)
    {
        int left = _length - _at;
        // Nearly every length is one byte. A PackedLength has more only from 255 on.
        if (left > 0 && Here is var first && first < 0xFF && first < left - 1 && first <= destination.Length && first <= MaxLength)
        {
            Block.Copy(destination, MemoryMarshal.CreateReadOnlySpan(ref Unsafe.Add(ref Here, 1), first));
            _at += 1 + first;
            written = first;
            return true;
        }
        Moved<(bool IsRead, int Written)> moved = ReadBlockSlow(this, destination);
        this = moved.Reader;
        written = moved.Value.Written;
        return moved.Value.IsRead;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryReadText([MaybeNullWhen(false)] out string text)
    {
        int left = _length - _at;
        if (left > 0 && Here is var first && first < 0xFF && first < left - 1 && first <= MaxLength)
        {
            text = Utf8Text.Read(MemoryMarshal.CreateReadOnlySpan(ref Unsafe.Add(ref Here, 1), first));
            if (text is not null)
            {
                _at += 1 + first;
                return true;
            }
        }
        Moved<(bool IsRead, string? Text)> moved = ReadTextSlow(this);
        this = moved.Reader;
        text = moved.Value.Text;
        return moved.Value.IsRead;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public string ReadText() => TryReadText(out string? text) ? text : throw BufferErrors.NoItem(Status, "text", Position, Remaining);

    /// <summary>Finds the next bytes, without a copy.</summary>
    public bool TryReadBytes(long count, out ReadOnlySequence<byte> bytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        if (count > Remaining)
        {
            Status = OperationStatus.NeedMoreData;
            bytes = default;
            return false;
        }
        bytes = _source.Slice(_source.GetPosition(_at, _current), count);
        if (bytes.Length != count) BufferErrors.ThrowSequenceHasAnotherLength(_total, Position + bytes.Length);
        Advance(count);
        return true;
    }

    /// <inheritdoc cref="TryReadBytes"/>
    public ReadOnlySequence<byte> ReadBytes(long count) => TryReadBytes(count, out ReadOnlySequence<byte> bytes) ? bytes
        : throw BufferErrors.NoItem(Status, "run of bytes", Position, Remaining);

    /// <summary>Finds a block that WriteBlock wrote, without a copy.</summary>
    public bool TryReadBlock(out ReadOnlySequence<byte> block)
    {
        SegmentReader start = this;
        block = default;
        OperationStatus status = PeekLength(out int length, out int consumed);
        if (Taken(status, consumed) && TryReadBytes(length, out block)) return true;
        start.Status = Status;
        this = start;
        return false;
    }

    /// <inheritdoc cref="TryReadBlock(out ReadOnlySequence{byte})"/>
    public ReadOnlySequence<byte> ReadBlock() => TryReadBlock(out ReadOnlySequence<byte> block) ? block
        : throw BufferErrors.NoItem(Status, "block", Position, Remaining);
}

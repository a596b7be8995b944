using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using MemPrims.Codecs;

namespace MemPrims.Buffers;

/// <summary>
/// Reads what the appenders wrote from a sequence, for example that of a <see cref="SegmentList"/> or of a pipe. An item may lie in
/// several segments. A read that fails does not move. Assign <see cref="Position"/> to go back.
/// </summary>
public ref partial struct SegmentReader : IReader
{
    // The current segment and the place in it. Reads that end before the segment does use only these three. They pass the address of no
    // field to another method, so the JIT keeps the fields in registers through a loop of reads, as with SpanReader. Every other read is a
    // static method that takes and returns the whole reader: see SegmentReader.Slow.
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
        : this(source.AsSequence())
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

    /// <inheritdoc/>
    public readonly long Remaining => _total - Position;

    /// <inheritdoc/>
    public int MaxLength
    {
        readonly get;
        init
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value);
            field = value;
        }
    } = int.MaxValue;

    /// <inheritdoc/>
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

    readonly bool IReader.GoesOn => _before + _length < _total;

    readonly int IReader.Peek(scoped Span<byte> destination)
    {
        int size = Math.Min(destination.Length, _length - _at);
        Unread[..size].CopyTo(destination);
        // The walk begins at the current segment. From the beginning of the source it would take a step for each earlier segment.
        SequencePosition next = _next;
        while (size < destination.Length && _source.TryGet(ref next, out ReadOnlyMemory<byte> memory))
        {
            int part = Math.Min(destination.Length - size, memory.Length);
            memory.Span[..part].CopyTo(destination[size..]);
            size += part;
        }
        return size;
    }

    /// <inheritdoc/>
    /// <exception cref="ArgumentOutOfRangeException">Fewer are left, or the number is negative.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Advance(long bytes)
    {
        if ((ulong)bytes < (ulong)(_length - _at)) _at += (int)bytes;
        else this = AdvanceAcross(this, bytes);
    }

    /// <summary>Reads a primitive, an enum, a Guid, an Int128, a UInt128 or a Half. A bool is 0 or 1.</summary>
    /// <exception cref="DamagedDataException">There is no such item here.</exception>
    /// <exception cref="NotSupportedException">Any other type: it might have padding.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public unsafe T Read<T>()
        where T : unmanaged
    {
        Scalar.Require<T>();
        // The last item of a segment is left to the slow method, which also moves to the next segment.
        if (_at < _length - sizeof(T) && (typeof(T) != typeof(bool) || Here <= 1))
        {
            T value = Unsafe.ReadUnaligned<T>(ref Here);
            _at += sizeof(T);
            return value;
        }
        Moved<T> moved = ReadSlow<T>(this);
        this = moved.Reader;
        return moved.Value;
    }

    /// <summary>Reads a number of WriteVarint.</summary>
    /// <exception cref="DamagedDataException">There is no such item here.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ulong ReadVarint()
    {
        if (_at <= _length - ShortVarint.Reach)
        {
            ulong value = ShortVarint.Read(ref Here, out int size);
            if (size != 0)
            {
                _at += size;
                return value;
            }
        }
        Moved<ulong> moved = ReadVarintSlow(this);
        this = moved.Reader;
        return moved.Value;
    }

    /// <summary>Reads a signed number of WriteZigZag.</summary>
    /// <exception cref="DamagedDataException">There is no such item here.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public long ReadZigZag() => Varint.UnZigZag(ReadVarint());

    /// <summary>
    /// Copies a block that WriteBlock wrote. <see cref="OperationStatus.DestinationTooSmall"/>: it is longer than the destination.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public OperationStatus TryReadBlock(scoped Span<byte> destination, out int written)
    {
        int left = _length - _at;
        // Nearly every length is one byte. A PackedLength has more only from 255 on.
        if (left > 0 && Here is var first && first < 0xFF && first < left - 1 && first <= destination.Length && first <= MaxLength)
        {
            Block.Copy(destination, MemoryMarshal.CreateReadOnlySpan(ref Unsafe.Add(ref Here, 1), first));
            _at += 1 + first;
            written = first;
            return OperationStatus.Done;
        }
        Moved<(OperationStatus Status, int Written)> moved = ReadBlockSlow(this, destination);
        this = moved.Reader;
        written = moved.Value.Written;
        return moved.Value.Status;
    }

    /// <summary>Reads a text of WriteText as a string.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public OperationStatus TryReadText(out string? text)
    {
        int left = _length - _at;
        if (left > 0 && Here is var first && first < 0xFF && first < left - 1 && first <= MaxLength)
        {
            text = Utf8Text.Read(MemoryMarshal.CreateReadOnlySpan(ref Unsafe.Add(ref Here, 1), first));
            if (text is null) return OperationStatus.InvalidData;
            _at += 1 + first;
            return OperationStatus.Done;
        }
        Moved<(OperationStatus Status, string? Text)> moved = ReadTextSlow(this);
        this = moved.Reader;
        text = moved.Value.Text;
        return moved.Value.Status;
    }

    /// <summary>Reads a text of WriteText as a string.</summary>
    /// <exception cref="DamagedDataException">There is no such item here.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public string ReadText()
    {
        OperationStatus status = TryReadText(out string? text);
        return status == OperationStatus.Done ? text! : throw ReadErrors.Of(status, "text", Position, Remaining);
    }

    /// <summary>Finds the next bytes, without a copy.</summary>
    public OperationStatus TryReadBytes(long count, out ReadOnlySequence<byte> bytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        bytes = default;
        if (count > Remaining) return OperationStatus.NeedMoreData;
        bytes = _source.Slice(_source.GetPosition(_at, _current), count);
        Advance(count);
        return OperationStatus.Done;
    }

    /// <summary>Finds the next bytes, without a copy.</summary>
    /// <exception cref="DamagedDataException">Fewer are left.</exception>
    public ReadOnlySequence<byte> ReadBytes(long count)
    {
        OperationStatus status = TryReadBytes(count, out ReadOnlySequence<byte> bytes);
        return status == OperationStatus.Done ? bytes : throw ReadErrors.Of(status, "run of bytes", Position, Remaining);
    }

    /// <summary>Finds a block that WriteBlock wrote, without a copy.</summary>
    public OperationStatus TryReadBlock(out ReadOnlySequence<byte> block)
    {
        SegmentReader start = this;
        OperationStatus status = ReaderItems.TryReadLength(ref this, out int length);
        block = default;
        if (status == OperationStatus.Done) status = TryReadBytes(length, out block);
        if (status != OperationStatus.Done) this = start;
        return status;
    }

    /// <summary>Finds a block that WriteBlock wrote, without a copy.</summary>
    /// <exception cref="DamagedDataException">There is no such item here.</exception>
    public ReadOnlySequence<byte> ReadBlock()
    {
        OperationStatus status = TryReadBlock(out ReadOnlySequence<byte> block);
        return status == OperationStatus.Done ? block : throw ReadErrors.Of(status, "block", Position, Remaining);
    }
}

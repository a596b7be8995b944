using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MemPrims.Buffers;

/// <summary>
/// Reads from a sequence, that of a <see cref="SegmentList"/> or of a pipe, what the appenders wrote, wherever its segments end.
/// A read that does not succeed does not move. Assign <see cref="Position"/> to go back.
/// </summary>
public ref struct SegmentReader : IReader
{
    private readonly ReadOnlySequence<byte> _source;
    private readonly long _length;
    private SequencePosition _current, _next;
    private ReadOnlySpan<byte> _segment;
    private long _before;
    private int _at;

    /// <summary>Begins at the beginning of a sequence.</summary>
    public SegmentReader(in ReadOnlySequence<byte> source)
    {
        _source = source;
        _length = source.Length;
        Position = 0;
    }

    /// <summary>Where the next read begins. Assign it to go back or ahead.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The source has no such place.</exception>
    public long Position
    {
        readonly get => _before + _at;
        set
        {
            ArgumentOutOfRangeException.ThrowIfGreaterThan((ulong)value, (ulong)_length, nameof(value));
            _next = _source.GetPosition(value);
            _before = value;
            _at = 0;
            _segment = default;
            NextSegment();
        }
    }

    /// <inheritdoc/>
    public readonly long Remaining => _length - Position;

    /// <inheritdoc/>
    public int MaxLength { readonly get; init; } = int.MaxValue;

    /// <inheritdoc/>
    public readonly ReadOnlySpan<byte> Unread
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _segment[_at..];
    }

    readonly bool IReader.GoesOn => _before + _segment.Length < _length;

    readonly int IReader.Peek(scoped Span<byte> destination)
    {
        int size = Math.Min(destination.Length, _segment.Length - _at);
        _segment.Slice(_at, size).CopyTo(destination);
        // On from here, not from the beginning of the source: that would cost a step for each segment before this one.
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
        if ((ulong)bytes < (ulong)(_segment.Length - _at)) _at += (int)bytes;
        else AdvanceAcross(bytes);
    }

    /// <summary>Reads a primitive, an enum, a Guid, an Int128, a UInt128 or a Half. A bool is 0 or 1.</summary>
    /// <exception cref="DamagedDataException">There is no such item here.</exception>
    /// <exception cref="NotSupportedException">Any other type: it might have padding.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public unsafe T Read<T>()
        where T : unmanaged
    {
        Scalar.Require<T>();
        // The last item of a segment takes the long way, which goes on to the next segment.
        if (_segment.Length - _at <= sizeof(T) || typeof(T) == typeof(bool)) return ReaderItems.Read<SegmentReader, T>(ref this);
        T value = Unsafe.ReadUnaligned<T>(ref Unsafe.Add(ref MemoryMarshal.GetReference(_segment), _at));
        _at += sizeof(T);
        return value;
    }

    /// <summary>Reads a number of WriteVarint.</summary>
    /// <exception cref="DamagedDataException">There is no such item here.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ulong ReadVarint()
    {
        if (_segment.Length - _at <= 1 || _segment[_at] >= 0x80) return ReaderItems.ReadVarint(ref this);
        return _segment[_at++];
    }

    /// <summary>Reads a signed number of WriteZigZag.</summary>
    /// <exception cref="DamagedDataException">There is no such item here.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public long ReadZigZag() => Codecs.Varint.UnZigZag(ReadVarint());

    /// <summary>Finds the next bytes where they lie.</summary>
    public OperationStatus TryReadBytes(long count, out ReadOnlySequence<byte> bytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        bytes = default;
        if (count > Remaining) return OperationStatus.NeedMoreData;
        bytes = _source.Slice(_source.GetPosition(_at, _current), count);
        Advance(count);
        return OperationStatus.Done;
    }

    /// <summary>Finds a block of <see cref="IAppender"/>'s WriteBlock where it lies.</summary>
    public OperationStatus TryReadBlock(out ReadOnlySequence<byte> block)
    {
        SegmentReader start = this;
        OperationStatus status = ReaderItems.TryReadLength(ref this, out int length);
        block = default;
        if (status == OperationStatus.Done) status = TryReadBytes(length, out block);
        if (status != OperationStatus.Done) this = start;
        return status;
    }

    private void AdvanceAcross(long bytes)
    {
        if ((ulong)bytes > (ulong)Remaining) BufferErrors.AdvancedBehindTheEnd(bytes, Remaining);
        while (bytes >= _segment.Length - _at && _before + _segment.Length < _length)
        {
            bytes -= _segment.Length - _at;
            NextSegment();
        }
        _at += (int)bytes;
    }

    // The next segment that has bytes; at the end of the source the last one stays.
    private void NextSegment()
    {
        _before += _segment.Length;
        _at = 0;
        _segment = default;
        for (SequencePosition at = _next; _segment.IsEmpty && _source.TryGet(ref _next, out ReadOnlyMemory<byte> memory); at = _next)
        {
            _current = at;
            _segment = memory.Span;
        }
    }
}

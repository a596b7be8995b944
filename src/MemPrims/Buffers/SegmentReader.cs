using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using MemPrims.Codecs;

namespace MemPrims.Buffers;

/// <summary>
/// Reads from a sequence, that of a <see cref="SegmentList"/> or of a pipe, what the appenders wrote, wherever its segments end.
/// A read that does not succeed does not move. Assign <see cref="Position"/> to go back.
/// </summary>
public ref partial struct SegmentReader : IReader
{
    // The segment at hand and the place in it, for an item that ends before the segment does. These reads give the address of no field
    // away, so the JIT keeps the fields in registers through a loop of them, as with SpanReader. Every other read is static, and takes and
    // returns the whole reader: see SegmentReader.Slow.
    private ref byte _start;
    private int _length, _at;

    // The rest is needed where a segment ends. _before is the position of the segment in the source.
    private readonly ReadOnlySequence<byte> _source;
    private readonly long _total;
    private SequencePosition _current, _next;
    private long _before;

    /// <summary>Begins at the beginning of a sequence.</summary>
    public SegmentReader(in ReadOnlySequence<byte> source)
    {
        _source = source;
        _total = source.Length;
        Position = 0;
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
        // The last item of a segment takes the slow way, which goes on to the next segment.
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
    /// Copies a block of <see cref="IAppender"/>'s WriteBlock. <see cref="OperationStatus.DestinationTooSmall"/>: it is longer than the
    /// destination.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public OperationStatus TryReadBlock(scoped Span<byte> destination, out int written)
    {
        int left = _length - _at;
        // Nearly every length is one byte: PackedLength takes more from 255 on.
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
}

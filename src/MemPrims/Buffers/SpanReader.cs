using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using MemPrims.Codecs;

namespace MemPrims.Buffers;

/// <summary>
/// Reads what the appenders wrote from a span.
/// <code>
/// SpanReader from = new(bytes);
/// int number = from.Read&lt;int&gt;();             // throws DamagedDataException
/// if (from.TryReadText(out string? name) != OperationStatus.Done) …
/// </code>
/// A read that fails does not move. Assign <see cref="Position"/> to go back.
/// </summary>
/// <param name="source">The bytes.</param>
public ref struct SpanReader(ReadOnlySpan<byte> source) : IReader
{
    // No method below passes the address of these fields to another method: the slow ones are static, and take and return values. So the
    // JIT keeps all four in registers through a loop of reads. One instance call in a slow method cost half of the speed ("Reading ten
    // mixed fields").
    private readonly ref byte _start = ref MemoryMarshal.GetReference(source);
    private readonly int _length = source.Length;
    private int _position;

    /// <summary>Where the next read begins. Assign it to go back or ahead.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The source has no such place.</exception>
    public long Position
    {
        readonly get => _position;
        set
        {
            ArgumentOutOfRangeException.ThrowIfGreaterThan((ulong)value, (ulong)_length, nameof(value));
            _position = (int)value;
        }
    }

    /// <inheritdoc/>
    public readonly long Remaining => _length - _position;

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
        get => MemoryMarshal.CreateReadOnlySpan(ref Here, _length - _position);
    }

    private readonly ref byte Here
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => ref Unsafe.Add(ref _start, (nint)(uint)_position);
    }

    readonly bool IReader.GoesOn => false;

    readonly int IReader.Peek(scoped Span<byte> destination)
    {
        int size = Math.Min(destination.Length, _length - _position);
        Unread[..size].CopyTo(destination);
        return size;
    }

    /// <inheritdoc/>
    /// <exception cref="ArgumentOutOfRangeException">Fewer are left, or the number is negative.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Advance(long bytes)
    {
        if ((ulong)bytes > (ulong)(_length - _position)) BufferErrors.AdvancedBehindTheEnd(bytes, _length - _position);
        _position += (int)bytes;
    }

    /// <summary>Reads a primitive, an enum, a Guid, an Int128, a UInt128 or a Half. A bool is 0 or 1.</summary>
    /// <exception cref="DamagedDataException">There is no such item here.</exception>
    /// <exception cref="NotSupportedException">Any other type: it might have padding.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public unsafe T Read<T>()
        where T : unmanaged
    {
        Scalar.Require<T>();
        if (_position > _length - sizeof(T)) throw ReadErrors.Of<T>(OperationStatus.NeedMoreData, _position, _length - _position);
        if (typeof(T) == typeof(bool) && Here > 1) throw ReadErrors.Of<T>(OperationStatus.InvalidData, _position, _length - _position);
        T value = Unsafe.ReadUnaligned<T>(ref Here);
        _position += sizeof(T);
        return value;
    }

    /// <summary>Reads a number of WriteVarint.</summary>
    /// <exception cref="DamagedDataException">There is no such item here.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ulong ReadVarint()
    {
        int position = _position;
        if (position <= _length - ShortVarint.Reach)
        {
            ulong short_ = ShortVarint.Read(ref Here, out int size);
            if (size != 0)
            {
                _position = position + size;
                return short_;
            }
        }
        (ulong value, int bytes) = ReadLong(ref Here, position, _length);
        _position = position + bytes;
        return value;
    }

    /// <summary>Reads a signed number of WriteZigZag.</summary>
    /// <exception cref="DamagedDataException">There is no such item here.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public long ReadZigZag() => Varint.UnZigZag(ReadVarint());

    /// <summary>Finds the next bytes, without a copy.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public OperationStatus TryReadBytes(int count, out ReadOnlySpan<byte> bytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        bytes = default;
        if (count > _length - _position) return OperationStatus.NeedMoreData;
        bytes = MemoryMarshal.CreateReadOnlySpan(ref Here, count);
        _position += count;
        return OperationStatus.Done;
    }

    /// <summary>Finds a block that WriteBlock wrote, without a copy.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public OperationStatus TryReadBlock(out ReadOnlySpan<byte> block)
    {
        int left = _length - _position;
        // Nearly every length is one byte. A PackedLength has more only from 255 on.
        if (left > 0 && Here is var first && first < 0xFF && first < left && first <= MaxLength)
        {
            block = MemoryMarshal.CreateReadOnlySpan(ref Unsafe.Add(ref Here, 1), first);
            _position += 1 + first;
            return OperationStatus.Done;
        }
        BlockPrefix prefix = BlockPrefix.Read(ref Here, left, MaxLength);
        block = MemoryMarshal.CreateReadOnlySpan(ref Unsafe.Add(ref Here, prefix.Size), prefix.Length);
        _position += prefix.Size + prefix.Length;
        return prefix.Status;
    }

    /// <summary>Finds the next bytes, without a copy.</summary>
    /// <exception cref="DamagedDataException">Fewer are left.</exception>
    public ReadOnlySpan<byte> ReadBytes(int count)
    {
        OperationStatus status = TryReadBytes(count, out ReadOnlySpan<byte> bytes);
        return status == OperationStatus.Done ? bytes : throw ReadErrors.Of(status, "run of bytes", _position, _length - _position);
    }

    /// <summary>Finds a block that WriteBlock wrote, without a copy.</summary>
    /// <exception cref="DamagedDataException">There is no such item here.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ReadOnlySpan<byte> ReadBlock()
    {
        OperationStatus status = TryReadBlock(out ReadOnlySpan<byte> block);
        return status == OperationStatus.Done ? block : throw ReadErrors.Of(status, "block", _position, _length - _position);
    }

    /// <summary>Reads a text of WriteText as a string.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public OperationStatus TryReadText(out string? text)
    {
        int before = _position;
        text = null;
        OperationStatus status = TryReadBlock(out ReadOnlySpan<byte> block);
        if (status != OperationStatus.Done) return status;
        text = Utf8Text.Read(block);
        if (text is not null) return status;
        _position = before;
        return OperationStatus.InvalidData;
    }

    /// <summary>Reads a text of WriteText as a string.</summary>
    /// <exception cref="DamagedDataException">There is no such item here.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public string ReadText()
    {
        OperationStatus status = TryReadText(out string? text);
        return status == OperationStatus.Done ? text! : throw ReadErrors.Of(status, "text", _position, _length - _position);
    }

    // Both numbers come back by value. For an out parameter the JIT would keep a local variable of the caller in memory.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static (ulong Value, int Size) ReadLong(ref byte from, int position, int length)
    {
        ReadOnlySpan<byte> unread = MemoryMarshal.CreateReadOnlySpan(ref from, length - position);
        OperationStatus status = Varint.Read(unread, out ulong value, out int size);
        return status == OperationStatus.Done ? (value, size) : throw ReadErrors.Of(status, "varint", position, length - position);
    }
}

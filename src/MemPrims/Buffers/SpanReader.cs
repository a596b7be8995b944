using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using MemPrims.Codecs;

namespace MemPrims.Buffers;

/// <summary>
/// Reads from a span what the appenders wrote.
/// <code>
/// SpanReader from = new(bytes);
/// int number = from.Read&lt;int&gt;();             // throws DamagedDataException
/// if (from.TryReadText(out string? name) != OperationStatus.Done) …
/// </code>
/// A read that does not succeed does not move. Assign <see cref="Position"/> to go back.
/// </summary>
/// <param name="source">The bytes.</param>
public ref struct SpanReader(ReadOnlySpan<byte> source) : IReader
{
    // No method below gives the address of these fields away: slow ways are static and take and return values. So the JIT keeps all four
    // in registers through a loop of reads. One instance call on a slow way cost half of the speed ("Reading ten mixed fields").
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

    /// <summary>Finds the next bytes where they lie.</summary>
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

    /// <summary>Finds a block of <see cref="IAppender"/>'s WriteBlock where it lies.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public OperationStatus TryReadBlock(out ReadOnlySpan<byte> block)
    {
        int left = _length - _position;
        // Nearly every length is one byte: PackedLength takes more from 255 on.
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

    // Both numbers come back by value: an out parameter would take the address of a local variable and keep that in memory.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static (ulong Value, int Size) ReadLong(ref byte from, int position, int length)
    {
        ReadOnlySpan<byte> unread = MemoryMarshal.CreateReadOnlySpan(ref from, length - position);
        OperationStatus status = Varint.Read(unread, out ulong value, out int size);
        return status == OperationStatus.Done ? (value, size) : throw ReadErrors.Of(status, "varint", position, length - position);
    }
}

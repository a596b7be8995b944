using System.Buffers;
using System.Diagnostics.CodeAnalysis;
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
    // Four fields, none of whose addresses leaves the methods below: so the JIT keeps them in registers through a loop of reads.
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
    public int MaxLength { readonly get; init; } = int.MaxValue;

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
        if (_length - _position < sizeof(T)) Fail(OperationStatus.NeedMoreData, typeof(T).Name, _position, _length);
        if (typeof(T) == typeof(bool) && Here > 1) Fail(OperationStatus.InvalidData, nameof(Boolean), _position, _length);
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
        if (position < _length && Here is var first && first < 0x80)
        {
            _position = position + 1;
            return first;
        }
        Number read = ReadLong(ref Here, position, _length);
        _position = position + read.Size;
        return read.Value;
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
        block = default;
        int position = _position, left = _length - position;
        // Nearly every length is one byte: PackedLength takes more from 255 on.
        Number length = left > 0 && Here is var first && first != 0xFF ? new(first, 1) : ReadLength(ref Here, left);
        if (length.Status != OperationStatus.Done) return length.Status;
        if (length.Value > (ulong)MaxLength) return OperationStatus.InvalidData;
        if (length.Value > (ulong)(left - length.Size)) return OperationStatus.NeedMoreData;
        position += length.Size;
        block = MemoryMarshal.CreateReadOnlySpan(ref Unsafe.Add(ref _start, position), (int)length.Value);
        _position = position + (int)length.Value;
        return OperationStatus.Done;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Number ReadLong(ref byte from, int position, int length)
    {
        OperationStatus status = Varint.Read(MemoryMarshal.CreateReadOnlySpan(ref from, length - position), out ulong value, out int consumed);
        if (status != OperationStatus.Done) Fail(status, "varint", position, length);
        return new(value, consumed);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Number ReadLength(ref byte from, int left)
    {
        OperationStatus status = PackedLength.Read(MemoryMarshal.CreateReadOnlySpan(ref from, left), out ulong length, out int consumed);
        return new(length, consumed, status);
    }

    [DoesNotReturn]
    private static void Fail(OperationStatus status, string item, int position, int length) =>
        DamagedDataException.Throw(status, item, position, length - position);

    // Returned by value: an out parameter would take the address of a local and keep it in memory.
    private readonly struct Number(ulong value, int size, OperationStatus status = OperationStatus.Done)
    {
        public readonly ulong Value = value;
        public readonly int Size = size;
        public readonly OperationStatus Status = status;
    }
}

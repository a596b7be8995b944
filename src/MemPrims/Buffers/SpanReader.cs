using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

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
        get => MemoryMarshal.CreateReadOnlySpan(ref Unsafe.Add(ref _start, _position), _length - _position);
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

    /// <summary>Finds the next bytes where they lie.</summary>
    public OperationStatus TryReadBytes(int count, out ReadOnlySpan<byte> bytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        bytes = default;
        if (count > Remaining) return OperationStatus.NeedMoreData;
        bytes = Unread[..count];
        _position += count;
        return OperationStatus.Done;
    }

    /// <summary>Finds a block of <see cref="IAppender"/>'s WriteBlock where it lies.</summary>
    public OperationStatus TryReadBlock(out ReadOnlySpan<byte> block)
    {
        int start = _position;
        OperationStatus status = ReaderItems.TryReadLength(ref this, out int length);
        block = default;
        if (status == OperationStatus.Done) status = TryReadBytes(length, out block);
        if (status != OperationStatus.Done) _position = start;
        return status;
    }
}

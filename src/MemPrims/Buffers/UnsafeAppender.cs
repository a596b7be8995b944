using System.Diagnostics;
using System.Runtime.CompilerServices;
using MemPrims.Codecs;

namespace MemPrims.Buffers;

/// <summary>
/// Appends to a <see cref="SegmentList"/> into a reservation made once, without any check: the fastest, where the sizes are known beforehand.
/// </summary>
/// <remarks>
/// <para><b>Readable range.</b> Nothing is read but what is given. The writes together must stay within the bytes reserved, or, inside a value that
/// encodes itself, within its bound. Only debug builds of the library assert it; publishing more than was reserved throws.</para>
/// <para><b>Overlap.</b> A block that is written must not lie in the reservation.</para>
/// <para><b>Alignment.</b> Any.</para>
/// <para><b>Lifetime.</b> From the constructor to Dispose or Cancel; the list must not be disposed between. A copy, or use after that, is not found out.
/// A body that throws, and `using`: as with <see cref="Appender"/>.</para>
/// <para><b>Wrong length.</b> Writing past the reservation overwrites other memory of the process.</para>
/// </remarks>
public unsafe ref struct UnsafeAppender : IDisposable
{
    // The list and the ticket are null and 0 when closed, and inside a value that encodes itself: the one around it closes.
    private SegmentList? _list;
    private byte* _position, _end;
    private int _ticket;

    /// <summary>Opens an appender with room for so many bytes, side by side; there is one at a time.</summary>
    /// <exception cref="InvalidOperationException">Another one is open.</exception>
    public UnsafeAppender(SegmentList list, long bytes)
    {
        _position = list.Begin(bytes);
        _list = list;
        _end = _position + bytes;
        _ticket = list.Ticket;
    }

    // Inside a value that encodes itself: no list of its own.
    internal UnsafeAppender(byte* position, byte* end)
    {
        _position = position;
        _end = end;
    }

    /// <summary>Where in the list the next byte goes; inside a value that encodes itself, 0.</summary>
    public readonly long Position => _ticket == 0 ? 0 : _list!.PositionOf(_position);

    internal readonly byte* Place => _position;

    /// <inheritdoc cref="Appender.Write{T}(T)"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write<T>(T value)
        where T : unmanaged
    {
        Scalar.Require<T>();
        byte* at = Claim(sizeof(T));
        Unsafe.WriteUnaligned(at, value);
        _position = at + sizeof(T);
    }

    /// <inheritdoc cref="Appender.WriteBigEndian{T}"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteBigEndian<T>(T value)
        where T : unmanaged => Write(Scalar.Swap(value));

    /// <inheritdoc cref="Appender.WriteWithPadding{T}"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteWithPadding<T>(in T value)
        where T : unmanaged
    {
        byte* at = Claim(sizeof(T));
        Unsafe.WriteUnaligned(at, value);
        _position = at + sizeof(T);
    }

    /// <inheritdoc cref="Appender.Write(ReadOnlySpan{byte})"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(ReadOnlySpan<byte> source)
    {
        byte* at = Claim(source.Length);
        Block.Copy(new Span<byte>(at, source.Length), source);
        _position = at + source.Length;
    }

    /// <inheritdoc cref="Appender.WriteUtf8"/>
    public void WriteUtf8(ReadOnlySpan<char> text)
    {
        int size = Utf8Text.Size(text);
        byte* at = Claim(size);
        Utf8Text.Write(at, size, text);
        _position = at + size;
    }

    /// <inheritdoc cref="Appender.WriteBlock"/>
    public void WriteBlock(ReadOnlySpan<byte> source)
    {
        WritePackedLength((ulong)source.Length);
        Write(source);
    }

    /// <inheritdoc cref="Appender.WriteString"/>
    public void WriteString(ReadOnlySpan<char> text)
    {
        int size = Utf8Text.Size(text), prefix = PackedLength.Size((ulong)size);
        byte* at = Claim(prefix + size);
        Utf8Text.Write(PackedLength.Write(at, (ulong)size), size, text);
        _position = at + prefix + size;
    }

    /// <inheritdoc cref="Appender.WriteVarint"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteVarint(ulong value) => _position = Varint.Write(Claim(Varint.Size(value)), value);

    /// <inheritdoc cref="Appender.WriteZigZag"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteZigZag(long value) => WriteVarint(Varint.ZigZag(value));

    /// <inheritdoc cref="Appender.WritePackedLength"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WritePackedLength(ulong value) => _position = PackedLength.Write(Claim(PackedLength.Size(value)), value);

    /// <inheritdoc cref="Appender.WriteSortableUInt"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteSortableUInt(ulong value) => _position = SortableUInt.Write(Claim(SortableUInt.Size(value)), value);

    /// <inheritdoc cref="Appender.WriteLastUInt"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteLastUInt(ulong value) => _position = LastUInt.Write(Claim(LastUInt.Size(value)), value);

    /// <inheritdoc cref="Appender.WriteVarints"/>
    public void WriteVarints(ReadOnlySpan<uint> values)
    {
        while (!values.IsEmpty)
        {
            byte* at = Claim(Varint.Size(values[0]));
            Varint.WriteMany(values, Room(at), out int count, out int written);
            _position = at + written;
            values = values[count..];
        }
    }

    /// <inheritdoc cref="Appender.WriteUIntBatch"/>
    public void WriteUIntBatch(ReadOnlySpan<uint> values)
    {
        byte* at = Claim((int)Math.Min(UIntBatch.Size(values), int.MaxValue));
        UIntBatch.WriteMany(values, Room(at), out _, out int written);
        _position = at + written;
    }

    /// <inheritdoc cref="Appender.LeaveHole"/>
    public Hole LeaveHole(int bytes)
    {
        if (bytes < 0) BufferErrors.NegativeLength(nameof(bytes), bytes);
        byte* at = Claim(bytes);
        if (_ticket == 0) BufferErrors.NoHoleInAValue();
        Hole hole = _list!.Register(at, bytes);
        _position = at + bytes;
        return hole;
    }

    /// <summary>Writes a value that encodes itself, without asking for its bound: the reservation, or the bound of the value around it, holds it.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Append<T>(in T value)
        where T : IEncodable<T>, allows ref struct
    {
        UnsafeAppender to = new(_position, _end);
        T.Encode(in value, ref to);
        _position = to._position;
    }

    /// <inheritdoc cref="Appender.Cancel"/>
    public void Cancel()
    {
        if (_ticket == 0) return;
        int ticket = Close();
        _list!.Cancel(ticket);
    }

    /// <inheritdoc cref="Appender.Dispose"/>
    public void Dispose()
    {
        if (_ticket == 0) return;
        byte* end = _position;
        long tooMuch = end - _end;
        int ticket = Close();
        // Too late for the memory, but not for the list.
        if (tooMuch > 0) SegmentList.FailOverrun(_list, ticket, 0, tooMuch);
        _list!.Publish(end, ticket);
    }

    private int Close()
    {
        int ticket = _ticket;
        _position = null;
        _end = null;
        _ticket = 0;
        return ticket;
    }

    private readonly Span<byte> Room(byte* at) => new(at, (int)(_end - at));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private readonly byte* Claim(int bytes)
    {
        Debug.Assert(_end - _position >= bytes, "A write goes past the bytes reserved.");
        return _position;
    }
}

using System.Runtime.CompilerServices;
using MemPrims.Codecs;

namespace MemPrims.Buffers;

/// <summary>
/// Appends to a <see cref="SegmentList"/> into a reservation made once: every write is compared with its end, and none makes the list grow. A write past
/// it throws, and then nothing of the appender is published.
/// </summary>
/// <remarks>
/// <para>A body that throws, `using` and copies: as with <see cref="Appender"/>. Reserved but unused bytes are free again after Dispose.</para>
/// </remarks>
public unsafe ref struct ReservedAppender : IDisposable
{
    private SegmentList? _list;
    private byte* _position, _end;
    private int _ticket;

    /// <summary>Opens an appender with room for so many bytes, side by side; there is one at a time.</summary>
    /// <exception cref="InvalidOperationException">Another one is open.</exception>
    public ReservedAppender(SegmentList list, long bytes)
    {
        _position = list.Begin(bytes);
        _list = list;
        _end = _position + bytes;
        _ticket = list.Ticket;
    }

    /// <inheritdoc cref="Appender.Position"/>
    public readonly long Position => _ticket == 0 ? 0 : _list!.PositionOf(_position);

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
        Hole hole = _list!.Register(at, bytes);
        _position = at + bytes;
        return hole;
    }

    /// <inheritdoc cref="Appender.Append{T}"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Append<T>(in T value)
        where T : IEncodable<T>, allows ref struct
    {
        int bound = Encodable.Bound(in value);
        byte* at = Claim(bound);
        _position = Encodable.Encode(in value, at, bound, _list!.Limit);
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
        int ticket = Close();
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
        byte* at = _position;
        if (at + bytes > _end) SegmentList.FailOverrun(_list, _ticket, _end - at, bytes);
        return at;
    }
}

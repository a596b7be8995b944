using MemPrims.Codecs;

namespace MemPrims.Buffers;

/// <summary>
/// Appends to a <see cref="SegmentList"/> within a reservation, which is made when it is opened. Every write is checked against its end.
/// A write past the end throws, and then nothing of the appender is published.
/// </summary>
/// <remarks>
/// <para>Commit, Dispose, exceptions and copies are as with <see cref="Appender"/>. Bytes that were reserved but not written are free
/// again afterwards.</para>
/// </remarks>
public ref struct ReservedAppender : IAppender
{
    private Writer<Reserved> _to;

    /// <summary>Opens an appender that has room for <paramref name="bytes"/> bytes, in one segment.</summary>
    /// <exception cref="InvalidOperationException">Another one is open.</exception>
    public ReservedAppender(SegmentList list, long bytes) => _to = new(list, bytes);

    /// <summary>How many bytes of the reservation are left.</summary>
    public readonly long RoomLeft => _to.RoomLeft;

#pragma warning disable CS1591 // IAppender documents these members, and editors show its text for them.
    public readonly long Position => _to.Position;
    public readonly ReadOnlySequence<byte> Written => _to.Written;
    public void Write<TCodec, TValue>(TValue value)
        where TCodec : ICodec<TCodec, TValue> => _to.Write<TCodec, TValue>(value);
    public void Write<T>(T value)
        where T : unmanaged => _to.Write(value);
    public void Write(scoped ReadOnlySpan<byte> source) => _to.Write(source);
    public void WriteBlock(scoped ReadOnlySpan<byte> source) => _to.WriteBlock(source);
    public void WriteText(scoped ReadOnlySpan<char> text) => _to.WriteText(text, withLength: true);
    public void WriteUtf8(scoped ReadOnlySpan<char> text) => _to.WriteText(text, withLength: false);
    public void Append<T>(in T value)
        where T : IEncodable<T>, allows ref struct => _to.Append(in value);
    public void WriteVarint(ulong value) => _to.Write<Varint, ulong>(value);
    public void WriteVarint(long value) => _to.WriteNotNegative(value);
    public void WriteZigZag(long value) => _to.Write<Varint, ulong>(Varint.ZigZag(value));
    public Hole LeaveHole(int bytes) => _to.LeaveHole(bytes);
    public void Commit() => _to.Commit();
    public void Dispose() => _to.Dispose();
}

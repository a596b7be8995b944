using MemPrims.Codecs;

namespace MemPrims.Buffers;

/// <summary>
/// Appends to a <see cref="SegmentList"/> without any check. Its room is reserved once, when it is opened. It is the fastest appender,
/// for writes whose size is known beforehand.
/// </summary>
/// <remarks>
/// <para><b>Readable range.</b> Only what is given to a write is read. All writes together must stay within the bytes reserved, or, inside
/// a value that encodes itself, within its bound. Writing more is noticed only at Commit, or at the end of the value: too late for the
/// memory after it.</para>
/// <para><b>Overlap.</b> A block that is written must not lie in the reservation.</para>
/// <para><b>Alignment.</b> Any.</para>
/// <para><b>Lifetime.</b> From the constructor to Commit or Dispose. The list must not be disposed meanwhile. Writes after that
/// are not noticed. An <see cref="IEncodable{TSelf}"/> may copy it to a local variable while it encodes, and assigns it back at its
/// end.</para>
/// <para><b>Wrong length.</b> Writing past the reservation overwrites other memory of the process.</para>
/// </remarks>
public ref struct UnsafeAppender : IAppender
{
    private Writer<Unchecked> _to;

    /// <summary>Opens an appender that has room for <paramref name="bytes"/> bytes, in one segment.</summary>
    /// <exception cref="InvalidOperationException">Another one is open.</exception>
    public UnsafeAppender(SegmentList list, long bytes) => _to = new(list, bytes);

    internal unsafe UnsafeAppender(byte* position, byte* end, long type) => _to = new(position, end, type);

    internal readonly unsafe byte* Place => _to.Place;

    internal readonly unsafe byte* End => _to.End;

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

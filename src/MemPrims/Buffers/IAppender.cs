using MemPrims.Codecs;

namespace MemPrims.Buffers;

/// <summary>
/// What <see cref="Appender"/>, <see cref="ReservedAppender"/> and <see cref="UnsafeAppender"/> do. A write that throws closes the
/// appender. They are ref structs and share no code by inheritance; this interface holds them to the same members, and documents these.
/// </summary>
internal interface IAppender : IDisposable
{
    /// <summary>The position in the list of the next byte. Inside a value that encodes itself it is 0.</summary>
    long Position { get; }

    /// <summary>What this appender has written so far. It is not published yet. The sequence is valid until the next call.</summary>
    ReadOnlySequence<byte> Written { get; }

    /// <summary>Writes a value in the form of a codec, of this library or of your own.</summary>
    /// <exception cref="InvalidOperationException">The codec wrote more bytes than its MaxSize says; or, where it has none or that is
    /// large, another number than its Size says.</exception>
    void Write<TCodec, TValue>(TValue value)
        where TCodec : ICodec<TCodec, TValue>;

    /// <summary>
    /// Writes a primitive, an enum, a Guid, an Int128, a UInt128 or a Half, little-endian: <see cref="LittleEndian{T}"/>. The codec
    /// <see cref="BigEndian{T}"/> writes the high byte first.
    /// </summary>
    /// <exception cref="NotSupportedException">Any other type: it might have padding. <see cref="AnyBytes{T}"/> writes it as it
    /// lies.</exception>
    void Write<T>(T value)
        where T : unmanaged;

    /// <summary>Writes a block, without its length.</summary>
    void Write(scoped ReadOnlySpan<byte> source);

    /// <summary>Writes a block after its length, a <see cref="PackedLength"/>.</summary>
    void WriteBlock(scoped ReadOnlySpan<byte> source);

    /// <summary>Writes text as UTF-8 after its length in bytes, as <see cref="Text"/> does.</summary>
    /// <exception cref="ArgumentException">The text has half of a surrogate pair.</exception>
    void WriteText(scoped ReadOnlySpan<char> text);

    /// <summary>Writes text as UTF-8, without its length.</summary>
    /// <exception cref="ArgumentException">The text has half of a surrogate pair.</exception>
    void WriteUtf8(scoped ReadOnlySpan<char> text);

    /// <summary>
    /// Writes a value that encodes itself. It is measured once, and then written without checks. An <see cref="UnsafeAppender"/> does not
    /// measure it: the reservation, or the bound of the outer value, includes it.
    /// </summary>
    /// <exception cref="InvalidOperationException">The value wrote more than its bound. The message names its type. The appender is
    /// closed then.</exception>
    void Append<T>(in T value)
        where T : IEncodable<T>, allows ref struct;

    /// <summary>Writes a <see cref="Varint"/>.</summary>
    void WriteVarint(ulong value);

    /// <summary>Writes a number that is not negative, a length for example, as a <see cref="Varint"/>.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The number is negative. <see cref="WriteZigZag"/> writes these.</exception>
    void WriteVarint(long value);

    /// <summary>Writes a signed number as a <see cref="Varint"/>. Small ones of either sign take few bytes.</summary>
    void WriteZigZag(long value);

    /// <summary>Leaves a hole of <paramref name="bytes"/> bytes, in one segment. Fill it before <see cref="Commit"/>.</summary>
    Hole LeaveHole(int bytes);

    /// <summary>Publishes what was written and closes the appender.</summary>
    /// <exception cref="InvalidOperationException">The appender is closed, or a hole is not filled. Nothing of it is
    /// published.</exception>
    void Commit();
}

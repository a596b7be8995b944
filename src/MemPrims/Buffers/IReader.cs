using MemPrims.Codecs;

namespace MemPrims.Buffers;

/// <summary>
/// What <see cref="SpanReader"/> and <see cref="SegmentReader"/> do. Code for either of them takes it by ref:
/// <code>
/// static int ReadPair&lt;TReader&gt;(ref TReader from)
///     where TReader : struct, IReader, allows ref struct =&gt; from.Read&lt;int&gt;() + (int)from.ReadVarint();
/// </code>
/// What WriteX wrote, ReadX reads. If it is not there, that is a <see cref="DamagedDataException"/>; TryReadX answers false then, and
/// <see cref="Status"/> says why. In both cases the reader has not moved. The reads of named items are in <see cref="ReaderItems"/>.
/// </summary>
public interface IReader
{
    /// <summary>How many bytes were read.</summary>
    long Position { get; }

    /// <summary>How many bytes are left.</summary>
    long Remaining { get; }

    /// <summary>
    /// The longest block or text that is read, without its length. Of a codec without a largest size: the longest value with all its
    /// bytes. A longer one is InvalidData, and takes no memory.
    /// </summary>
    int MaxLength { get; }

    /// <summary>
    /// Why the last TryRead that answered false did so. <see cref="OperationStatus.NeedMoreData"/>: the source ends before the item does.
    /// <see cref="OperationStatus.InvalidData"/>: nobody writes such bytes. <see cref="OperationStatus.DestinationTooSmall"/>: the item is
    /// longer than the span that was given. A read that succeeds leaves it as it is; at first it is Done.
    /// </summary>
    OperationStatus Status { get; }

    /// <summary>The next bytes, as many as lie in one piece of memory.</summary>
    ReadOnlySpan<byte> Unread { get; }

    /// <summary>Moves on by <paramref name="bytes"/> bytes.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Fewer are left, or the number is negative.</exception>
    void Advance(long bytes);

    /// <summary>Reads a primitive, an enum, a Guid, an Int128, a UInt128 or a Half: <see cref="LittleEndian{T}"/>.</summary>
    /// <exception cref="NotSupportedException">Any other type: it might have padding.</exception>
    bool TryRead<T>(out T value)
        where T : unmanaged;

    /// <inheritdoc cref="TryRead{T}"/>
    T Read<T>()
        where T : unmanaged;

    /// <summary>Reads a value in the form of a codec, of this library or of your own.</summary>
    bool TryRead<TCodec, TValue>(out TValue value)
        where TCodec : ICodec<TCodec, TValue>;

    /// <inheritdoc cref="TryRead{TCodec, TValue}"/>
    TValue Read<TCodec, TValue>()
        where TCodec : ICodec<TCodec, TValue>;

    /// <summary>Reads a <see cref="Varint"/>, a number of WriteVarint.</summary>
    ulong ReadVarint();

    /// <summary>Reads a text of WriteText: a <see cref="Text"/>.</summary>
    bool TryReadText([MaybeNullWhen(false)] out string text);

    /// <inheritdoc cref="TryReadText"/>
    string ReadText();
}

namespace MemPrims.Buffers;

/// <summary>
/// What <see cref="SpanReader"/> and <see cref="SegmentReader"/> have in common. The reads of items are built from these members, once for
/// both readers, in <see cref="ReaderItems"/>. Code for either reader takes it by ref. In such code Read and TryRead need both types:
/// <code>
/// static int ReadPair&lt;TReader&gt;(ref TReader from)
///     where TReader : struct, IReader, allows ref struct =&gt; from.Read&lt;TReader, int&gt;() + (int)from.ReadVarint();
/// </code>
/// </summary>
public interface IReader
{
    /// <summary>How many bytes were read.</summary>
    long Position { get; }

    /// <summary>How many bytes are left.</summary>
    long Remaining { get; }

    /// <summary>The longest block or text that is read. A longer one is InvalidData, and takes no memory.</summary>
    int MaxLength { get; }

    /// <summary>The next bytes, as many as lie in one piece of memory.</summary>
    ReadOnlySpan<byte> Unread { get; }

    /// <summary>Whether more bytes follow after <see cref="Unread"/>.</summary>
    bool GoesOn { get; }

    /// <summary>Copies the next bytes without moving: as many as the destination takes or the source has. Returns how many.</summary>
    int Peek(scoped Span<byte> destination);

    /// <summary>Moves on by <paramref name="bytes"/> bytes.</summary>
    void Advance(long bytes);
}

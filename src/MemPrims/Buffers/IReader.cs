namespace MemPrims.Buffers;

/// <summary>
/// What <see cref="SpanReader"/> and <see cref="SegmentReader"/> have in common. All reads of items are built from the members here,
/// once, in
/// <see cref="ReaderItems"/>. Code for either reader takes it by ref. There Read and TryRead need both types:
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

    /// <summary>The longest block or text that is believed in. A longer one is InvalidData, before any memory is taken for it.</summary>
    int MaxLength { get; }

    /// <summary>The bytes left that lie side by side from here on.</summary>
    ReadOnlySpan<byte> Unread { get; }

    /// <summary>Whether bytes follow behind <see cref="Unread"/>.</summary>
    bool GoesOn { get; }

    /// <summary>Copies the next bytes, as many as there are, and does not move.</summary>
    int Peek(scoped Span<byte> destination);

    /// <summary>Moves on by so many of the bytes that are left.</summary>
    void Advance(long bytes);
}

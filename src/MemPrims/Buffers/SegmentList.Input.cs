using System.Buffers;
using System.IO.Pipelines;

namespace MemPrims.Buffers;

// Appending what others have, and giving room back.
public sealed partial class SegmentList
{
    /// <summary>Appends everything that the stream still has. If the stream throws, what was read before stays appended.</summary>
    /// <returns>How many bytes these were.</returns>
    public long Append(Stream source)
    {
        ArgumentNullException.ThrowIfNull(source);
        RefuseItself(source);
        long before = Length;
        while (source.Read(GetSpan(LeastRead)) is var read && read > 0) Advance(read);
        return Length - before;
    }

    /// <summary>Appends everything that the stream still has. The list must not be written to meanwhile.</summary>
    /// <returns>How many bytes these were.</returns>
    public async Task<long> AppendAsync(Stream source, CancellationToken cancellation = default)
    {
        ArgumentNullException.ThrowIfNull(source);
        RefuseItself(source);
        long before = Length;
        while (await source.ReadAsync(GetMemory(LeastRead), cancellation).ConfigureAwait(false) is var read && read > 0) Advance(read);
        return Length - before;
    }

    /// <summary>Appends everything that the pipe brings until it is completed. The list must not be written to meanwhile.</summary>
    /// <returns>How many bytes these were.</returns>
    public async Task<long> AppendAsync(PipeReader source, CancellationToken cancellation = default)
    {
        ArgumentNullException.ThrowIfNull(source);
        long before = Length;
        while (true)
        {
            ReadResult result = await source.ReadAsync(cancellation).ConfigureAwait(false);
            Append(result.Buffer);
            source.AdvanceTo(result.Buffer.End);
            if (result.IsCompleted || result.IsCanceled) return Length - before;
        }
    }

    /// <summary>Appends a sequence.</summary>
    public void Append(in ReadOnlySequence<byte> source)
    {
        foreach (ReadOnlyMemory<byte> segment in source) Append(segment.Span);
    }

    /// <summary>
    /// Gives memory that nothing is written in back to the pool: what a cut or cleared list kept for later. The pool in turn leaves
    /// arrays that were not asked for between two full collections to the garbage collector.
    /// </summary>
    public void Trim()
    {
        Refuse();
        for (; _spareArrays is not null; _spareArrays = _spareArrays.SpareBelow)
            if (_spareArrays.GiveUp() is { } array) SegmentPool.Return(array);
        _spareLinks = null;
    }

    private const int LeastRead = 4096;

    // Each byte that was appended would be read again, for ever.
    private void RefuseItself(Stream source)
    {
        if (source is SegmentStream own && own.List == this)
            throw new ArgumentException("The stream reads this very list, so it would never end. Append AsSequence() to double the list.", nameof(source));
    }
}

using System.Buffers;
using System.IO.Pipelines;

namespace MemPrims.Buffers;

// Appending what others have, and giving room back. While a source is being read, nobody else may write to the list: the source fills
// memory that the list would give away otherwise. A list that is disposed meanwhile keeps that memory from the pool.
public sealed partial class SegmentList
{
    private const int LeastRead = 4096;

    /// <summary>Appends everything that the stream still has. If the stream throws, what was read before stays appended.</summary>
    /// <returns>How many bytes these were.</returns>
    /// <exception cref="ArgumentException">The stream is <see cref="AsStream"/> of this very list, and would never end.</exception>
    public long Append(Stream source)
    {
        RefuseItself(source);
        long before = Length;
        while (true)
        {
            Span<byte> room = GetSpan(LeastRead);
            _user = ASource;
            int read;
            try
            {
                read = source.Read(room);
            }
            finally
            {
                SourceHasRead();
            }
            if (read == 0) return Length - before;
            Take(read, room.Length);
        }
    }

    /// <summary>
    /// Appends everything that the stream still has. Until the task ends, the list refuses to be written to. If the stream throws, what
    /// was read before stays appended.
    /// </summary>
    /// <returns>How many bytes these were.</returns>
    /// <exception cref="ArgumentException">The stream is <see cref="AsStream"/> of this very list, and would never end.</exception>
    public async Task<long> AppendAsync(Stream source, CancellationToken cancellation = default)
    {
        RefuseItself(source);
        long before = Length;
        while (true)
        {
            Memory<byte> room = GetMemory(LeastRead);
            _user = ASource;
            int read;
            try
            {
                read = await source.ReadAsync(room, cancellation).ConfigureAwait(false);
            }
            finally
            {
                SourceHasRead();
            }
            if (read == 0) return Length - before;
            Take(read, room.Length);
        }
    }

    /// <summary>
    /// Appends everything that the pipe brings until it is completed. Until the task ends, the list refuses to be written to.
    /// </summary>
    /// <returns>How many bytes these were.</returns>
    /// <exception cref="OperationCanceledException">Somebody called <see cref="PipeReader.CancelPendingRead"/>. What came before stays
    /// appended.</exception>
    public async Task<long> AppendAsync(PipeReader source, CancellationToken cancellation = default)
    {
        ArgumentNullException.ThrowIfNull(source);
        long before = Length;
        while (true)
        {
            Refuse();
            _user = ASource;
            ReadResult result;
            try
            {
                result = await source.ReadAsync(cancellation).ConfigureAwait(false);
            }
            finally
            {
                SourceHasRead();
            }
            SequencePosition consumed = result.Buffer.Start;
            try
            {
                Append(result.Buffer);
                consumed = result.Buffer.End;
            }
            finally
            {
                source.AdvanceTo(consumed);
            }
            if (result.IsCanceled) throw new OperationCanceledException(
                "The read from the pipe was cancelled; what came before stays appended.");
            if (result.IsCompleted) return Length - before;
        }
    }

    /// <summary>Appends a sequence, all of it or, if that throws, nothing.</summary>
    public void Append(in ReadOnlySequence<byte> source)
    {
        MakeRoom(0);
        long before = Length;
        try
        {
            foreach (ReadOnlyMemory<byte> segment in source) Append(segment.Span);
        }
        catch
        {
            Truncate(before);
            throw;
        }
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

    // Each byte that was appended would be read again, for ever.
    private void RefuseItself(Stream source)
    {
        ArgumentNullException.ThrowIfNull(source);
        if (source is SegmentStream own && own.List == this)
            throw new ArgumentException("The stream reads this very list, so it would never end. Append AsSequence() to double the "
                + "list.", nameof(source));
    }

    private void SourceHasRead()
    {
        if (_user == ASource) _user = Nobody;
    }

    private void Take(int read, int room)
    {
        if ((uint)read > (uint)room) throw new IOException($"The stream said that it read {read} bytes where it was given room for "
            + $"{room}.");
        Advance(read);
    }
}

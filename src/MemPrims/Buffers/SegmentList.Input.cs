using System.IO.Pipelines;

namespace MemPrims.Buffers;

// Appending from streams and pipes, and giving memory back. While a source is being read, it fills memory at the end of the list, so every
// other write is refused. A list that is disposed meanwhile does not give that memory to the pool.
public sealed partial class SegmentList
{
    private const int LeastRead = 4096;

    /// <summary>Appends everything that the stream still has. If the stream throws, what was read before stays appended.</summary>
    /// <returns>How many bytes were appended.</returns>
    public long Append(Stream source)
    {
        ArgumentNullException.ThrowIfNull(source);
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
    /// Appends everything that the stream still has. Until the task ends, every other write is refused. If the stream throws, what was
    /// read before stays appended.
    /// </summary>
    /// <returns>How many bytes were appended.</returns>
    public async Task<long> AppendAsync(Stream source, CancellationToken cancellation = default)
    {
        ArgumentNullException.ThrowIfNull(source);
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
    /// Appends everything that the pipe brings until it is completed. Until the task ends, every other write is refused.
    /// </summary>
    /// <returns>How many bytes were appended.</returns>
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

    /// <summary>Appends a sequence. If that throws, nothing of it stays appended.</summary>
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
    /// Gives memory that a cut or cleared list keeps for later back to the pool. The pool in turn drops the arrays that nobody asked for
    /// between two full garbage collections.
    /// </summary>
    public void Trim()
    {
        Refuse();
        if (_copies == 0) _spares.ReturnAll();
        else _spares = default;
    }

    private void SourceHasRead()
    {
        if (_user == ASource) _user = Nobody;
    }

    private void Take(int read, int room)
    {
        if ((uint)read > (uint)room) BufferErrors.StreamReadTooMuch(read, room);
        Advance(read);
    }
}

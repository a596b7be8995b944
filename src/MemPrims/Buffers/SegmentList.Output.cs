using System.IO.Pipelines;

namespace MemPrims.Buffers;

public sealed partial class SegmentList
{
    // The copies that run. While there are any, memory that the list gives up goes to the garbage collector and not to the pool.
    private int _copies;

    /// <summary>Writes everything published to a stream, segment by segment.</summary>
    /// <exception cref="ObjectDisposedException">The list was disposed, before or meanwhile.</exception>
    public void CopyTo(Stream destination)
    {
        ArgumentNullException.ThrowIfNull(destination);
        foreach (ReadOnlyMemory<byte> segment in Segments()) destination.Write(segment.Span);
    }

    /// <summary>Writes everything published to a stream, segment by segment. The list must not be written to meanwhile.</summary>
    /// <exception cref="ObjectDisposedException">The list was disposed, before or meanwhile.</exception>
    public async Task CopyToAsync(Stream destination, CancellationToken cancellation = default)
    {
        ArgumentNullException.ThrowIfNull(destination);
        foreach (ReadOnlyMemory<byte> segment in Segments()) await destination.WriteAsync(segment, cancellation).ConfigureAwait(false);
    }

    /// <summary>
    /// Writes everything published to a pipe and flushes it after each segment, so that the pipe's reader sets the pace. If that reader
    /// has completed, the rest is not written, and the result says so.
    /// </summary>
    /// <exception cref="ObjectDisposedException">The list was disposed, before or meanwhile.</exception>
    public async ValueTask<FlushResult> CopyToAsync(PipeWriter destination, CancellationToken cancellation = default)
    {
        ArgumentNullException.ThrowIfNull(destination);
        FlushResult result = default;
        foreach (ReadOnlyMemory<byte> segment in Segments())
        {
            result = await destination.WriteAsync(segment, cancellation).ConfigureAwait(false);
            if (result.IsCompleted || result.IsCanceled) break;
        }
        return result;
    }

    /// <summary>Copies everything published.</summary>
    /// <exception cref="ArgumentException">The destination is too short; nothing was written.</exception>
    public void CopyTo(Span<byte> destination)
    {
        ReadOnlySequence<byte> all = AsSequence();
        if (all.Length > destination.Length) throw new ArgumentException(
            $"The destination has {destination.Length} bytes, the list {all.Length}; nothing was written.", nameof(destination));
        all.CopyTo(destination);
    }

    /// <summary>Writes everything published to another writer, segment by segment.</summary>
    public void CopyTo(IBufferWriter<byte> destination)
    {
        ArgumentNullException.ThrowIfNull(destination);
        if (destination == this) throw new ArgumentException("A list cannot be copied into itself.", nameof(destination));
        foreach (ReadOnlyMemory<byte> segment in AsSequence()) destination.Write(segment.Span);
    }

    /// <summary>Copies everything published into a new array.</summary>
    /// <exception cref="InvalidOperationException">It is longer than an array can be.</exception>
    public byte[] ToArray()
    {
        if (Length > Array.MaxLength) throw new InvalidOperationException(
            $"The list has {Length} bytes; an array has at most {Array.MaxLength}. Read it by AsSequence.");
        return AsSequence().ToArray();
    }

    // For copies that call foreign code between two segments. That code may dispose the list.
    private IEnumerable<ReadOnlyMemory<byte>> Segments()
    {
        ReadOnlySequence<byte> all = AsSequence();
        Interlocked.Increment(ref _copies);
        try
        {
            foreach (ReadOnlyMemory<byte> segment in all)
            {
                yield return segment;
                ObjectDisposedException.ThrowIf(_user == Disposed, this);
            }
        }
        finally
        {
            Interlocked.Decrement(ref _copies);
        }
    }
}

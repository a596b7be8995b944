namespace MemPrims.Buffers;

// Appending from streams, copying to them, and giving memory back. While a source is being read, it fills memory at the end of the list,
// so every other write is refused. A list that is disposed meanwhile does not give that memory to the pool.
public sealed partial class SegmentList
{
    private const int LeastRead = 4096;

    // The copies that run. While there are any, memory that the list gives up goes to the garbage collector and not to the pool.
    private int _copies;

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
    public async Task<long> AppendAsync(Stream source, CancellationToken cancellationToken = default)
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
                read = await source.ReadAsync(room, cancellationToken).ConfigureAwait(false);
            }
            finally
            {
                SourceHasRead();
            }
            if (read == 0) return Length - before;
            Take(read, room.Length);
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

    /// <summary>Writes everything published to a stream, segment by segment.</summary>
    /// <exception cref="ObjectDisposedException">The list was disposed, before or meanwhile.</exception>
    public void CopyTo(Stream destination)
    {
        ArgumentNullException.ThrowIfNull(destination);
        foreach (ReadOnlyMemory<byte> segment in Segments()) destination.Write(segment.Span);
    }

    /// <summary>Writes everything published to a stream, segment by segment. The list must not be written to meanwhile.</summary>
    /// <exception cref="ObjectDisposedException">The list was disposed, before or meanwhile.</exception>
    public async Task CopyToAsync(Stream destination, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(destination);
        foreach (ReadOnlyMemory<byte> segment in Segments())
            await destination.WriteAsync(segment, cancellationToken).ConfigureAwait(false);
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

    private void SourceHasRead()
    {
        if (_user == ASource) _user = Nobody;
    }

    private void Take(int read, int room)
    {
        if ((uint)read > (uint)room) BufferErrors.ThrowStreamReadTooMuch(read, room);
        Advance(read);
    }
}

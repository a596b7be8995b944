namespace MemPrims.Buffers;

// A list as a stream: see SegmentList.AsStream.
internal sealed class SegmentStream(SegmentList list) : Stream
{
    private long _position, _cuts;
    private bool _isClosed;

    // The segment of the last read, where the next one begins.
    private ReadOnlySequenceSegment<byte>? _segment;

    public SegmentList List => list;

    public override bool CanRead => !_isClosed;

    public override bool CanSeek => !_isClosed;

    public override bool CanWrite => !_isClosed;

    public override long Length
    {
        get
        {
            ThrowIfClosed();
            return list.Length;
        }
    }

    public override long Position
    {
        get
        {
            ThrowIfClosed();
            return _position;
        }
        set
        {
            ThrowIfClosed();
            ArgumentOutOfRangeException.ThrowIfNegative(value);
            _position = value;
        }
    }

    public override int Read(Span<byte> buffer)
    {
        ThrowIfClosed();
        int done = 0;
        do
        {
            ReadOnlySpan<byte> there = list.SpanAt(_position, ref _segment, ref _cuts);
            if (there.IsEmpty) break;
            int size = Math.Min(there.Length, buffer.Length - done);
            Block.Copy(buffer[done..], there[..size]);
            (_position, done) = (_position + size, done + size);
        }
        while (done < buffer.Length);
        return done;
    }

    public override int Read(byte[] buffer, int offset, int count)
    {
        ValidateBufferArguments(buffer, offset, count);
        return Read(buffer.AsSpan(offset, count));
    }

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        cancellationToken.IsCancellationRequested ? ValueTask.FromCanceled<int>(cancellationToken) : new(Read(buffer.Span));

    public override void CopyTo(Stream destination, int bufferSize)
    {
        list.RefuseItself(destination);
        base.CopyTo(destination, bufferSize);
    }

    public override Task CopyToAsync(Stream destination, int bufferSize, CancellationToken cancellationToken)
    {
        list.RefuseItself(destination);
        return base.CopyToAsync(destination, bufferSize, cancellationToken);
    }

    public override void Write(ReadOnlySpan<byte> buffer)
    {
        ThrowIfClosed();
        list.Append(buffer);
    }

    public override void Write(byte[] buffer, int offset, int count)
    {
        ValidateBufferArguments(buffer, offset, count);
        Write(buffer.AsSpan(offset, count));
    }

    public override long Seek(long offset, SeekOrigin origin) => Position = origin switch
    {
        SeekOrigin.Begin => offset,
        SeekOrigin.Current => Position + offset,
        SeekOrigin.End => Length + offset,
        _ => throw new ArgumentOutOfRangeException(nameof(origin), origin, "An origin is Begin, Current or End."),
    };

    public override void SetLength(long value)
    {
        ThrowIfClosed();
        list.Truncate(value);
    }

    public override void Flush()
    {
    }

    private void ThrowIfClosed() => ObjectDisposedException.ThrowIf(_isClosed, this);

    protected override void Dispose(bool disposing)
    {
        _isClosed = true;
        base.Dispose(disposing);
    }
}

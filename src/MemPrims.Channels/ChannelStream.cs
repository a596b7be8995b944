namespace MemPrims.Channels;

// A channel's messages as one row of bytes, in both directions. One thread at a time reads, any number write.
internal sealed class ChannelStream(IpcChannel channel) : Stream
{
    private IpcMessage? _message;
    private int _taken;
    private volatile bool _isDisposed;

    public override bool CanRead => !_isDisposed;

    public override bool CanWrite => !_isDisposed;

    public override bool CanSeek => false;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public override int Read(Span<byte> buffer)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        if (buffer.IsEmpty) return 0;
        while (_message is null)
        {
            _message = channel.Receive(Timeout.InfiniteTimeSpan);
            if (_message is null) return 0;
            DropIfTaken();
        }
        return Take(buffer);
    }

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        if (buffer.IsEmpty) return 0;
        while (_message is null)
        {
            _message = await channel.ReceiveAsync(cancellationToken).ConfigureAwait(false);
            if (_message is null) return 0;
            DropIfTaken();
        }
        return Take(buffer.Span);
    }

    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override void Write(ReadOnlySpan<byte> buffer)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        for (int length; !buffer.IsEmpty; buffer = buffer[length..])
        {
            length = Piece(buffer.Length);
            channel.Send(buffer[..length]);
        }
    }

    public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        for (int length; !buffer.IsEmpty; buffer = buffer[length..])
        {
            length = Piece(buffer.Length);
            await channel.SendAsync(buffer[..length], cancellationToken).ConfigureAwait(false);
        }
    }

    // A row of bytes has no length that is too long: it goes in as many messages as it takes.
    private int Piece(int length) => (int)Math.Min(length, Math.Max(1, channel.MostBytes));

    public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        WriteAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    // Every write is sent at once.
    public override void Flush() { }

    public override Task FlushAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    protected override void Dispose(bool disposing)
    {
        _isDisposed = true;
        _message?.Dispose();
        _message = null;
        base.Dispose(disposing);
    }

    private int Take(Span<byte> buffer)
    {
        ReadOnlySpan<byte> rest = _message!.Payload.Span[_taken..];
        int length = Math.Min(rest.Length, buffer.Length);
        rest[..length].CopyTo(buffer);
        _taken += length;
        DropIfTaken();
        return length;
    }

    private void DropIfTaken()
    {
        if (_taken < _message!.Payload.Length) return;
        _message.Dispose();
        _message = null;
        _taken = 0;
    }
}

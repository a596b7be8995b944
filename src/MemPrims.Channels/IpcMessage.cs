namespace MemPrims.Channels;

/// <summary>A received message. <see cref="Dispose"/> gives its memory back and closes the descriptors that were not taken.</summary>
public sealed class IpcMessage : IDisposable
{
    private readonly int _length;
    private readonly SafeHandle?[]? _handles;

    // A pooled array; null when the message was disposed.
    private byte[]? _memory;

    internal IpcMessage(byte[] memory, int length, SafeHandle[]? handles) => (_memory, _length, _handles) = (memory, length, handles);

    /// <summary>The bytes of the message; not to be used after <see cref="Dispose"/>.</summary>
    /// <exception cref="ObjectDisposedException">The message was disposed.</exception>
    public ReadOnlyMemory<byte> Payload =>
        _memory is { } array ? new(array, 0, _length) : throw new ObjectDisposedException(typeof(IpcMessage).FullName);

    /// <summary>
    /// The descriptors that came with it, in the sender's order. They are closed with the message; a taken one stands here no more, and
    /// reading its place throws.
    /// </summary>
    /// <exception cref="ObjectDisposedException">The message was disposed.</exception>
    public IReadOnlyList<SafeHandle> Handles
    {
        get
        {
            ObjectDisposedException.ThrowIf(_memory is null, this);
            return _handles is null ? [] : new HandleList(_handles);
        }
    }

    /// <summary>
    /// Takes a descriptor out of the message: the caller closes it. It is a <see cref="SafeFileHandle"/>, whatever it describes: cast it
    /// to read it as a file, or give it to <see cref="IpcChannel.FromHandle"/> if it is a channel.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">There is no descriptor of this number.</exception>
    /// <exception cref="InvalidOperationException">It was taken before.</exception>
    public SafeHandle TakeHandle(int index)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(index);
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(index, _handles?.Length ?? 0);
        ObjectDisposedException.ThrowIf(_memory is null, this);
        return Interlocked.Exchange(ref _handles![index], null) ?? throw Taken(index);
    }

    /// <summary>
    /// Gives the memory back. The descriptors that were not taken are closed by a thread of the library's, a moment later: that may take
    /// as long as the peer likes.
    /// </summary>
    public void Dispose()
    {
        byte[]? memory = Interlocked.Exchange(ref _memory, null);
        if (memory is null) return;
        ArrayPool<byte>.Shared.Return(memory);
        if (_handles is null) return;
        List<SafeHandle> left = new(_handles.Length);
        for (int i = 0; i < _handles.Length; i++)
            if (Interlocked.Exchange(ref _handles[i], null) is { } handle) left.Add(handle);
        Closer.Usual.Add(CollectionsMarshal.AsSpan(left));
    }

    private static InvalidOperationException Taken(int index) => new($"Descriptor {index} was taken out of the message already.");

    private sealed class HandleList(SafeHandle?[] handles) : IReadOnlyList<SafeHandle>
    {
        public int Count => handles.Length;

        public SafeHandle this[int index] => handles[index] ?? throw Taken(index);

        public IEnumerator<SafeHandle> GetEnumerator()
        {
            for (int i = 0; i < handles.Length; i++)
                if (handles[i] is { } handle) yield return handle;
        }

        System.Collections.IEnumerator System.Collections.IEnumerable.GetEnumerator() => GetEnumerator();
    }
}

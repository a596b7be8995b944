namespace MemPrims.Channels.Link;

// A whole message. It lies in the caller's span where there is no array.
internal struct Arrival
{
    public byte[]? Array;
    public SafeHandle[]? Handles;
    public int Length;

    public readonly IpcMessage ToMessage() => new(Array!, Length, Handles);

    // Gives back and closes what it holds.
    public void Drop()
    {
        if (Array is not null) ArrayPool<byte>.Shared.Return(Array);
        Closer.Usual.Add(Handles);
        this = default;
    }
}

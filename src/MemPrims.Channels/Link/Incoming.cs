namespace MemPrims.Channels.Link;

// A message of which a part has come. Its array doubles as it comes: what a peer announces costs what it has sent. One of the ring may lie
// in the caller's span during a call instead.
internal sealed unsafe class Incoming
{
    public ulong Id;
    public int Total, Filled;
    public byte* User;
    public byte[]? Array;
    public SafeHandle[]? Handles;
    public Deadline Deadline;

    public void MakeRoom(int length)
    {
        long wanted = (long)Filled + length;
        if (User != null || Array!.Length >= wanted) return;
        byte[] larger = ArrayPool<byte>.Shared.Rent((int)Math.Min(Total, Math.Max(wanted, 2L * Array.Length)));
        Array.AsSpan(0, Filled).CopyTo(larger);
        ArrayPool<byte>.Shared.Return(Array);
        Array = larger;
    }

    // The caller's span goes with the call: what came moves to an array.
    public void LeaveSpan()
    {
        if (User == null) return;
        Array = ArrayPool<byte>.Shared.Rent(Math.Max(1, Filled));
        new ReadOnlySpan<byte>(User, Filled).CopyTo(Array);
        User = null;
    }

    public Arrival End()
    {
        Arrival arrival = new() { Array = Array, Handles = Handles, Length = Total };
        User = null;
        (Array, Handles) = (null, null);
        return arrival;
    }
}

namespace MemPrims.Channels.Link;

/// <summary>
/// A message of which a part has come. Its array doubles as it comes: what a peer announces costs what it has sent. One of the ring may
/// lie in the caller's span during a call instead.
/// </summary>
internal sealed unsafe class Incoming
{
    public ulong Id;
    public int Total, Filled;
    public byte* User;
    public byte[]? Array;
    public SafeHandle[]? Handles;

    /// <summary>Whether descriptors of it were lost for want of numbers: it is received to its end and then reported.</summary>
    public bool LostHandles;
    public Deadline Deadline;

    /// <summary>Makes sure that a part has its place.</summary>
    public void MakeRoom(int length)
    {
        long wanted = (long)Filled + length;
        if (User != null || Array!.Length >= wanted) return;
        byte[] larger = ArrayPool<byte>.Shared.Rent((int)Math.Min(Total, Math.Max(wanted, 2L * Array.Length)));
        Array.AsSpan(0, Filled).CopyTo(larger);
        ArrayPool<byte>.Shared.Return(Array);
        Array = larger;
    }

    /// <summary>The caller's span goes with the call: what came moves to an array.</summary>
    public void LeaveSpan()
    {
        if (User == null) return;
        Array = ArrayPool<byte>.Shared.Rent(Math.Max(1, Filled));
        new ReadOnlySpan<byte>(User, Filled).CopyTo(Array);
        User = null;
    }

    /// <summary>Hands over what there is.</summary>
    public Arrival End()
    {
        Arrival arrival = new() { Array = Array, Handles = Handles, Length = Total };
        User = null;
        (Array, Handles) = (null, null);
        return arrival;
    }
}

using System.Buffers;
using System.Runtime.InteropServices;
using MemPrims.Channels.Native;

namespace MemPrims.Channels.Link;

/// <summary>A message of the ring of which a part was taken: in the caller's span during a call, in an array between calls.</summary>
internal sealed unsafe class RingEntry
{
    public bool IsActive, Lost;
    public byte* User;
    public byte[]? Array;
    public int Total, Filled;
    public SafeHandle[]? Handles;
    public Deadline Deadline;

    /// <summary>Where the next bytes go; there is room for <paramref name="length"/> of them.</summary>
    public void MakeRoom(int length)
    {
        if (User == null) Array = Arrival.Enlarge(Array!, Filled, (long)Filled + length, Total);
    }

    /// <summary>The caller's span goes with the call: what came moves to an array.</summary>
    public void LeaveSpan()
    {
        if (!IsActive || User == null) return;
        Array = ArrayPool<byte>.Shared.Rent(Math.Max(1, Filled));
        new ReadOnlySpan<byte>(User, Filled).CopyTo(Array);
        User = null;
    }

    public Arrival End()
    {
        Arrival arrival = new() { Array = Array, Handles = Handles, Length = Total };
        User = null;
        (IsActive, Array, Handles) = (false, null, null);
        return arrival;
    }
}

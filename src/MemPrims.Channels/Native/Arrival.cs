using System.Buffers;
using System.Runtime.InteropServices;
using MemPrims.Channels.Segments;

namespace MemPrims.Channels.Native;

/// <summary>How a look for a message ended.</summary>
internal enum Outcome
{
    /// <summary>A message is there.</summary>
    Message,

    /// <summary>Nothing more will come.</summary>
    Closed,

    /// <summary>Nothing is there yet.</summary>
    Nothing,

    /// <summary>Something came that is no whole message.</summary>
    Taken,

    /// <summary>A message has begun whose rest is still being written to the ring.</summary>
    RestInRing,
}

/// <summary>How a look for a packet waits.</summary>
internal enum Waiting
{
    None,
    Asleep,
    Spinning,
}

/// <summary>A whole message. It lies in the caller's span when neither array nor view is set.</summary>
internal struct Arrival
{
    public byte[]? Array;
    public SegmentView? View;
    public SafeHandle[]? Handles;
    public int Length;

    // Kept when the caller's span was too short.
    public readonly IpcMessage ToMessage() => new(View ?? (object)Array!, Length, Handles);

    public readonly void Drop()
    {
        if (Array is not null) ArrayPool<byte>.Shared.Return(Array);
        View?.GiveBack();
        Rights.CloseElsewhere(Handles);
    }
}

/// <summary>
/// A message of several packets, of which some have come. Up to 8 MiB lie in one array from the start. Beyond that the array doubles as
/// packets come: a peer that begins 64 messages of the largest length costs what it has sent, and not what it has announced.
/// </summary>
internal sealed class Partial(ulong id, int total, Deadline deadline)
{
    public const int FirstRoom = 8 << 20;

    public ulong Id { get; } = id;

    public byte[] Array { get; private set; } = ArrayPool<byte>.Shared.Rent(Math.Clamp(total, 1, FirstRoom));

    public int Total { get; } = total;

    public Deadline Deadline { get; } = deadline;

    public int Filled { get; set; }

    public SafeHandle[]? Handles { get; init; }

    /// <summary>Whether descriptors of it were lost for want of numbers: it is received to its end and then reported.</summary>
    public bool LostHandles { get; init; }

    /// <summary>Makes sure that the next packet has its place.</summary>
    public void MakeRoom()
    {
        if (Array.Length >= Math.Min(Total, (long)Filled + Packets.Largest)) return;
        byte[] larger = ArrayPool<byte>.Shared.Rent((int)Math.Min(Total, 2L * Array.Length));
        Array.AsSpan(0, Filled).CopyTo(larger);
        ArrayPool<byte>.Shared.Return(Array);
        Array = larger;
    }

    public void Drop()
    {
        ArrayPool<byte>.Shared.Return(Array);
        Rights.CloseElsewhere(Handles);
    }
}

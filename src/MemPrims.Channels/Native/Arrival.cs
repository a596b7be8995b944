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

    /// <summary>A message has begun whose rest is still being written to the ring.</summary>
    RestInRing,
}

/// <summary>A whole message: in the caller's span when neither array nor view is set.</summary>
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

/// <summary>A message of several packets, of which some have come.</summary>
internal sealed class Partial(ulong id, int total, Deadline deadline)
{
    public ulong Id { get; } = id;

    public byte[] Array { get; } = ArrayPool<byte>.Shared.Rent(Math.Max(total, 1));

    public int Total { get; } = total;

    public Deadline Deadline { get; } = deadline;

    public int Filled { get; set; }

    public SafeHandle[]? Handles { get; init; }

    /// <summary>Whether descriptors of it were lost for want of numbers: it is received to its end and then reported.</summary>
    public bool LostHandles { get; init; }

    public void Drop()
    {
        ArrayPool<byte>.Shared.Return(Array);
        Rights.CloseElsewhere(Handles);
    }
}

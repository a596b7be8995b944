namespace MemPrims.Channels;

/// <summary>Who made the other end of a channel, as the kernel noted it then.</summary>
// The kernel's struct ucred.
[StructLayout(LayoutKind.Sequential)]
public readonly struct PeerCredentials
{
    private readonly int _process;
    private readonly uint _user, _group;

    /// <summary>The process.</summary>
    public int ProcessId => _process;

    /// <summary>Its user.</summary>
    public uint UserId => _user;

    /// <summary>Its group.</summary>
    public uint GroupId => _group;
}

namespace MemPrims.Channels;

/// <summary>
/// The peer has gone, which every process may: <see cref="IpcFault.PeerGone"/>, <see cref="IpcFault.PeerLeftMessagesUnread"/> or
/// <see cref="IpcFault.EndedInMessage"/>.
/// </summary>
public sealed class IpcPeerGoneException : IpcException
{
    internal IpcPeerGoneException(IpcFault fault, string message, Exception? inner = null) : base(fault, message, inner) { }
}

namespace MemPrims.Channels;

/// <summary>The peer broke the protocol, or cannot take what was to be sent.</summary>
public sealed class IpcProtocolException : IpcException
{
    internal IpcProtocolException(IpcFault fault, string message, Exception? inner = null) : base(fault, message, inner) { }
}

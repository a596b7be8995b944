namespace MemPrims.Channels;

/// <summary>What a channel throws when the other end is at fault or gone: one of the two classes below.</summary>
public abstract class IpcException : IOException
{
    private protected IpcException(IpcFault fault, string message, Exception? inner)
        : base($"{message} [{fault}]", inner) => Fault = fault;

    /// <summary>The kind of the error.</summary>
    public IpcFault Fault { get; }
}

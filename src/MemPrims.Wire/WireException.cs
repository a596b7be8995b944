namespace MemPrims.Wire;

/// <summary>
/// Bytes, JSON or a schema that cannot be what they claim to be. The message says what, where and what to do.
/// </summary>
public sealed class WireException : IOException
{
    /// <summary>Makes one without a place.</summary>
    public WireException()
        : this("The message is damaged.")
    {
    }

    /// <summary>Makes one without a place.</summary>
    public WireException(string message)
        : this(message, -1, "")
    {
    }

    /// <summary>Makes one without a place.</summary>
    public WireException(string message, Exception? inner)
        : base(message, inner)
    {
        Offset = -1;
        Path = "";
        Reason = message;
    }

    /// <summary>Makes one that knows its place.</summary>
    public WireException(string reason, long offset, string path, Exception? inner = null)
        : base(Tell(reason, offset, path), inner)
    {
        Offset = offset;
        Path = path;
        Reason = reason;
    }

    /// <summary>The byte in the input where the fault was found; -1 where there is no input.</summary>
    public long Offset { get; }

    /// <summary>
    /// The field, as <c>order.lines[3].sku</c>, or the file, message and field of a schema; empty at the top of a message.
    /// </summary>
    public string Path { get; }

    /// <summary>What is wrong, without the place.</summary>
    internal string Reason { get; }

    private static string Tell(string reason, long offset, string path)
    {
        string field = path.Length == 0 ? "" : $"{path}: ";
        string place = offset < 0 ? "" : $" (at byte {offset})";
        return field + reason + place;
    }
}

namespace MemPrims.Wire;

/// <summary>
/// Bytes, JSON or a schema that cannot be what they claim to be. The message says what, where and what to do. The offset is that of the
/// input: -1 if the fault was not found in bytes or JSON.
/// </summary>
public sealed class WireException : DamagedDataException
{
    internal WireException(string message, Exception? inner = null)
        : this(message, -1, "", inner)
    {
    }

    // Control characters in the reason and the path are escaped, and what is too long is cut.
    internal WireException(string reason, long offset, string path = "", Exception? inner = null)
        : base(Tell(reason, offset, path), offset, inner)
    {
        Path = PathText.Shown(path, LongestPath);
        Reason = reason;
    }

    /// <summary>
    /// The field, as <c>lines[3].sku</c> or <c>labels["key"].count</c>: what <see cref="MessageType.Path"/> of the message's type takes.
    /// Fields have their names in the .proto file, in errors of JSON too. Keys of more than 64 characters are cut. Of a schema, the file,
    /// message and field. Empty at the top of a message.
    /// </summary>
    public string Path { get; }

    // The lazily decoded input that offset and path count in already; null if they count in what was decoded just now.
    internal LazyInput? Whole { get; init; }

    // What is wrong, without the place.
    internal string Reason { get; }

    // Nobody reads further. The longest path that decoding tells by itself is shorter.
    private const int LongestReason = 1000, LongestPath = 1000, LongestPathInText = 200;

    private static string Tell(string reason, long offset, string path)
    {
        string field = path.Length == 0 ? "" : $"{PathText.Shown(path, LongestPathInText)}: ";
        string what = PathText.Shown(reason, LongestReason);
        return field + (offset < 0 ? what : $"{what.TrimEnd('.')} (at byte {offset})");
    }
}

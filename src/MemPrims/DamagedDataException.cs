namespace MemPrims;

/// <summary>
/// Bytes are not what their writer produces, or end too early. The message says what was to be read, where, and what to do. What
/// every room throws at damage derives from it, so one catch serves pages, sets, messages, records and logs.
/// </summary>
public class DamagedDataException : IOException
{
    /// <summary>Makes the exception for damage that shows at <paramref name="offset"/>.</summary>
    /// <param name="message">What is damaged, where, and what to do.</param>
    /// <param name="offset">The byte at which it shows; -1 where it is none in particular.</param>
    /// <param name="inner">What was met first, if anything.</param>
    public DamagedDataException(string message, long offset = -1, Exception? inner = null)
        : base(message, inner) => Offset = offset;

    /// <summary>The byte, counted from the first one given, at which the damage shows; -1 where it is none in particular.</summary>
    public long Offset { get; }
}

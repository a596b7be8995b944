namespace MemPrims.Wire;

/// <summary>How to decode a message, and limits for untrusted input.</summary>
public sealed record DecodeOptions
{
    /// <summary>How deep messages and groups may be nested. The default is 100.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is negative.</exception>
    public int MaxDepth { get; init => field = NotNegative(value); } = 100;

    /// <summary>
    /// How many bytes the whole message may have. The default is 2,147,483,647, which protobuf itself allows at most: set less for a
    /// server that takes untrusted input.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">It is negative.</exception>
    public long MaxBytes { get; init => field = NotNegative(value); } = int.MaxValue;

    /// <summary>
    /// How many bytes of memory the sub-messages and the values of repeated fields may take. The default is 1 GiB: set less for a server
    /// that takes untrusted input, because four bytes of a message can ask for 600 bytes of memory. The count is rough, and what a reused
    /// message holds already counts as if it were new. The characters of text and the content of bytes do not count: they take about as
    /// much as was sent.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">It is negative.</exception>
    public long MaxMemory { get; init => field = NotNegative(value); } = 1L << 30;

    /// <summary>Whether required fields may be missing.</summary>
    public bool AllowPartial { get; init; }

    /// <summary>
    /// Whether sub-messages are decoded only when they are asked for, by the same options and within the same budgets. Faults inside
    /// are found then, missing required fields included, and told as decoding at once tells them: the first of the whole. What is not
    /// asked for is encoded again as it came. What another member of a oneof, or an entry of the same key, replaces is never looked at:
    /// its faults are none. Groups and entries of maps are decoded at once. With <see cref="DiscardUnknown"/> this has no effect: all is
    /// decoded at once.
    /// </summary>
    public bool Lazy { get; init; }

    /// <summary>Whether fields that the schema does not know are dropped.</summary>
    public bool DiscardUnknown { get; init; }

    // Whether sub-messages stay encoded for now.
    internal bool LeavesParts => Lazy && !DiscardUnknown;

    internal static DecodeOptions Default { get; } = new();

    private static T NotNegative<T>(T value)
        where T : INumberBase<T>
    {
        ArgumentOutOfRangeException.ThrowIfNegative(value);
        return value;
    }
}

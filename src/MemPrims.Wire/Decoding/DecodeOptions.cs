namespace MemPrims.Wire;

/// <summary>How to decode a message, and how much of a stranger's bytes to put up with.</summary>
public sealed record DecodeOptions
{
    /// <summary>How deep messages and groups may lie in each other.</summary>
    public int MaxDepth { get; init; } = 100;

    /// <summary>How many bytes the whole message may have.</summary>
    public long MaxBytes { get; init; } = int.MaxValue;

    /// <summary>
    /// How many bytes of memory the sub-messages and the values of lists may take, counted roughly and as if all were new; 1 GiB unless
    /// told. Four bytes of a message can ask for 600 bytes of memory. Packed numbers, text and bytes are in proportion to what was sent
    /// and do not count.
    /// </summary>
    public long MaxMemory { get; init; } = 1L << 30;

    /// <summary>Whether required fields may be missing.</summary>
    public bool AllowPartial { get; init; }

    /// <summary>
    /// Whether sub-messages are decoded only when they are asked for, by the same options and within the same budgets. What is wrong
    /// inside is found then, missing required fields included, and told with its place in the whole. What is not asked for is encoded
    /// again as it came. Groups and entries of maps are decoded at once. <see cref="DiscardUnknown"/> leaves nothing encoded, so this has
    /// no effect beside it.
    /// </summary>
    public bool Lazy { get; init; }

    /// <summary>Whether fields that the schema does not know are dropped.</summary>
    public bool DiscardUnknown { get; init; }

    /// <summary>Whether sub-messages stay encoded for now.</summary>
    internal bool LeavesParts => Lazy && !DiscardUnknown;

    internal static DecodeOptions Default { get; } = new();
}

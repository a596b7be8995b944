namespace MemPrims.Wire;

/// <summary>How to decode a message, and how much of a stranger's bytes to put up with.</summary>
public sealed record DecodeOptions
{
    /// <summary>How deep messages and groups may lie in each other.</summary>
    public int MaxDepth { get; init; } = 100;

    /// <summary>How many bytes the whole message may have.</summary>
    public long MaxBytes { get; init; } = int.MaxValue;

    /// <summary>
    /// How many bytes of memory the sub-messages and the values of lists may take, counted roughly and as if all were new; 1 GiB unless told. Four
    /// bytes of a message can ask for 600 bytes of memory. Packed numbers, text and bytes are in proportion to what was sent and do not count.
    /// With <see cref="Lazy"/>, each sub-message has the whole budget when it is decoded.
    /// </summary>
    public long MaxMemory { get; init; } = 1L << 30;

    /// <summary>Whether required fields may be missing.</summary>
    public bool AllowPartial { get; init; }

    /// <summary>
    /// Whether sub-messages are decoded only when they are asked for. What is wrong inside is found then, missing required fields included; what
    /// is not asked for is encoded again as it came.
    /// </summary>
    public bool Lazy { get; init; }

    /// <summary>Whether fields that the schema does not know are dropped.</summary>
    public bool DiscardUnknown { get; init; }

    internal static DecodeOptions Default { get; } = new();
}

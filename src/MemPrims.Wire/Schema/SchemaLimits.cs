namespace MemPrims.Wire;

/// <summary>
/// What <see cref="MessageSchema.Load(ReadOnlySpan{byte}, SchemaLimits?)"/> accepts at most, so that an untrusted schema cannot take
/// all memory.
/// </summary>
public sealed record SchemaLimits
{
    /// <summary>Bytes of the descriptor set. The default is 67,108,864 (64 MiB).</summary>
    public int MaxBytes { get; init; } = 64 << 20;

    /// <summary>Messages and enums together. The default is 200,000.</summary>
    public int MaxTypes { get; init; } = 200_000;

    /// <summary>Fields, extensions included. The default is 2,000,000.</summary>
    public int MaxFields { get; init; } = 2_000_000;

    /// <summary>How deep messages are declared in messages. The default is 100.</summary>
    public int MaxNesting { get; init; } = 100;

    internal static SchemaLimits Default { get; } = new();
}

namespace MemPrims.Wire;

/// <summary>
/// What <see cref="MessageSchema.Load(ReadOnlySpan{byte}, SchemaLimits?)"/> accepts at most, so that a stranger's schema cannot take all
/// memory.
/// </summary>
public sealed record SchemaLimits
{
    /// <summary>Bytes of the descriptor set.</summary>
    public int MaxBytes { get; init; } = 64 << 20;

    /// <summary>Messages and enums together.</summary>
    public int MaxTypes { get; init; } = 200_000;

    /// <summary>Fields, extensions included.</summary>
    public int MaxFields { get; init; } = 2_000_000;

    /// <summary>How deep messages are declared in messages.</summary>
    public int MaxNesting { get; init; } = 100;

    internal static SchemaLimits Default { get; } = new();
}

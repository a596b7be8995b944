namespace MemPrims.Wire;

/// <summary>
/// What <see cref="MessageSchema.Load(ReadOnlySpan{byte}, SchemaLimits?)"/> accepts at most, so that an untrusted schema cannot take
/// all memory. Within the limits, time and memory of loading grow in proportion to the bytes of the set: at most 200 bytes of memory for
/// each.
/// </summary>
public sealed class SchemaLimits
{
    /// <summary>Bytes of the descriptor set. The default is 67,108,864 (64 MiB).</summary>
    public int MaxBytes { get; init; } = 64 << 20;

    /// <summary>Messages and enums together. The default is 200,000.</summary>
    public int MaxTypes { get; init; } = 200_000;

    /// <summary>Fields, extensions included. The default is 2,000,000.</summary>
    public int MaxFields { get; init; } = 2_000_000;

    /// <summary>How deep messages are declared in messages, and how many parts a package has. The default is 100.</summary>
    public int MaxNesting { get; init; } = 100;

    /// <summary>Files. The default is 100,000.</summary>
    public int MaxFiles { get; init; } = 100_000;

    /// <summary>Oneofs, with those that <c>optional</c> makes in proto3. The default is 500,000.</summary>
    public int MaxOneofs { get; init; } = 500_000;

    /// <summary>Characters of a full name, as <c>pkg.Outer.Inner.field</c>, and of the name of a file. The default is 1,000.</summary>
    public int MaxNameLength { get; init; } = 1_000;

    internal static SchemaLimits Default { get; } = new();

    internal static WireException Above(string what, int most, string limit, string path, long offset = -1) =>
        new($"{what}: at most {most} are loaded. Raise SchemaLimits.{limit} if the schema is trusted", offset, path);
}

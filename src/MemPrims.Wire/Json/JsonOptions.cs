namespace MemPrims.Wire;

/// <summary>How messages are written as JSON.</summary>
public sealed class JsonWriteOptions
{
    /// <summary>Whether numbers, texts and lists without presence are written when they are zero or empty.</summary>
    public bool WriteDefaults { get; init; }

    /// <summary>Whether fields are named as in the .proto file instead of in lowerCamelCase.</summary>
    public bool UseProtoNames { get; init; }

    /// <summary>Whether enums are written as numbers.</summary>
    public bool EnumsAsNumbers { get; init; }

    /// <summary>Whether lines are broken and indented.</summary>
    public bool Indented { get; init; }

    /// <summary>How deep messages may be nested, those in Any and Value included. The default is 100.</summary>
    public int MaxDepth { get; init; } = 100;

    internal static JsonWriteOptions Default { get; } = new();
}

/// <summary>
/// How JSON is read, and limits for untrusted input. There is no limit of size: the caller has the whole JSON in memory already.
/// </summary>
public sealed class JsonParseOptions
{
    /// <summary>Whether fields and names of enum values that the schema does not know are skipped.</summary>
    public bool IgnoreUnknown { get; init; }

    /// <summary>Whether required fields may be missing.</summary>
    public bool AllowPartial { get; init; }

    /// <summary>How deep messages may be nested, those in Any and Value included. The default is 100.</summary>
    public int MaxDepth { get; init; } = 100;

    internal static JsonParseOptions Default { get; } = new();
}

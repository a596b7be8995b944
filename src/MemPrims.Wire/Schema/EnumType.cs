namespace MemPrims.Wire;

/// <summary>An enum of a schema. Its values are <see cref="int"/>s.</summary>
public sealed class EnumType
{
    private readonly Dictionary<int, string> _names = [];
    private readonly Dictionary<string, int> _numbers = new(StringComparer.Ordinal);

    internal EnumType(string fullName, string file, bool isClosed, List<(string Name, int Number)> values)
    {
        FullName = fullName;
        File = file;
        IsClosed = isClosed;
        Values = values.AsReadOnly();
        foreach ((string name, int number) in values)
        {
            _numbers[name] = number;
            _names.TryAdd(number, name);
        }
    }

    /// <summary>The name with its package.</summary>
    public string FullName { get; }

    /// <summary>The file that declares it.</summary>
    public string File { get; }

    /// <summary>Whether a field keeps only the declared values; others are kept as unknown fields.</summary>
    public bool IsClosed { get; }

    /// <summary>The values in the order of their declaration.</summary>
    public IReadOnlyList<(string Name, int Number)> Values { get; }

    /// <summary>The name of a number, the first declared if several have it; null if none has.</summary>
    public string? GetName(int number) => _names.GetValueOrDefault(number);

    /// <summary>The number of a name.</summary>
    public bool TryGetNumber(string name, out int number) => _numbers.TryGetValue(name, out number);

    internal bool Has(int number) => _names.ContainsKey(number);

    /// <inheritdoc/>
    public override string ToString() => FullName;
}

namespace MemPrims.Wire;

/// <summary>An enum of a schema. Its values are <see cref="int"/>s.</summary>
public sealed class EnumType
{
    private readonly Dictionary<int, string> _names = [];
    private readonly Dictionary<string, int> _numbers = new(StringComparer.Ordinal);
    private readonly List<string> _declaredNames;
    private readonly List<int> _declaredNumbers;

    internal EnumType(string fullName, string file, bool isClosed, List<string> names, List<int> numbers)
    {
        FullName = fullName;
        File = file;
        IsClosed = isClosed;
        _declaredNames = names;
        _declaredNumbers = numbers;
    }

    /// <summary>The name with its package.</summary>
    public string FullName { get; }

    /// <summary>The file that declares it.</summary>
    public string File { get; }

    /// <summary>Whether a field keeps only the declared values; others are kept as unknown fields.</summary>
    public bool IsClosed { get; }

    /// <summary>The values in the order of their declaration.</summary>
    public IReadOnlyList<(string Name, int Number)> Values => field ??= MakeValues();

    /// <summary>The name of a number, the first declared if several have it; null if none has.</summary>
    public string? GetName(int number) => _names.GetValueOrDefault(number);

    /// <summary>The number of a name.</summary>
    public bool TryGetNumber(string name, out int number) => _numbers.TryGetValue(name, out number);

    // The first value, which is the default.
    internal int First => _declaredNumbers[0];

    // Enters a name; false if it is there already.
    internal bool TryAddName(string name, int number) => _numbers.TryAdd(name, number);

    // Enters the number of a name; false if it has an earlier name, which it keeps.
    internal bool TryAddNumber(int number, string name) => _names.TryAdd(number, name);

    internal bool Has(int number) => _names.ContainsKey(number);

    /// <inheritdoc/>
    public override string ToString() => FullName;

    private System.Collections.ObjectModel.ReadOnlyCollection<(string Name, int Number)> MakeValues()
    {
        (string Name, int Number)[] values = new (string, int)[_declaredNames.Count];
        for (int i = 0; i < values.Length; i++) values[i] = (_declaredNames[i], _declaredNumbers[i]);
        return Array.AsReadOnly(values);
    }
}

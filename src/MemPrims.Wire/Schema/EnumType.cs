namespace MemPrims.Wire;

/// <summary>An enum of a schema. Its values are <see cref="int"/>s.</summary>
public sealed class EnumType
{
    private readonly NameScope _scope;
    private readonly string _name;
    private readonly Dictionary<string, int> _numbers = new(StringComparer.Ordinal);
    private readonly List<string> _declaredNames;
    private readonly List<int> _declaredNumbers;

    // The declared numbers in their order, each once, and where it was declared first. Searched, not hashed: numbers can be chosen so that
    // their hashes collide.
    private readonly int[] _sorted, _declaredAt;
    private readonly bool _hasGaps;

    internal EnumType(NameScope scope, string name, string file, bool isClosed, List<string> names, List<int> numbers)
    {
        (_scope, _name) = (scope, name);
        File = file;
        IsClosed = isClosed;
        _declaredNames = names;
        _declaredNumbers = numbers;

        // The number above, the place of its declaration below.
        long[] keys = new long[numbers.Count];
        bool isSorted = true;
        for (int i = 0; i < keys.Length; i++)
        {
            keys[i] = (long)numbers[i] << 32 | (uint)i;
            isSorted &= i == 0 || keys[i - 1] < keys[i];
        }
        if (!isSorted) Array.Sort(keys);
        _sorted = new int[keys.Length];
        _declaredAt = new int[keys.Length];
        int count = 0;
        foreach (long key in keys)
        {
            int number = (int)(key >> 32);
            if (count > 0 && _sorted[count - 1] == number) FirstAlias = Math.Min(FirstAlias, (int)key);
            else (_sorted[count], _declaredAt[count++]) = (number, (int)key);
        }
        Array.Resize(ref _sorted, count);
        _hasGaps = (long)_sorted[^1] - _sorted[0] != count - 1;
    }

    /// <summary>The name with its package.</summary>
    public string FullName => field ??= _scope.FullNameOf(_name);

    /// <summary>The file that declares it.</summary>
    public string File { get; }

    /// <summary>Whether a field keeps only the declared values; others are kept as unknown fields.</summary>
    public bool IsClosed { get; }

    /// <summary>The values in the order of their declaration.</summary>
    public IReadOnlyList<(string Name, int Number)> Values =>
        field ??= Array.AsReadOnly(_declaredNames.Zip(_declaredNumbers).ToArray());

    /// <summary>The name of a number, the first declared if several have it; null if none has.</summary>
    public string? GetName(int number) => IndexOf(number) is >= 0 and var index ? _declaredNames[_declaredAt[index]] : null;

    /// <summary>The number of a name.</summary>
    public bool TryGetNumber(string name, out int number) => _numbers.TryGetValue(name, out number);

    internal int First => _declaredNumbers[0];

    internal bool TryAddName(string name, int number) => _numbers.TryAdd(name, number);

    // The place of the first value whose number has an earlier name, which the number keeps; int.MaxValue if there is none.
    internal int FirstAlias { get; } = int.MaxValue;

    internal bool Has(int number) => IndexOf(number) >= 0;

    private int IndexOf(int number)
    {
        if (_hasGaps) return Array.BinarySearch(_sorted, number);
        uint index = (uint)(number - _sorted[0]);
        return index < (uint)_sorted.Length ? (int)index : -1;
    }

    /// <inheritdoc/>
    public override string ToString() => FullName;
}

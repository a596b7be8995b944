namespace MemPrims.Wire;

/// <summary>
/// One value in a message, found without decoding the rest: <c>lines[3].sku</c>, <c>labels["key"]</c>, <c>[pkg.extension].id</c>. The
/// first step is a field of the message itself, and <c>lines[*].sku</c> stands for every line: see <see cref="ReadAll{T}"/>. Fields beside
/// the path are skipped. As a later field replaces an earlier one, and a sub-message that comes again is merged, every level is read to
/// its end.
/// </summary>
/// <remarks>
/// <para><c>counts["7"]</c> is the value of the key 7 in a map; the quotes are needed for numbers too. In a key, <c>\"</c> is a quote,
/// <c>\\</c> a backslash and <c>\u000a</c> the character of that code.</para>
/// <para><c>counts[7]</c> is an entry of the map, the eighth, and has the fields key and value: <c>counts[7].value</c>. Entries are those
/// of the decoded message, in the order in which their keys came first. A key that comes again replaces its entry.</para>
/// </remarks>
public sealed class FieldPath
{
    private readonly PathStep[] _steps;
    private readonly bool _isMany;

    internal FieldPath(MessageType type, string path)
    {
        _steps = [.. PathStep.Parse(type, path)];
        Type = type;
        Path = path;
        _isMany = Array.Exists(_steps, step => step.Index == PathStep.All);
        Field = _steps[^1].Field;
    }

    /// <summary>The type of message that it starts in.</summary>
    public MessageType Type { get; }

    /// <summary>The path as it was given.</summary>
    public string Path { get; }

    /// <summary>The field that it ends at; of a map, the value of its entries.</summary>
    public MessageField Field { get; }

    /// <summary>
    /// Reads the value from an encoded message. False if it is not set, exactly when <see cref="Message.Has(string)"/> is false on the
    /// decoded message; <paramref name="value"/> is the field's default then. <typeparamref name="T"/> is as for
    /// <see cref="Message.Get{T}(string)"/>: <see cref="object"/> fits every field.
    /// </summary>
    /// <exception cref="WireException">
    /// The value is damaged, or a tag or length of the messages that the path goes through. The content of other fields is not checked.
    /// </exception>
    /// <exception cref="ArgumentException">The field's values are not of this type.</exception>
    /// <exception cref="InvalidOperationException">The path has <c>[*]</c>, which <see cref="ReadAll{T}"/> reads.</exception>
    public bool TryRead<T>(ReadOnlySpan<byte> message, out T value)
    {
        if (_isMany) throw new InvalidOperationException($"The path '{PathText.Shown(Path, 200)}' has [*]: read it by ReadAll.");
        if (!Scalars.Fits<T>(Field)) throw MessageErrors.WrongType(Field, typeof(T));
        PathScanner scanner = new(_steps, message, stackalloc int[_steps.Length], PathScanner.Options, AsText<T>(), null);
        bool isFound = Scan(ref scanner);
        Slot found = isFound ? scanner.Found() : default;
        value = isFound ? Element.Read<T>(null, Field, ref found) : Element.Default<T>(Field);
        return isFound;
    }

    /// <summary>
    /// Every value of the path, in the order of the lists on it: of <c>lines[*].sku</c>, the sku of each line that has one. Without
    /// <c>[*]</c>, the one value or none. As by <see cref="TryRead{T}"/>, fields beside the path are skipped.
    /// </summary>
    /// <exception cref="WireException">
    /// The values are damaged, or a tag or length of the messages that the path goes through; or they are above the limits of the options.
    /// </exception>
    /// <exception cref="ArgumentException">The field's values are not of this type.</exception>
    public List<T> ReadAll<T>(ReadOnlySpan<byte> message, DecodeOptions? options = null)
    {
        if (!Scalars.Fits<T>(Field)) throw MessageErrors.WrongType(Field, typeof(T));
        DecodeOptions own = options is null ? PathScanner.Options : options with { Lazy = false, AllowPartial = true };
        if (message.Length > own.MaxBytes) throw WireErrors.TooLarge(message.Length, own.MaxBytes);
        List<Slot> found = [];
        PathScanner scanner = new(_steps, message, stackalloc int[_steps.Length], own, AsText<T>(), found);
        Scan(ref scanner);
        List<T> values = new(found.Count);
        foreach (ref Slot slot in CollectionsMarshal.AsSpan(found)) values.Add(Element.Read<T>(null, Field, ref slot));
        return values;
    }

    private static bool AsText<T>() => typeof(T) != typeof(ReadOnlyMemory<byte>);

    // The path of a fault is this one, however deep it lies.
    private bool Scan(ref PathScanner scanner)
    {
        try
        {
            return scanner.Scan();
        }
        catch (WireException e) when (e.Path != Path)
        {
            throw new WireException(e.Reason, e.Offset, Path, e);
        }
    }

    /// <inheritdoc/>
    public override string ToString() => $"{Type.FullName}: {Path}";
}

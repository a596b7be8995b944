namespace MemPrims.Wire;

/// <summary>
/// One value in a message, found without decoding the rest: <c>order.lines[3].sku</c>, <c>labels["key"]</c>, <c>[pkg.extension].id</c>.
/// What is not on the path is passed by. As a later field replaces an earlier one, and a sub-message that comes again is merged, every
/// level is read to its end.
/// </summary>
/// <remarks>
/// A key of a map stands in quotes, numbers too: <c>counts["7"]</c>. In it, <c>\"</c> is a quote and <c>\\</c> a backslash. A number
/// without quotes counts entries: <c>counts[7].value</c> is the value of the eighth, in the order in which the keys came first. A key that
/// comes again replaces its entry and is not counted again, so the entries are those of the decoded message.
/// </remarks>
public sealed class FieldPath
{
    private readonly PathStep[] _steps;

    internal FieldPath(MessageType type, string path)
    {
        _steps = [.. PathStep.Parse(type, path)];
        Type = type;
        Path = path;
        PathStep last = _steps[^1];
        Field = last.IsKey ? last.Field.MessageType!.Fields[1] : last.Field;
    }

    /// <summary>The type of message that it starts in.</summary>
    public MessageType Type { get; }

    /// <summary>The path as it was given.</summary>
    public string Path { get; }

    /// <summary>The field that it ends at; of a map, the value of its entries.</summary>
    public MessageField Field { get; }

    /// <summary>
    /// Reads the value from an encoded message. False where it is not set: as after decoding the whole, a number without presence is not
    /// set when it is zero, and <paramref name="value"/> is the field's default then.
    /// </summary>
    /// <exception cref="WireException">
    /// What lies before the value, beside it or in it is damaged. What is passed by is not looked into.
    /// </exception>
    /// <exception cref="ArgumentException">The field's values are not of this type.</exception>
    public bool TryRead<T>(ReadOnlySpan<byte> message, out T value)
    {
        if (!Scalars.Fits<T>(Field)) throw MessageErrors.WrongType<T>(Field);
        PathScanner scanner = new(_steps, message, stackalloc int[_steps.Length]);
        bool isFound;
        try
        {
            isFound = scanner.Scan();
        }
        catch (WireException e) when (e.Path != Path)
        {
            throw new WireException(e.Reason, e.Offset, Path, e);
        }
        value = isFound ? Taken<T>(in scanner) : Element.Default<T>(Field);
        return isFound;
    }

    private T Taken<T>(in PathScanner scanner)
    {
        if (typeof(T) == typeof(ReadOnlyMemory<byte>)) return (T)(object)new ReadOnlyMemory<byte>(scanner.Bytes.ToArray());
        if (typeof(T).IsValueType) return Scalars.FromBits<T>(scanner.Bits);
        object value = Field.Kind switch
        {
            FieldKind.String => Ascii.TryMakeString(scanner.Bytes) ?? System.Text.Encoding.UTF8.GetString(scanner.Bytes),
            FieldKind.Bytes => scanner.Bytes.ToArray(),
            FieldKind.Message or FieldKind.Group => scanner.Message!,
            _ => Scalars.Box(Field.Kind, scanner.Bits),
        };
        return System.Runtime.CompilerServices.Unsafe.As<object, T>(ref value);
    }

    /// <inheritdoc/>
    public override string ToString() => $"{Type.FullName}: {Path}";
}

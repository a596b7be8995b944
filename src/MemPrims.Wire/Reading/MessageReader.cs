namespace MemPrims.Wire;

/// <summary>
/// Walks the fields of an encoded message, in the order in which they lie, without building it. A packed list is one field, whose numbers
/// <see cref="Values"/> walks. For the values at one path, below the top too, see <see cref="FieldPath"/>.
/// </summary>
/// <example><code>
/// MessageReader reader = new(type, bytes);
/// while (reader.Read())
///     if (reader.Field == name) … reader.Bytes …
/// </code></example>
public ref struct MessageReader
{
    private WireScanner _scan;
    private ulong _number;
    private ReadOnlySpan<byte> _bytes;
    private long _valueAt;

    // Walks numbers that lie side by side, all of one field.
    private readonly bool _isList;

    /// <summary>Walks a message of a type.</summary>
    public MessageReader(MessageType type, ReadOnlySpan<byte> message)
        : this(type, message, 0)
    {
    }

    private MessageReader(MessageType type, ReadOnlySpan<byte> message, long offset)
    {
        ArgumentNullException.ThrowIfNull(type);
        Type = type;
        _scan = new(message, offset);
    }

    private MessageReader(MessageField field, ReadOnlySpan<byte> numbers, long offset)
        : this(field.Type, numbers, offset)
    {
        _isList = true;
        Field = field;
        _scan.Expect(field.Number, Scalars.WireTypeOf(field.Kind));
    }

    /// <summary>The type of the message.</summary>
    public MessageType Type { get; }

    /// <summary>The number of the field; 0 before the first <see cref="Read"/>, but not where <see cref="Values"/> are walked.</summary>
    public readonly int Number => _scan.Number;

    /// <summary>How its value is encoded.</summary>
    public readonly WireType WireType => _scan.WireType;

    /// <summary>
    /// The field; null if the schema has no field of this number, or if the wire type is not one that the field can have.
    /// </summary>
    public MessageField? Field { get; private set; }

    /// <summary>Where the field begins, its tag.</summary>
    public long Offset { get; private set; }

    /// <summary>Goes to the next field; false at the end.</summary>
    /// <exception cref="WireException">The bytes are no message.</exception>
    public bool Read()
    {
        Offset = _scan.Offset;
        if (_isList)
        {
            if (_scan.IsAtEnd) return false;
        }
        else
        {
            if (!_scan.Next()) return false;
            Field = FieldOf();
        }
        _bytes = default;
        if (WireType == WireType.EndGroup) throw new WireException(WireErrors.UnexpectedEndGroup(Number), Offset);
        _valueAt = _scan.Offset;
        if (WireType is WireType.Bytes or WireType.StartGroup) _bytes = _scan.Content(out _valueAt);
        else _number = _scan.Raw();
        return true;
    }

    /// <summary>The bytes after a length (text, bytes, a message, a packed list), or between the tags of a group.</summary>
    public readonly ReadOnlySpan<byte> Bytes => WireType is WireType.Bytes or WireType.StartGroup ? _bytes : throw Wrong("bytes");

    /// <summary>A number as it is encoded.</summary>
    public readonly ulong Raw => WireType is WireType.Bytes or WireType.StartGroup ? throw Wrong("a number") : _number;

    /// <summary>An int32, sint32, sfixed32 or enum.</summary>
    public readonly int Int32 => (int)Value;

    /// <summary>An int64, sint64 or sfixed64.</summary>
    public readonly long Int64 => (long)Value;

    /// <summary>A uint32 or fixed32.</summary>
    public readonly uint UInt32 => (uint)Value;

    /// <summary>A uint64 or fixed64.</summary>
    public readonly ulong UInt64 => Value;

    /// <summary>A bool.</summary>
    public readonly bool Bool => Value != 0;

    /// <summary>A float.</summary>
    public readonly float Float => BitConverter.UInt32BitsToSingle((uint)Value);

    /// <summary>A double.</summary>
    public readonly double Double => BitConverter.UInt64BitsToDouble(Value);

    /// <summary>Text.</summary>
    /// <exception cref="WireException">It is not UTF-8.</exception>
    public readonly string Text
    {
        get
        {
            if (!Ascii.IsUtf8(Bytes)) throw new WireException(WireErrors.InvalidUtf8, _valueAt, Field?.Name ?? "");
            return Ascii.MakeString(_bytes);
        }
    }

    /// <summary>Walks the sub-message that the field is.</summary>
    public readonly MessageReader Inner() =>
        Field?.MessageType is { } type ? new(type, Bytes, _valueAt) : throw Wrong("a message of the schema");

    /// <summary>
    /// Walks the numbers of a field of numbers: all of a packed list, or the one that a writer did not pack. Each <see cref="Read"/> goes
    /// to the next.
    /// </summary>
    /// <exception cref="InvalidOperationException">The field is not one of numbers, or the schema does not know it.</exception>
    public readonly MessageReader Values()
    {
        if (Field is not { } field || Scalars.TypeOf(field.Kind) is null) throw Wrong("numbers");
        return new(field, WireType == WireType.Bytes ? _bytes : _scan.Since(_valueAt), _valueAt);
    }

    private readonly ulong Value => Field is null ? Raw : Scalars.OfWire(Field.Kind, Raw);

    private readonly MessageField? FieldOf()
    {
        int index = Type.IndexOf((uint)Number);
        if (index < 0) return null;
        ref FieldOp op = ref Type.Ops[index];
        uint tag = (uint)Number << 3 | (uint)WireType;
        return tag == op.Tag || (tag == op.OtherTag && tag != 0) ? op.Field : null;
    }

    private readonly InvalidOperationException Wrong(string what) =>
        Number == 0 ? new("There is no field yet: call Read first.")
        : new($"{Field?.ToString() ?? $"Field {Number}"} is encoded as {WireType} and cannot be read as {what}.");
}

using System.Text;

namespace DocumentStore;

/// <summary>
/// A value of a field in the form that indexes keep: the order of the bytes is that of the values. False and true come first, then
/// numbers, then texts in the order of their UTF-8, of which the characters in the first 255 bytes count. Threads: immutable.
/// </summary>
public readonly struct FieldValue
{
    private const int MostText = 255;
    private const byte False = 1, True = 2, Number = 3, Text = 4;

    private FieldValue(byte[] key) => Key = key;

    private FieldValue(byte kind, int room) : this(new byte[1 + room]) => Key[0] = kind;

    /// <exception cref="ArgumentException">The text has half of a surrogate pair.</exception>
    public static implicit operator FieldValue(string text) => Of(Batch.Encode(text));

    public static implicit operator FieldValue(double number)
    {
        FieldValue value = new(Number, SortableKey.SizeOfDouble);
        SortableKey.WriteDouble(value.Key.AsSpan(1), number);
        return value;
    }

    public static implicit operator FieldValue(bool truth) => new(truth ? True : False, 0);

    /// <param name="text">Valid UTF-8.</param>
    internal static FieldValue Of(ReadOnlySpan<byte> text)
    {
        if (text.Length > MostText)
        {
            int end = MostText;
            // Half a character is no text any more.
            while ((text[end] & 0xC0) == 0x80) end--;
            text = text[..end];
        }
        FieldValue value = new(Text, (int)SortableKey.SizeOfBlock(text));
        SortableKey.WriteBlock(value.Key.AsSpan(1), text);
        return value;
    }

    /// <param name="key">The <see cref="Key"/> of a value.</param>
    internal static FieldValue OfKey(byte[] key) => new(key);

    /// <summary>The kind, and the value so that it sorts: a key of an index, but for the document's number after it.</summary>
    internal byte[] Key { get; }

    /// <summary>The value as a facet shows it: a text is itself.</summary>
    internal ReadOnlySpan<byte> Name
    {
        get
        {
            if (Key[0] is False or True) return Key[0] == True ? "true"u8 : "false"u8;
            if (Key[0] == Number)
            {
                SortableKey.ReadDouble(Key.AsSpan(1), out double number, out _);
                return Encoding.UTF8.GetBytes(number.ToString("R"));
            }
            // A block without zeros is as it was, but for its two last bytes.
            if (!Key.AsSpan(1..^2).Contains((byte)0)) return Key.AsSpan(1..^2);
            byte[] text = new byte[Key.Length];
            SortableKey.ReadBlock(Key.AsSpan(1), text, out _, out int length);
            return text.AsSpan(0, length);
        }
    }
}

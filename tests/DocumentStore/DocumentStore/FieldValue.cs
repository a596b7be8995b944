using System.Buffers.Binary;
using System.Text;

namespace DocumentStore;

/// <summary>
/// A value of a field in the form that indexes keep: the order of the bytes is that of the values. False and true come first, then
/// numbers,
/// then texts in the order of their UTF-8, of which the first 255 bytes count. Threads: immutable.
/// </summary>
public readonly struct FieldValue
{
    internal const int MostText = 255;
    internal const byte False = 1, True = 2, Number = 3, Text = 4;

    private readonly byte[] _key;

    private FieldValue(byte kind, ReadOnlySpan<byte> content)
    {
        FieldValues one = new();
        one.Add(0, kind, content);
        _key = one.Key(0).ToArray();
    }

    public static implicit operator FieldValue(string text) => new(Text, Encoding.UTF8.GetBytes(text));

    public static implicit operator FieldValue(double number) => new(Number, Sortable(number, stackalloc byte[8]));

    public static implicit operator FieldValue(bool value) => new(value ? True : False, []);

    internal ReadOnlyMemory<byte> Key => _key;

    /// <summary>Positive numbers get the sign bit, negative ones are turned round: then bytes are in the order of the numbers.</summary>
    internal static ReadOnlySpan<byte> Sortable(double number, Span<byte> bytes)
    {
        long bits = BitConverter.DoubleToInt64Bits(number == 0 ? 0 : number);
        BinaryPrimitives.WriteInt64BigEndian(bytes, bits < 0 ? ~bits : bits ^ long.MinValue);
        return bytes;
    }

    internal static double NumberOf(ReadOnlySpan<byte> sortable)
    {
        long bits = BinaryPrimitives.ReadInt64BigEndian(sortable);
        return BitConverter.Int64BitsToDouble(bits < 0 ? bits ^ long.MinValue : ~bits);
    }
}

/// <summary>The values that the paths of one document lead to. Used again for each document. Threads: one.</summary>
internal sealed class FieldValues
{
    private readonly List<(int Path, int Start, int Length)> _values = [];
    private byte[] _bytes = new byte[256];
    private int _used;

    public int Count => _values.Count;

    public void Clear()
    {
        _values.Clear();
        _used = 0;
    }

    public int PathOf(int value) => _values[value].Path;

    /// <summary>The kind and the content: a key of an index, but for the id behind it.</summary>
    public ReadOnlySpan<byte> Key(int value) => _bytes.AsSpan(_values[value].Start, _values[value].Length);

    /// <summary>The value as a facet shows it: a text is itself.</summary>
    public ReadOnlySpan<byte> Name(int value)
    {
        ReadOnlySpan<byte> key = Key(value);
        return key[0] switch
        {
            FieldValue.Text => key[1..^2],
            FieldValue.Number => Encoding.UTF8.GetBytes(FieldValue.NumberOf(key[1..]).ToString("R")),
            _ => key[0] == FieldValue.True ? "true"u8 : "false"u8,
        };
    }

    public void Add(int path, double number) => Add(path, FieldValue.Number, FieldValue.Sortable(number, stackalloc byte[8]));

    public void Add(int path, bool value) => Add(path, value ? FieldValue.True : FieldValue.False, []);

    public void Add(int path, ReadOnlySpan<byte> text) =>
        Add(path, FieldValue.Text, text[..Math.Min(text.Length, FieldValue.MostText)]);

    /// <summary>A text ends with two zeros, so that a shorter one comes first; a zero in it is followed by 255.</summary>
    internal void Add(int path, byte kind, ReadOnlySpan<byte> content)
    {
        int start = _used;
        if (_used + 2 * content.Length + 3 > _bytes.Length) Array.Resize(ref _bytes, 2 * (_bytes.Length + content.Length));
        _bytes[_used++] = kind;
        for (int zero; kind == FieldValue.Text && (zero = content.IndexOf((byte)0)) >= 0; content = content[(zero + 1)..])
        {
            content[..(zero + 1)].CopyTo(_bytes.AsSpan(_used));
            _bytes[(_used += zero + 2) - 1] = 0xFF;
        }
        content.CopyTo(_bytes.AsSpan(_used));
        _used += content.Length;
        if (kind == FieldValue.Text) _bytes.AsSpan((_used += 2) - 2, 2).Clear();
        _values.Add((path, start, _used - start));
    }
}

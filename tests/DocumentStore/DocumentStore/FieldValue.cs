using System.Text;
using MemPrims.Codecs;

namespace DocumentStore;

/// <summary>
/// A value of a field in the form that indexes keep: the order of the bytes is that of the values. False and true come first, then
/// numbers, then texts in the order of their UTF-8, of which the first 255 bytes count. Threads: immutable.
/// </summary>
public readonly struct FieldValue
{
    internal const int MostText = 255;
    internal const byte False = 1, True = 2, Number = 3, Text = 4;

    private FieldValue(FieldValues one) => Key = one.Key(0).ToArray();

    public static implicit operator FieldValue(string text) => new(new FieldValues().Add(0, Encoding.UTF8.GetBytes(text)));

    public static implicit operator FieldValue(double number) => new(new FieldValues().Add(0, number));

    public static implicit operator FieldValue(bool value) => new(new FieldValues().Add(0, value));

    internal ReadOnlyMemory<byte> Key { get; }
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

    /// <summary>The kind and the content: a key of an index, but for the id after it.</summary>
    public ReadOnlySpan<byte> Key(int value) => _bytes.AsSpan(_values[value].Start, _values[value].Length);

    /// <summary>The value as a facet shows it: a text is itself.</summary>
    public ReadOnlySpan<byte> Name(int value)
    {
        ReadOnlySpan<byte> key = Key(value);
        switch (key[0])
        {
            case FieldValue.Text:
                if (!key[1..^2].Contains((byte)0)) return key[1..^2];
                byte[] text = new byte[key.Length];
                SortableKey.ReadBlock(key[1..], text, out _, out int length);
                return text.AsSpan(0, length);
            case FieldValue.Number:
                SortableKey.ReadDouble(key[1..], out double number, out _);
                return Encoding.UTF8.GetBytes(number.ToString("R"));
            default:
                return key[0] == FieldValue.True ? "true"u8 : "false"u8;
        }
    }

    public FieldValues Add(int path, double number)
    {
        Span<byte> to = Begin(path, FieldValue.Number, SortableKey.SizeOfDouble);
        return End(SortableKey.WriteDouble(to, number));
    }

    public FieldValues Add(int path, bool value)
    {
        Begin(path, value ? FieldValue.True : FieldValue.False, 0);
        return End(0);
    }

    public FieldValues Add(int path, ReadOnlySpan<byte> text)
    {
        text = text[..Math.Min(text.Length, FieldValue.MostText)];
        Span<byte> to = Begin(path, FieldValue.Text, (int)SortableKey.SizeOfBlock(text));
        return End(SortableKey.WriteBlock(to, text));
    }

    private Span<byte> Begin(int path, byte kind, int room)
    {
        if (_used + 1 + room > _bytes.Length) Array.Resize(ref _bytes, 2 * (_bytes.Length + room));
        _values.Add((path, _used, 1));
        _bytes[_used++] = kind;
        return _bytes.AsSpan(_used);
    }

    private FieldValues End(int length)
    {
        _values[^1] = _values[^1] with { Length = 1 + length };
        _used += length;
        return this;
    }
}

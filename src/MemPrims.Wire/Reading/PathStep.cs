namespace MemPrims.Wire;

// One field of a path, and which of its values: lines[3]. Of a map, labels["key"] is two steps: the entry of the key, and its value.
internal sealed class PathStep
{
    public required MessageField Field { get; init; }

    // The index in a repeated field; -1 if it is not repeated, or a map with a key.
    public int Index { get; init; } = -1;

    // The key of a map as bits, or as UTF-8.
    public ulong KeyBits { get; init; }

    public byte[]? KeyText { get; init; }

    public bool IsKey { get; init; }

    // The index that stands for every value: lines[*].
    public const int All = -2;

    // As deep as a message is decoded: the scan calls itself for each step, and for a key once more.
    private const int LongestPath = 100;

    public static List<PathStep> Parse(MessageType type, string path)
    {
        ArgumentNullException.ThrowIfNull(path);
        List<PathStep> steps = [];
        MessageType? at = type;
        int position = 0, length = 0;
        do
        {
            if (at is null) throw Bad(path, $"{steps[^1].Field} is no message, and so has no fields");
            PathStep step = ParseStep(at, path, ref position);
            steps.Add(step);
            // The value of a map entry is what a path goes on in.
            if (step.IsKey) steps.Add(new() { Field = step.Field.MessageType!.Fields[1] });
            if (++length > LongestPath) throw Bad(path, $"it has more than {LongestPath} steps");
            at = steps[^1].Field.MessageType;
            if (position == path.Length) return steps;
            if (path[position++] != '.') throw Bad(path, $"'.' is expected (at {position - 1})");
        }
        while (true);
    }

    private static PathStep ParseStep(MessageType type, string path, ref int position)
    {
        int start = position;
        if (start < path.Length && path[start] == '[')
        {
            position = path.IndexOf(']', start) + 1;
            if (position == 0) throw Bad(path, "the name of an extension ends with ']'");
        }
        else
        {
            while (position < path.Length && path[position] is not ('.' or '[')) position++;
        }
        string name = path[start..position];
        if (!type.TryGetField(name, out MessageField? field))
        {
            // What stands before is a map with the number of an entry.
            string hint = type.IsMapEntry ? "; the value of a key is taken by the key in quotes, as [\"7\"]" : "";
            throw Bad(path, $"{type.NoFieldText(name)}{hint} (at {start})");
        }
        if (position == path.Length || path[position] != '[')
        {
            if (field.IsRepeated)
            {
                string orKey = field.IsMap ? ", or which key, as [\"key\"]" : "";
                throw Bad(path, $"{field} is repeated: say which value, as {field.Name}[0]{orKey}");
            }
            return new() { Field = field };
        }
        if (!field.IsRepeated) throw Bad(path, $"{field} is not repeated and takes no index");
        position++;
        if (position < path.Length && path[position] == '"')
        {
            string key = ParseKey(path, ref position);
            return WithKey(field, path, key);
        }
        if (path.AsSpan(position).StartsWith("*]", StringComparison.Ordinal))
        {
            position += 2;
            return new() { Field = field, Index = All };
        }
        int close = path.IndexOf(']', position);
        if (close < 0 || !int.TryParse(path[position..close], NumberStyles.None, CultureInfo.InvariantCulture, out int index))
            throw Bad(path, field.IsMap ? $"brackets hold a key in quotes, as [\"key\"], or the number of an entry (at {position})"
                : $"brackets hold an index, which is a number, or * (at {position})");
        position = close + 1;
        return new() { Field = field, Index = index };
    }

    // The text up to a quote and a bracket. A backslash before a quote or another backslash says that this one is part of the key.
    private static string ParseKey(string path, ref int position)
    {
        StringBuilder key = new();
        for (position++; position < path.Length; position++)
        {
            if (path.AsSpan(position).StartsWith("\"]", StringComparison.Ordinal))
            {
                position += 2;
                return key.ToString();
            }
            if (TryEscaped(path, position, out char c))
            {
                key.Append(c);
                position += 5;
                continue;
            }
            if (path[position] == '\\' && position + 1 < path.Length && path[position + 1] is ('"' or '\\')) position++;
            key.Append(path[position]);
        }
        throw Bad(path, "a key ends with \"]");
    }

    // \u and four hexadecimal digits.
    private static bool TryEscaped(string path, int position, out char c)
    {
        c = '\0';
        if (!path.AsSpan(position).StartsWith("\\u", StringComparison.Ordinal) || path.Length - position < 6) return false;
        bool isHex = ushort.TryParse(path.AsSpan(position + 2, 4), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture,
            out ushort code);
        c = (char)code;
        return isHex;
    }

    private static PathStep WithKey(MessageField field, string path, string key)
    {
        if (!field.IsMap) throw Bad(path, $"{field} is no map and has no keys");
        MessageField keyField = field.MessageType!.Fields[0];
        if (keyField.IsText)
        {
            if (!Utf16.IsWhole(key)) throw Bad(path, "the key has half of a surrogate pair");
            return new() { Field = field, IsKey = true, KeyText = Encoding.UTF8.GetBytes(key) };
        }
        if (!JsonNumbers.TryParseKey(keyField.Kind, Encoding.UTF8.GetBytes(key), out ulong bits))
            throw Bad(path, $"'{PathText.Shown(key)}' is no {keyField.KindName}, which the keys of {field} are");
        return new() { Field = field, IsKey = true, KeyBits = bits };
    }

    private static ArgumentException Bad(string path, string reason) =>
        new($"The path '{PathText.Shown(path, 200)}' leads nowhere: {reason}.", nameof(path));
}

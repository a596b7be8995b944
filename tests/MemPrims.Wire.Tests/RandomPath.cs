namespace MemPrims.Wire.Tests;

// A path drawn at random, and what it finds in a message that was decoded as a whole, step by step.
internal sealed class RandomPath
{
    private readonly MessageType _type;
    private readonly List<(MessageField Field, int Index, object? Key)> _steps = [];

    private const int None = -1, All = -2;

    private RandomPath(MessageType type) => _type = type;

    public string Text { get; private set; } = "";

    // A path of a type; keys and indexes of which some are there.
    public static RandomPath? Draw(Random random, MessageType type, Message? whole)
    {
        RandomPath path = new(type);
        MessageType? at = type;
        for (int level = 0; level == 0 || (at is not null && random.Next(5) > 0 && level < 6); level++)
        {
            if (at!.Fields.Count == 0) return level == 0 ? null : path;
            MessageField field = at.Fields[random.Next(at.Fields.Count)];
            // Rather a field that is there, or a message.
            for (int tries = 0; tries < 4 && field.MessageType is null && whole?.Has(field.Name) != true; tries++)
                field = at.Fields[random.Next(at.Fields.Count)];
            if (whole is not null && whole.Type != at) whole = null;
            path.Text += (level == 0 ? "" : ".") + field.Name;
            at = field.MessageType;
            if (!field.IsRepeated)
            {
                path._steps.Add((field, None, null));
                whole = whole is not null && whole.Has(field.Name) && field.MessageType is not null
                ? whole.Get<Message>(field.Name) : null;
                continue;
            }
            int count = whole?.CountOf(field.Name) ?? 0, index = random.Next(3) == 0 ? All : random.Next(Math.Max(3, count));
            // A key that is not UTF-8 (proto2 allows it) has no text, so no path names it.
            if (field.IsMap && count > 0 && random.Next(2) == 0
                && whole!.GetAt<Message>(field.Name, random.Next(count)).Get<object>("key") is var key
                && !(key is string name && name.Contains('\uFFFD')))
            {
                path._steps.Add((field, None, key));
                string text = key is bool flag ? flag ? "true" : "false" : FormattableString.Invariant($"{key}");
                path.Text += $"[\"{text.Replace("\\", "\\\\").Replace("\"", "\\\"")}\"]";
                at = field.MessageType!.Fields[1].MessageType;
                whole = null;
                continue;
            }
            path._steps.Add((field, index, null));
            path.Text += index == All ? "[*]" : $"[{index}]";
            whole = index >= 0 && index < count && field.MessageType is not null ? whole!.GetAt<Message>(field.Name, index) : null;
        }
        return path;
    }

    // Whether the path finds in the bytes what it finds in the message; a message that was refused says nothing.
    public void Check(ReadOnlySpan<byte> bytes, Message? whole)
    {
        FieldPath path = _type.Path(Text);
        string what = $"{path} in {Convert.ToHexString(bytes)}";
        bool isMany = _steps.Exists(step => step.Index == All);
        List<object> read;
        try
        {
            read = path.ReadAll<object>(bytes);
            if (!isMany)
            {
                Assert.True(path.TryRead(bytes, out object one) == read.Count > 0, what);
                if (read.Count > 0) Assert.True(Same(read[0], one), what);
            }
        }
        catch (WireException e) when (whole is not null)
        {
            throw new InvalidOperationException($"{what}: decoding reads it, the path does not: {e.Message}", e);
        }
        catch (WireException)
        {
            return;
        }
        if (whole is null) return;
        List<object> expected = [];
        Walk(whole, 0, expected);
        Assert.True(expected.Count == read.Count, $"{what}: {expected.Count} values, {read.Count} were read");
        for (int i = 0; i < read.Count; i++)
            Assert.True(Same(expected[i], read[i]), $"{what}: value {i} is {expected[i]}, {read[i]} was read");
    }

    private static bool Same(object value, object? other) =>
        value is byte[] bytes ? other is byte[] others && bytes.AsSpan().SequenceEqual(others) : value.Equals(other);

    private void Walk(Message message, int level, List<object> values)
    {
        (MessageField field, int index, object? key) = _steps[level];
        if (!field.IsRepeated)
        {
            if (message.Has(field.Name)) Take(message.Get<object>(field.Name), level, values);
            return;
        }
        for (int i = 0; i < message.CountOf(field.Name); i++)
            if (key is not null)
            {
                Message entry = message.GetAt<Message>(field.Name, i);
                if (entry.Get<object>("key").Equals(key)) Take(entry.Get<object>("value"), level, values);
            }
            else if (index == All || index == i) Take(message.GetAt<object>(field.Name, i), level, values);
    }

    private void Take(object value, int level, List<object> values)
    {
        if (level + 1 == _steps.Count) values.Add(value);
        else Walk((Message)value, level + 1, values);
    }
}

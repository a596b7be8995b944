namespace MemPrims.Wire;

// Text in errors. What a sender wrote is shortened and its control characters are escaped, so that it can neither fill a log, nor write
// lines into it, nor colour a terminal. Paths have the form that MessageType.Path takes.
internal static class PathText
{
    // A name or value of a sender, in the text of an error: without control characters; of a long one, the beginning and the end.
    public static string Shown(string text, int most = 64, bool isKey = false)
    {
        StringBuilder shown = new();
        if (text.Length <= most) Escape(shown, text, isKey);
        else
        {
            int head = most / 2, tail = text.Length - most / 2;
            Escape(shown, text.AsSpan(0, char.IsHighSurrogate(text[head - 1]) ? head - 1 : head), isKey);
            Escape(shown.Append('…'), text.AsSpan(char.IsLowSurrogate(text[tail]) ? tail + 1 : tail), isKey);
        }
        return shown.ToString();
    }

    // A key of a map as a path has it: ["key"]. A longer one is cut; such a path is for people.
    public static string Key(string key) => $"[\"{Shown(key, isKey: true)}\"]";

    // A step of a path: a field, and which of its values: an element of a list, or what an entry of a map or its key says.
    public static string Step(MessageField field, int element, object? key) => key switch
    {
        Message entry => field.Name + Key(entry),
        string text => field.Name + Key(text),
        _ => element >= 0 ? $"{field.Name}[{element}]" : field.Name,
    };

    public static string Key(Message entry)
    {
        MessageField key = entry.Type.Fields[0];
        ref Slot slot = ref entry.SlotOf(0);
        return Key(key.IsText ? slot.Text(entry.Source) : Number(key.Kind, slot.Bits));
    }

    public static string Number(FieldKind kind, ulong bits) => kind == FieldKind.Bool ? bits != 0 ? "true" : "false"
        : ((IFormattable)Scalars.Box(kind, bits)).ToString(null, CultureInfo.InvariantCulture);

    private static void Escape(StringBuilder shown, ReadOnlySpan<char> text, bool isKey)
    {
        for (int i = 0; i < text.Length; i++)
        {
            char c = text[i];
            if (i + 1 < text.Length && char.IsSurrogatePair(c, text[i + 1])) shown.Append(c).Append(text[++i]);
            else if (IsUnseen(c)) shown.Append("\\u").Append(((int)c).ToString("x4", CultureInfo.InvariantCulture));
            else
            {
                if (isKey && (c is '"' or '\\')) shown.Append('\\');
                shown.Append(c);
            }
        }
    }

    // Control characters, line ends, what turns the direction of writing, and halves of characters.
    private static bool IsUnseen(char c) => char.GetUnicodeCategory(c) is UnicodeCategory.Control or UnicodeCategory.Format
        or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator or UnicodeCategory.Surrogate;
}

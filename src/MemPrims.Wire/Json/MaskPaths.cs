namespace MemPrims.Wire;

// The paths of a FieldMask: snake_case in the message, lowerCamelCase in JSON. What would not come back the same is refused.
internal static class MaskPaths
{
    public static string ToJson(string path)
    {
        string json = FieldResolver.ToJsonName(path);
        return FromJson(json) == path ? json : throw new WireException($"the path '{PathText.Shown(path)}' of a FieldMask has a capital "
            + "letter, or a '_' without a small letter behind it, so it would not come back from JSON the same");
    }

    public static string? FromJson(string json)
    {
        StringBuilder path = new(json.Length + 8);
        foreach (char c in json)
        {
            if (c == '_') return null;
            if (char.IsAsciiLetterUpper(c)) path.Append('_').Append(char.ToLowerInvariant(c));
            else path.Append(c);
        }
        return path.ToString();
    }
}

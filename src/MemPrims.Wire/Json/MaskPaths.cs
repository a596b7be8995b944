using System.Text;

namespace MemPrims.Wire;

// The paths of a FieldMask: snake_case in the message, lowerCamelCase in JSON. What would not come back the same is refused.
internal static class MaskPaths
{
    public static string ToJson(string path)
    {
        StringBuilder json = new(path.Length);
        for (int i = 0; i < path.Length; i++)
        {
            char c = path[i];
            if (char.IsAsciiLetterUpper(c)) throw Refuse(path, "has a capital letter");
            if (c != '_')
            {
                json.Append(c);
                continue;
            }
            if (++i == path.Length || !char.IsAsciiLetterLower(path[i])) throw Refuse(path, "has a '_' without a small letter behind it");
            json.Append(char.ToUpperInvariant(path[i]));
        }
        return json.ToString();
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

    private static WireException Refuse(string path, string why) =>
        new($"the path '{PathText.Shown(path)}' of a FieldMask {why}, so it would not come back from JSON the same");
}

namespace MemPrims.Wire;

// What is declared under a name: the inner packages of a package, the messages and enums of a package or message, by their simple names.
// Full names are put together when somebody asks for them. So loading takes memory for each name once, however long the names around it
// are, and a name is looked for by its parts.
internal sealed class NameScope(NameScope? outer, string name)
{
    // Packages, as scopes of their own, messages and enums.
    private readonly Dictionary<string, object> _members = new(StringComparer.Ordinal);

    public NameScope? Outer => outer;

    public string FullName => field ??= outer is null ? "" : outer.FullNameOf(name);

    public int Length { get; } = outer is null ? 0 : outer.LengthOf(name);

    public int LengthOf(string member) => Length == 0 ? member.Length : Length + 1 + member.Length;

    public string FullNameOf(string member) => Length == 0 ? member : $"{FullName}.{member}";

    public bool TryAdd(string member, object declared) => _members.TryAdd(member, declared);

    // The package of a name in this one; null if something else has the name.
    public NameScope? Package(string member)
    {
        if (!_members.TryGetValue(member, out object? found)) _members.Add(member, found = new NameScope(this, member));
        return found as NameScope;
    }

    // What a path names, from this scope outwards. Where its first part is found, the others are looked for, and nowhere else, as protoc
    // does: so a name costs a look-up for each of its parts and each scope, not for each part in each scope.
    public object? Resolve(string path)
    {
        int dot = path.IndexOf('.');
        string first = dot < 0 ? path : path[..dot];
        for (NameScope? at = this; at is not null; at = at.Outer)
            if (at._members.TryGetValue(first, out object? found))
            {
                if (dot < 0 && found is not NameScope) return found;
                if (dot >= 0 && Inside(found) is { } inner) return inner.Find(path, dot + 1);
            }
        return null;
    }

    // What a path names, as Outer.Inner, beginning in this scope.
    public object? Find(string path, int start = 0)
    {
        for (NameScope? at = this; at is not null;)
        {
            int dot = path.IndexOf('.', start);
            if (!at._members.TryGetValue(dot < 0 ? path[start..] : path[start..dot], out object? found)) return null;
            if (dot < 0) return found;
            at = Inside(found);
            start = dot + 1;
        }
        return null;
    }

    private static NameScope? Inside(object member) => member as NameScope ?? (member as MessageType)?.Scope;
}

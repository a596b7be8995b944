namespace MemPrims.Tests;

// The rooms of src/MemPrims, its folders, and who may use whom. What lies in no folder belongs to the house: open to every room. The
// internals of Compare, Copy, Native and Hardware are open to the kernels: those four and Checksums. All other internals stay in their
// room.
internal static class RoomRules
{
    private static readonly string[] s_ground = ["Native", "Hardware"], s_core = ["Compare", "Copy", .. s_ground],
        s_kernels = [.. s_core, "Checksums"];

    private static readonly Dictionary<string, string[]> s_uses = new()
    {
        ["Native"] = s_ground,
        ["Hardware"] = s_ground,
        ["Compare"] = s_core,
        ["Copy"] = s_core,
        ["Checksums"] = s_core,
        ["Codecs"] = s_core,
        ["Buffers"] = [.. s_core, "Codecs"],
        ["Sets"] = [.. s_core, "Checksums"],
        ["Pages"] = [.. s_core, "Checksums"],
    };

    // A sentence for each name that should not be where it is. The paths are relative to src/MemPrims.
    public static IEnumerable<string> Violations(IReadOnlyCollection<SourceFile> files)
    {
        foreach (string room in files.Select(file => file.Room).Distinct())
            if (room != "" && !s_uses.ContainsKey(
                room)) yield return $"{room}/ is no room of the house: give it a line in RoomRules and in ARCHITECTURE.md.";

        DeclaredType[] types = [.. files.SelectMany(file => file.Types).Distinct()];
        ILookup<string, string> roomsOf = types.ToLookup(type => type.Name, type => type.Room);
        foreach (SourceFile file in files)
            foreach (DeclaredType type in types)
            {
                // A room that has a type of this name means its own.
                if (type.Room == "" || type.Room == file.Room || roomsOf[type.Name].Contains(file.Room) || !file.Names(type)) continue;
                if (!s_uses.GetValueOrDefault(file.Room, []).Contains(type.Room))
                    yield return $"{file.Path} names {type.Name} of {type.Room}, "
                        + $"which {(file.Room == "" ? "the house" : file.Room)} may not use.";
                else if (!type.IsPublic && !(s_core.Contains(type.Room) && s_kernels.Contains(file.Room)))
                    yield return $"{file.Path} names {type.Name}, an internal of {type.Room}.";
            }
    }
}

namespace MemPrims.Tests;

// The sources are held to the map of the house, src/ARCHITECTURE.md.
public class ArchitectureTests
{
    private static readonly string s_root = Repository.Root, s_core = Path.Combine(s_root, "src", "MemPrims");

    [Fact]
    public void No_room_names_a_room_above_it_or_the_internals_of_another()
    {
        SourceFile[] files = Sources(s_core);
        Assert.Contains(files, file => file.Room == "Compare");
        AssertNone(RoomRules.Violations(files));
    }

    [Fact]
    public void No_package_gains_a_dependency_and_arrows_point_one_way()
    {
        string[] projects = Directory.GetFiles(Path.Combine(s_root, "src"), "*.csproj", SearchOption.AllDirectories);
        Assert.NotEmpty(projects);
        AssertNone(projects.SelectMany(project =>
            ProjectRules.Violations(Path.GetFileNameWithoutExtension(project), File.ReadAllText(project))));
    }

    [Fact]
    public void No_setting_for_many_projects_gives_the_products_a_dependency() => AssertNone(
        from props in (string[])["Directory.Build.props", "Directory.Build.targets", "src/Directory.Build.props",
            "src/Directory.Build.targets"]
        let path = Path.Combine(s_root, props)
        where File.Exists(path)
        from violation in ProjectRules.Violations("MemPrims", File.ReadAllText(path))
        select $"{props}: {violation}");

    [Fact]
    public void Every_file_is_of_readable_size_and_finished() => AssertNone(
        from folder in (string[])["src", "tests", "benchmarks"]
        let path = Path.Combine(s_root, folder)
        where Directory.Exists(path)
        from file in Sources(path)
        from violation in TextRules.Violations(file)
        select violation);

    [Fact]
    public void Records_and_pages_name_no_system()
    {
        SourceFile[] files = Sources(Path.Combine(s_root, "src"));
        Assert.Contains(files, file => file.Path == "Systems/SystemFile.cs");
        AssertNone(files.SelectMany(file => SystemRules.Violations(file.Path, file.Text)));
    }

    [Fact]
    public void Barriers_stand_only_where_they_are_counted()
    {
        SourceFile[] files = Sources(Path.Combine(s_root, "src"));
        Assert.Contains(files, file => file.Path == "MemPrims/Pages/TreeHeader.cs");
        AssertNone(files.SelectMany(file => OrderRules.Violations(file.Path, file.Text)));
    }

    [Fact]
    public void Every_file_is_named_by_the_type_it_holds() => AssertNone(Sources(s_core).SelectMany(FileNameRules.Violations));

    [Fact]
    public void The_map_shows_every_room_and_every_project()
    {
        string map = Path.Combine(s_root, "src", "ARCHITECTURE.md");
        string text = File.ReadAllText(map);
        IEnumerable<string> folders = Directory.GetDirectories(Path.Combine(s_root, "src")).Concat(Directory.GetDirectories(s_core));
        AssertNone(
            from folder in folders
            let name = Path.GetFileName(folder)
            where name is not ("bin" or "obj") && !text.Contains(name + "/", StringComparison.Ordinal)
            select $"ARCHITECTURE.md does not show {name}/.");
    }

    [Fact]
    public void Every_file_of_a_walk_is_there()
    {
        string source = Path.Combine(s_root, "src");
        string[] walks = [.. File.ReadAllText(Path.Combine(source, "ARCHITECTURE.md")).Split("\n## Walks\n")[1].Split("\n## ")[0]
            .Split('\n').Where(line => line.StartsWith("- ", StringComparison.Ordinal))];
        Assert.Equal(8, walks.Length);
        Assert.All(walks, walk => Assert.True(FilesOf(walk).Length >= 3, $"This walk names fewer than three files: {walk}"));
        AssertNone(from walk in walks
                   from file in FilesOf(walk)
                   where !File.Exists(Path.Combine(source, file))
                   select $"ARCHITECTURE.md walks to {file}, which is not there.");

        static string[] FilesOf(string walk) => [.. walk.Split('`').Where((_, part) => part % 2 != 0).Where(name => name.Contains('/'))];
    }

    [Fact]
    public void No_file_tells_how_it_came_to_be()
    {
        string[] files =
        [
            .. Directory.GetFiles(s_root, "*.md"),
            .. from folder in (string[])["src", "tests", "benchmarks", ".github", ".ci"]
               from path in Directory.GetFiles(Path.Combine(s_root, folder), "*", SearchOption.AllDirectories)
               let relative = Path.GetRelativePath(s_root, path).Replace('\\', '/')
               where !relative.Split('/').Any(part => part is "bin" or "obj")
                   && Path.GetExtension(path) is ".cs" or ".md" or ".c" or ".proto" or ".csproj" or ".props" or ".targets" or ".yml" or ""
               select path,
        ];
        Assert.Contains(files, path => Path.GetFileName(path) == "SECURITY.md");
        Assert.Contains(files, path => Path.GetFileName(path) == "run");
        AssertNone(files.SelectMany(path => HabitRules.Violations(Path.GetRelativePath(s_root, path), File.ReadAllText(path))));
    }

    private static void AssertNone(IEnumerable<string> violations) => Assert.True(!violations.Any(), string.Join('\n', violations));

    private static SourceFile[] Sources(string folder) =>
        [.. from path in Directory.GetFiles(folder, "*.cs", SearchOption.AllDirectories)
            let relative = Path.GetRelativePath(folder, path).Replace('\\', '/')
            where !relative.Split('/').Any(part => part is "bin" or "obj") && !relative.EndsWith(".g.cs", StringComparison.Ordinal)
            select new SourceFile(relative, File.ReadAllText(path))];
}

namespace MemPrims.Tool.Files;

// `file info|verify|dump|salvage`: what a file is, whether it is sound, what is in it, what can be saved.
internal static class FileCommand
{
    public static int Info(string path, string? layout, bool json)
    {
        using Report report = Begin(path, layout, json, out StoredFile file);
        file.Describe(report);
        return Exit.Ok;
    }

    public static int Verify(string path, string? layout, bool json)
    {
        using Report report = Begin(path, layout, json, out StoredFile file);
        try
        {
            Progress.Show("checking", progress => file.Verify(report, progress));
        }
        catch (Exception e) when (Failure.CodeOf(e) == Exit.Damaged)
        {
            report.Add("sound", false);
            throw;
        }
        report.Add("sound", true);
        return Exit.Ok;
    }

    public static int Dump(string path, string? layout, string? tree, bool json, long limit)
    {
        StoredFile file = FileKinds.Open(path, layout);
        if (tree is not null)
        {
            file = (file as SortedPagesFile)?.Only(tree)
                ?? throw new UsageException($"--tree is for sorted pages, and {path} is {file.Kind}.");
        }
        using Dump dump = new(json, limit);
        file.WriteTo(dump);
        return Exit.Ok;
    }

    public static int Salvage(string path, string newPath, string? layout, bool json)
    {
        if (Path.Exists(newPath)) throw new UsageException($"{newPath} is there already. Give the path of a file that is not.");
        using Report report = Begin(path, layout, json, out StoredFile file);
        bool all = false;
        Progress.Show("copying", _ => all = file.Salvage(newPath, report));
        report.Add("new path", Path.GetFullPath(newPath));
        return all ? Exit.Ok : Failure.Tell(Exit.Damaged, "Parts were lost, which the report names. What was sound is in the new file.");
    }

    private static Report Begin(string path, string? layout, bool json, out StoredFile file)
    {
        file = FileKinds.Open(path, layout);
        Report report = new(json);
        report.Add("path", Path.GetFullPath(path));
        report.Add("kind", file.Kind);
        return report;
    }
}

namespace MemPrims.Tool.Files;

// A log, by its folder. It is opened for reading: its writer may go on.
internal sealed class LogFolderFile(string folder) : StoredFile
{
    public override string Kind => "a log";

    public override void Describe(Report report)
    {
        string[] files = Directory.GetFiles(folder, "*.log");
        report.Add("files", files.Length);
        report.Add("bytes in files", files.Sum(file => new FileInfo(file).Length));
        using LogFile log = LogFile.OpenRead(folder);
        report.Add("start", log.Start);
        report.Add("end", log.End);
        report.Add("frames", log.Recovery.Frames);
        report.Add("closed cleanly", log.Recovery.WasClosedCleanly);
        report.Add("bytes after the end", log.Recovery.BytesCut);
        if (log.Recovery.Why is { } why) report.Add("why", why);
    }

    public override void Verify(Report report, Action<long, long> progress)
    {
        using LogFile log = LogFile.OpenRead(folder);
        progress(0, 0);
        log.Verify();
        report.Add("frames checked", log.Recovery.Frames);
        report.Add("from", log.Start);
        report.Add("to", log.End);
        report.Add("closed cleanly", log.Recovery.WasClosedCleanly);
        if (log.Recovery.Why is { } why) report.Add("not part of the log", why);
    }

    public override void WriteTo(Dump dump)
    {
        using LogFile log = LogFile.OpenRead(folder);
        foreach (LogEntry entry in log.ReadFrom())
        {
            if (dump.IsFull) return;
            dump.Line(("position", entry.Position), ("bytes", entry.Payload.Length), ("payload", entry.Payload.ToArray()));
        }
    }

    public override bool Salvage(string newPath, Report report)
    {
        if (IsInside(newPath))
            throw new UsageException($"{newPath} is inside {folder}, which is not changed. Give the path of a folder outside of it.");
        LogSalvage found = LogFile.Salvage(folder, newPath);
        report.Add("frames", found.Frames);
        report.Add("lost", found.Lost.Select(range => $"{range.From}..{range.To}"));
        report.Add("note", "Positions in the new log are others: build its indexes again.");
        return found.Lost.Count == 0;
    }

    private bool IsInside(string newPath)
    {
        string? there = Path.GetFullPath(newPath);
        while (there is not null && !Directory.Exists(there)) there = Path.GetDirectoryName(there);
        return there is not null && Real(there).StartsWith(Real(folder), StringComparison.Ordinal);
    }

    // Where a folder is, with a separator at its end. All links are followed: of the folder to work in, the system tells that.
    private static string Real(string folder)
    {
        string before = Environment.CurrentDirectory;
        try
        {
            Environment.CurrentDirectory = folder;
            return $"{Path.TrimEndingDirectorySeparator(Environment.CurrentDirectory)}{Path.DirectorySeparatorChar}";
        }
        finally
        {
            Environment.CurrentDirectory = before;
        }
    }
}

using System.Diagnostics;

namespace MemPrims.Tests.Pages;

// Skipped, and says so, where no small file system can be mounted: that takes Linux and root.
[AttributeUsage(AttributeTargets.Method)]
internal sealed class SmallDiskFactAttribute : FactAttribute
{
    public SmallDiskFactAttribute() => Skip = SmallDisk.Missing;
}

// Skipped, and says so, on other systems than Linux.
[AttributeUsage(AttributeTargets.Method)]
internal sealed class LinuxFactAttribute : FactAttribute
{
    public LinuxFactAttribute() => Skip = OperatingSystem.IsLinux() ? null : "The test needs Linux.";
}

// A file system of its own and of few bytes, in memory.
internal sealed class SmallDisk : IDisposable
{
    private static readonly Lazy<string?> s_missing = new(Probe);

    private readonly TempFolder _folder = new();

    public SmallDisk(string size)
    {
        string? error = Run("mount", "-t", "tmpfs", "-o", $"size={size}", "none", _folder.Path);
        if (error is not null) throw new InvalidOperationException(error);
    }

    // Why there can be none; null where there can.
    public static string? Missing => s_missing.Value;

    public string File(string name) => _folder.File(name);

    public void Dispose()
    {
        Run("umount", "-l", _folder.Path);
        _folder.Dispose();
    }

    private static string? Probe()
    {
        if (!OperatingSystem.IsLinux()) return "The test mounts a small file system, which takes Linux.";
        try
        {
            new SmallDisk("64k").Dispose();
            return null;
        }
        catch (InvalidOperationException e)
        {
            return $"The test mounts a small file system, and may not: {e.Message}";
        }
    }

    // Null, or what the program complained of.
    private static string? Run(string program, params string[] arguments)
    {
        try
        {
            using Process process = Process.Start(new ProcessStartInfo(program, arguments) { RedirectStandardError = true })!;
            string error = process.StandardError.ReadToEnd();
            process.WaitForExit();
            return process.ExitCode == 0 ? null : error.Trim();
        }
        catch (System.ComponentModel.Win32Exception e)
        {
            return e.Message;
        }
    }
}

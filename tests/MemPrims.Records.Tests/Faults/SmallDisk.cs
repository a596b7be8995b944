using System.Diagnostics;

namespace MemPrims.Records.Tests.Faults;

// A file system of its own and of few bytes, in memory. Mounting takes root: without, the test that asks for one is skipped.
internal sealed class SmallDisk : IDisposable
{
    private readonly TempFolder _folder = new();

    public SmallDisk(string size)
    {
        string? why = !OperatingSystem.IsLinux() ? "tmpfs is Linux's"
            : Run("mount", "-t", "tmpfs", "-o", $"size={size}", "none", _folder.Path);
        if (why is null) return;
        _folder.Dispose();
        throw new SkipTestException($"needs to mount a file system, and cannot: {why}");
    }

    public string File(string name) => _folder.File(name);

    public void MakeReadOnly()
    {
        // A file system is busy while a file is mapped that was opened for writing.
        GC.Collect();
        GC.WaitForPendingFinalizers();
        Assert.Null(Run("mount", "-o", "remount,ro", _folder.Path));
    }

    public void Dispose()
    {
        Run("umount", "-l", _folder.Path);
        _folder.Dispose();
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

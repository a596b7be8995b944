using System.Diagnostics;

namespace MemPrims.Records.Tests.Faults;

// A block device over a file, so that it fails where the file does: it cannot read what was cut off, nor write where there is no room. It
// takes root; without, the test that asks for one is skipped.
internal sealed class LoopDevice : IDisposable
{
    private readonly string? _mounted;

    // mountedAt: a folder where the file system on it is mounted; null when the device itself is used.
    public LoopDevice(string image, string? mountedAt = null)
    {
        (Path, string error) = Run("losetup", "-f", "--show", image);
        if (Path.Length == 0) throw new SkipTestException($"needs a loop device: {error}");
        // Of a read ahead that reaches over the end of the file the driver tells no error: it fills up with zeros.
        Require("blockdev", "--setra", "0", Path);
        if (mountedAt is null) return;
        (_, error) = Run("mount", Path, mountedAt);
        if (error.Length == 0) _mounted = mountedAt;
        else
        {
            Dispose();
            throw new SkipTestException($"needs to mount a file system, and cannot: {error}");
        }
    }

    public string Path { get; }

    // Runs a program; one that is not there, or fails, ends the test as skipped.
    public static void Require(string program, params string[] arguments)
    {
        (_, string error) = Run(program, arguments);
        if (error.Length > 0) throw new SkipTestException($"needs {program}: {error}");
    }

    public void Dispose()
    {
        if (_mounted is not null) Run("umount", "-l", _mounted);
        Run("losetup", "-d", Path);
    }

    // Error is empty when all went well.
    private static (string Output, string Error) Run(string program, params string[] arguments)
    {
        try
        {
            using Process process = Process.Start(new ProcessStartInfo(program, arguments)
            {
                RedirectStandardOutput = true, RedirectStandardError = true,
            })!;
            Task<string> error = process.StandardError.ReadToEndAsync();
            string output = process.StandardOutput.ReadToEnd().Trim();
            process.WaitForExit();
            return process.ExitCode == 0 ? (output, "") : ("", $"{error.Result.Trim()} (exit code {process.ExitCode})");
        }
        catch (System.ComponentModel.Win32Exception e)
        {
            return ("", e.Message);
        }
    }
}

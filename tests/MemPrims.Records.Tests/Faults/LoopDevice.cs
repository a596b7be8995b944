namespace MemPrims.Records.Tests.Faults;

// A block device over a file, so that it fails where the file does: it cannot read what was cut off, nor write where there is no room. It
// takes root; without, the test that asks for one is skipped.
internal sealed class LoopDevice : IDisposable
{
    private readonly string? _mounted;

    // mountedAt: a folder where the file system on it is mounted; null when the device itself is used.
    public LoopDevice(string image, string? mountedAt = null)
    {
        (Path, string? error) = Programs.Run("losetup", "-f", "--show", image);
        if (error is not null) throw new SkipTestException($"needs a loop device: {error}");
        // Of a read ahead that reaches over the end of the file the driver tells no error: it fills up with zeros.
        Require("blockdev", "--setra", "0", Path);
        if (mountedAt is null) return;
        error = Programs.Run("mount", Path, mountedAt).Error;
        if (error is null) _mounted = mountedAt;
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
        if (Programs.Run(program, arguments).Error is { } error) throw new SkipTestException($"needs {program}: {error}");
    }

    public void Dispose()
    {
        if (_mounted is not null) Programs.Run("umount", "-l", _mounted);
        Programs.Run("losetup", "-d", Path);
    }
}

namespace MemPrims.Records.Tests.Faults;

// A file system of its own and of few bytes, in memory. Mounting takes root: without, the test that asks for one is skipped.
internal sealed class SmallDisk : IDisposable
{
    private readonly TempFolder _folder = new();

    public SmallDisk(string size)
    {
        string? why = !OperatingSystem.IsLinux() ? "tmpfs is Linux's"
            : Programs.Run("mount", "-t", "tmpfs", "-o", $"size={size}", "none", _folder.Path).Error;
        if (why is null) return;
        _folder.Dispose();
        throw new SkipTestException($"needs to mount a file system, and cannot: {why}");
    }

    public string File(string name) => _folder.File(name);

    // Makes a file that takes all room that is left.
    public static void FillUp(string path)
    {
        using FileStream stream = System.IO.File.Create(path, 1);
        byte[] bytes = new byte[4096];
        Assert.ThrowsAny<IOException>(() =>
        {
            while (stream.Length < 1 << 30) stream.Write(bytes);
        });
    }

    public void MakeReadOnly()
    {
        // A file system is busy while a file is mapped that was opened for writing.
        GC.Collect();
        GC.WaitForPendingFinalizers();
        Assert.Null(Programs.Run("mount", "-o", "remount,ro", _folder.Path).Error);
    }

    public void Dispose()
    {
        Programs.Run("umount", "-l", _folder.Path);
        _folder.Dispose();
    }
}

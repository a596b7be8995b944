using System.Runtime.Versioning;

namespace MemPrims.Systems;

// What 64-bit Unix systems do alike.
internal partial class UnixFile : SystemFile
{
    private const int RLIMIT_FSIZE = 1;

    // To the runtime this is a lock, which keeps out others that ask.
    public override FileShare Alone => FileShare.None;

    public override long MostBytes =>
        Getrlimit(RLIMIT_FSIZE, out Rlimit limit) == 0 ? (long)Math.Min(limit.Soft, long.MaxValue) : long.MaxValue;

    public override unsafe string? Real(string path)
    {
        // Without a room given, the result lies in memory of malloc.
        nint real = Realpath(path, 0);
        string? text = Marshal.PtrToStringUTF8(real);
        NativeMemory.Free((void*)real);
        return text;
    }

    [UnsupportedOSPlatform("windows")]
    public override void KeepPrivate(FileStreamOptions options) =>
        options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    // False where nobody knows. A file that a server has removed has no identity any more (ESTALE), and must take no commit.
    public override bool IsAt(string path, SafeFileHandle file) =>
        IdentityOf(file) is { } here && IdentityOf(path) is { } there && here.IsSameAs(there);

    public override bool IsOrdinary(string path) => IdentityOf(path)?.IsOrdinaryFile ?? base.IsOrdinary(path);

    public override void Unname(string path) => File.Delete(path);

    protected override bool TryLink(string path, string name) => Link(path, name) == 0;

    [LibraryImport("libc", EntryPoint = "realpath", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial nint Realpath(string path, nint room);

    [LibraryImport("libc", EntryPoint = "getrlimit")]
    private static partial int Getrlimit(int resource, out Rlimit limit);

    [LibraryImport("libc", EntryPoint = "link", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Link(string path, string name);

    private struct Rlimit
    {
        public ulong Soft, Hard;
    }
}

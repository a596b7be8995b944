namespace MemPrims.Records.Storage;

// What the system's errors are called here.
internal static class IoErrors
{
    // Of macOS, whose number is another.
    private const int MacQuota = 69;
    private const int WindowsExists = unchecked((int)0x80070050), WindowsFull = unchecked((int)0x80070070),
        WindowsWriteProtected = unchecked((int)0x80070013);

    // The exception to throw in place of one of the runtime's; null where the runtime's own says it best: there is no such file, or there
    // is one already.
    // attempt: what failed, as in "could not write a page".
    // commits: whether it failed in a commit, which can be tried again.
    public static MappedFileException? Of(Exception e, string path, string attempt, bool commits = false) => e switch
    {
        MappedFileException or FileNotFoundException or DirectoryNotFoundException or PathTooLongException => null,
        IOException { HResult: Errno.EEXIST or WindowsExists } => null,
        IOException { HResult: Errno.ENOSPC or Errno.EFBIG or Errno.EDQUOT or MacQuota or WindowsFull } =>
            new(MappedFileReason.Full, path,
                $"Could not {attempt}: the disk is full, or the file at its size limit. "
                    + (commits ? "Nothing was committed: make room, then commit again if the transaction is still open"
                        : "Make room, then try again") + $" ({e.Message})", inner: e),
        UnauthorizedAccessException or IOException { HResult: Errno.EPERM or Errno.EACCES or Errno.EROFS or WindowsWriteProtected } =>
            new(MappedFileReason.ReadOnly, path,
                $"Could not {attempt}: this process may not write the file, its folder or its file system, or not even read it. Change "
                    + $"that. Where only writing is forbidden, OpenRead reads it ({e.Message})", inner: e),
        IOException { HResult: Errno.EMFILE or Errno.ENFILE } =>
            new(MappedFileReason.IoError, path, $"Could not {attempt}: this process or the system has as many files open as it may "
                + $"(ulimit -n). Close some, or raise the limit ({e.Message})", inner: e),
        IOException =>
            new(MappedFileReason.IoError, path, $"Could not {attempt}: look at the inner exception and at the system's log ({e.Message})",
            inner: e),
        _ => null,
    };

    // How the system's last call failed.
    public static IOException OfLastCall(string attempt, string path, string advice = "")
    {
        int error = Errno.Last;
        return new($"{attempt} {path} failed: {Errno.Text(error)}.{advice}", error);
    }
}

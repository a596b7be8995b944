namespace MemPrims.Linux;

// The error numbers that are told apart here, and their texts.
internal static class Errno
{
    public const int EPERM = 1, ENOENT = 2, EINTR = 4, EAGAIN = 11, ENOMEM = 12, EACCES = 13, EEXIST = 17, ENOTDIR = 20, EINVAL = 22,
        ENFILE = 23, EMFILE = 24, EFBIG = 27, ENOSPC = 28, EROFS = 30, EPIPE = 32, ENAMETOOLONG = 36, ENOSYS = 38, ELOOP = 40,
        EPROTOTYPE = 91, EOPNOTSUPP = 95, EADDRINUSE = 98, ECONNRESET = 104, ENOBUFS = 105, ENOTCONN = 107, ETOOMANYREFS = 109,
        ECONNREFUSED = 111, EDQUOT = 122;

    public static int Last => Marshal.GetLastPInvokeError();

    public static string Text(int error) => $"{Marshal.GetPInvokeErrorMessage(error)} (errno {error})";

    // An IOException that says what failed, where, and with which error.
    public static IOException Failure(string what, int error) => new($"{what}: {Text(error)}" + (error is EMFILE or ENFILE
        ? ", as many files are open as may be: close some, or raise the limit (ulimit -n)." : "."), error);
}

using System.Runtime.InteropServices;

namespace MemPrims.Channels.Native;

/// <summary>The error numbers that this package tells apart, and their texts.</summary>
internal static class Errno
{
    public const int EPERM = 1, ENOENT = 2, EINTR = 4, EAGAIN = 11, ENOMEM = 12, EACCES = 13, EINVAL = 22, EMFILE = 24, EPIPE = 32,
        ELOOP = 40, EPROTOTYPE = 91, EADDRINUSE = 98, ECONNRESET = 104, ENOBUFS = 105, ENOTCONN = 107, ETOOMANYREFS = 109,
        ECONNREFUSED = 111;

    public static int Last => Marshal.GetLastPInvokeError();

    public static string Text(int error) => $"{Marshal.GetPInvokeErrorMessage(error)} (errno {error})";

    /// <summary>An IOException that says what failed, where, and with which error.</summary>
    public static IOException Failure(string what, int error) => new($"{what}: {Text(error)}.", error);
}

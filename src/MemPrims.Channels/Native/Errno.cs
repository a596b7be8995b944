using System.Runtime.InteropServices;

namespace MemPrims.Channels.Native;

/// <summary>The error numbers that this package tells apart, and their texts.</summary>
internal static class Errno
{
    public const int NotPermitted = 1, NoEntry = 2, Interrupted = 4, TryAgain = 11, Denied = 13, Exists = 17, Invalid = 22,
        NoMemory = 12, TooManyFiles = 24, BrokenPipe = 32;
    public const int MessageTooLong = 90, AddressInUse = 98, Reset = 104, NoBuffers = 105, NotConnected = 107, TooManyReferences = 109,
        Refused = 111;

    public static int Last => Marshal.GetLastPInvokeError();

    public static string Text(int error) => $"{Marshal.GetPInvokeErrorMessage(error)} (errno {error})";

    /// <summary>An IOException that says what failed, where, and with which error.</summary>
    public static IOException Failure(string what, int error) => new($"{what}: {Text(error)}.", error);
}

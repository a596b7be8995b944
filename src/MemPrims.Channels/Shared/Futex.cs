using System.Runtime.InteropServices;
using MemPrims.Channels.Native;

namespace MemPrims.Channels.Shared;

/// <summary>Sleeping on a word of shared memory until its writer wakes the sleepers. The word may be mapped for reading only.</summary>
internal static unsafe class Futex
{
    private const int Wait = 0, Wake = 1;

    private static readonly int s_number = RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? 98 : 202;

    /// <summary>Sleeps while the word holds <paramref name="seen"/>, for the time at most. May return early.</summary>
    public static void Sleep(int* word, int seen, int milliseconds)
    {
        long* time = stackalloc long[2] { milliseconds / 1000, milliseconds % 1000 * 1_000_000L };
        _ = Posix.SystemCall(s_number, (nint)word, Wait, seen, (nint)time, 0, 0);
    }

    /// <summary>Wakes whoever sleeps on the word; how many.</summary>
    public static nint WakeAll(int* word) => Posix.SystemCall(s_number, (nint)word, Wake, int.MaxValue, 0, 0, 0);
}

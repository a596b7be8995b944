namespace MemPrims.Channels.Ring;

// Sleeping on a word of shared memory until its writer wakes the sleepers. The word may be mapped for reading only.
internal static unsafe class Futex
{
    private const int FUTEX_WAIT = 0, FUTEX_WAKE = 1;

    private static readonly int s_number = RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? 98 : 202;

    // Sleeps until the peer moves the counter and wakes this end, not at all where it has ended. May return early.
    public static void SleepOn(long* counter, long seen, int* flag, int* hasEnded, int milliseconds)
    {
        // The peer wakes this end only if it sees the flag. So that is set before the last look at the counter: either the peer sees the
        // flag, or this end sees the new counter.
        Interlocked.Exchange(ref *flag, 1);
        if (Volatile.Read(ref *counter) == seen && Volatile.Read(ref *hasEnded) == 0)
        {
            long* time = stackalloc long[2] { milliseconds / 1000, milliseconds % 1000 * 1_000_000L };
            _ = Posix.Syscall(s_number, (nint)counter, FUTEX_WAIT, (int)seen, (nint)time, 0, 0);
        }
        Volatile.Write(ref *flag, 0);
    }

    // Wakes whoever sleeps on the word; how many.
    public static nint WakeAll(int* word) => Posix.Syscall(s_number, (nint)word, FUTEX_WAKE, int.MaxValue, 0, 0, 0);
}

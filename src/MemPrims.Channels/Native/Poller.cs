using System.Collections.Concurrent;

namespace MemPrims.Channels.Native;

// One background thread that waits for all asynchronous calls of the process, by epoll. Each wait has a duplicate of its descriptor: a
// reader and a writer of one socket do not meet in it, and closing the channel cannot hand the number to another file meanwhile.
internal static unsafe class Poller
{
    private const int EPOLL_CTL_ADD = 1, EPOLL_CTL_DEL = 2, Batch = 64;
    private const uint EPOLLONESHOT = 1u << 30;

    // struct epoll_event is packed on x64 and not on arm64.
    private static readonly int s_eventSize = RuntimeInformation.ProcessArchitecture == Architecture.X64 ? 12 : 16;
    private static readonly int s_dataOffset = s_eventSize - 8;
    private static readonly ConcurrentDictionary<long, Wait> s_waits = new();
    private static readonly Lock s_starting = new();

    // -1 until the first wait, and where that found no descriptor: the next one tries again.
    private static volatile int s_epoll = -1;
    private static long s_last;

    // A wait under way. Task completes when an event is there, or when somebody ends the wait.
    public sealed class Wait(long number, int file)
    {
        private readonly TaskCompletionSource _done = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private int _ended;

        public Task Task => _done.Task;

        public void End()
        {
            if (Interlocked.Exchange(ref _ended, 1) != 0) return;
            s_waits.TryRemove(number, out _);
            // By hand: the socket stays open elsewhere, so closing this number would leave it in the set.
            _ = Posix.EpollCtl(s_epoll, EPOLL_CTL_DEL, file, null);
            _ = Posix.Close(file);
            _done.TrySetResult();
        }
    }

    public static Wait Begin(ChannelSocket socket, int events)
    {
        if (s_epoll < 0) Start();
        int file = socket.Duplicate();
        long number = Interlocked.Increment(ref s_last);
        Wait wait = new(number, file);
        s_waits[number] = wait;
        byte* wanted = stackalloc byte[s_eventSize];
        *(uint*)wanted = (uint)events | EPOLLONESHOT;
        *(long*)(wanted + s_dataOffset) = number;
        if (Posix.EpollCtl(s_epoll, EPOLL_CTL_ADD, file, wanted) == 0) return wait;
        int error = Errno.Last;
        wait.End();
        throw Errno.Failure("A socket could not be waited for", error);
    }

    private static void Start()
    {
        lock (s_starting)
        {
            if (s_epoll >= 0) return;
            int epoll = Posix.EpollCreate1(Posix.SOCK_CLOEXEC);
            if (epoll < 0) throw Errno.Failure("Nothing can be waited for: no epoll descriptor", Errno.Last);
            try
            {
                BackgroundThread.Start("asynchronous calls", () => Run(epoll));
            }
            catch
            {
                _ = Posix.Close(epoll);
                throw;
            }
            s_epoll = epoll;
        }
    }

    private static void Run(int epoll)
    {
        byte* ready = stackalloc byte[Batch * s_eventSize];
        while (true)
        {
            int count = Posix.EpollWait(epoll, ready, Batch, -1);
            for (int i = 0; i < count; i++)
                if (s_waits.TryGetValue(*(long*)(ready + (i * s_eventSize) + s_dataOffset), out Wait? wait)) TryEnd(wait);
        }
    }

    private static void TryEnd(Wait wait)
    {
        try
        {
            wait.End();
        }
        catch (OutOfMemoryException)
        {
            // Nobody could catch it on this thread. The task is done; what goes on with it is run when the thread pool has a thread.
        }
    }
}

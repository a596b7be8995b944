using System.Globalization;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace MemPrims.TestKit;

// Makes a process short of something: for child processes that walk what a package does then. Descriptors can be given back; what the
// kernel refuses to all threads stays refused until the process ends.
public static unsafe partial class Scarcity
{
    private const int OpenFiles = 7;
    private const ulong Equal = 0x15, HasAny = 0x45;

    private static readonly bool s_isArm = RuntimeInformation.ProcessArchitecture == Architecture.Arm64;
    private static readonly ulong[] s_usual = new ulong[2];

    // Does something while so many descriptors can be opened and no more. Every number below them is taken meanwhile, as in a process that
    // has come to its limit by itself: what is closed can be opened again.
    public static Exception? WithDescriptors(int free, Action action)
    {
        StartPool();
        int most = Directory.GetFiles("/proc/self/fd").Max(file => int.Parse(Path.GetFileName(file), CultureInfo.InvariantCulture));
        Stack<SafeFileHandle> gaps = new();
        do gaps.Push(File.OpenHandle("/dev/null"));
        while ((int)gaps.Peek().DangerousGetHandle() <= most);
        int limit = (int)gaps.Peek().DangerousGetHandle() + free;
        gaps.Pop().Dispose();
        ulong* few = stackalloc ulong[2] { (ulong)limit, 0 };
        fixed (ulong* usual = s_usual)
        {
            Limit(null, usual);
            few[1] = usual[1];
            Limit(few, null);
            try
            {
                return Outcome(action);
            }
            finally
            {
                Limit(usual, null);
                while (gaps.TryPop(out SafeFileHandle? gap)) gap.Dispose();
            }
        }
    }

    // Has all threads begin that the thread pool will have. Each thread of .NET takes two descriptors while it begins, and the runtime
    // ends the process where a worker, the gate or the timer of its pool gets none: no package can do anything about that.
    private static void StartPool()
    {
        int workers = Environment.ProcessorCount;
        if (!ThreadPool.SetMinThreads(workers, 1) || !ThreadPool.SetMaxThreads(workers, 1))
            throw new InvalidOperationException("The thread pool takes no bounds.");
        // Workers that meet are as many threads. A work item wakes the gate as well, which would end a second later.
        using Barrier together = new(workers + 1);
        for (int worker = 0; worker < workers; worker++) ThreadPool.QueueUserWorkItem(_ => together.SignalAndWait());
        together.SignalAndWait();
        Task.Delay(1).Wait();
    }

    // From now on no thread of this process gets another thread.
    public static void RefuseThreads()
    {
        const uint tryAgain = 11;
        if (s_isArm) Refuse(tryAgain, 220, 435);
        else Refuse(tryAgain, 56, 435);
    }

    // From now on no file gets longer, and none is given room: ftruncate, fallocate and pwrite say that the disk is full.
    public static void RefuseSpace()
    {
        const uint noSpace = 28;
        if (s_isArm) Refuse(noSpace, 46, 47, 68, 70);
        else Refuse(noSpace, 77, 285, 18, 296);
    }

    // From now on a file is mapped at multiples of so many bytes, as where the system's pages are larger. The runtime maps what it loads
    // as its own page size allows: what the process does from then on has to be loaded, and W^X to be off.
    public static void RefuseMapsWithin(int pageBytes)
    {
        const uint invalid = 22, anonymous = 0x20, flags = 16 + 3 * sizeof(ulong), offset = 16 + 5 * sizeof(ulong);
        Filter([Load(0), Unless(Equal, s_isArm ? 222u : 9u, 5), Load(flags), If(HasAny, anonymous, 3),
            Load(offset), Unless(HasAny, (uint)pageBytes - 1, 1), Fail(invalid), Allow]);
    }

    // What was thrown.
    public static Exception? Outcome(Action action)
    {
        try
        {
            action();
            return null;
        }
        catch (Exception e)
        {
            return e;
        }
    }

    // Throws where an error is not one that a caller can expect: the runtime's own, or a slip.
    public static void Check(string what, Exception? thrown)
    {
        for (Exception? e = thrown; e is not null; e = e.InnerException)
            if (e is TypeInitializationException or TypeLoadException or MissingMemberException or BadImageFormatException
                or NullReferenceException or InvalidCastException or IndexOutOfRangeException or KeyNotFoundException
                || (e is FileNotFoundException or FileLoadException && e.Message.Contains("assembly", StringComparison.Ordinal)))
                throw new InvalidOperationException($"{what}: {thrown}");
    }

    /// <summary>Lets this process have so much of a resource (RLIMIT_…), within its hard limit, and tells how much it had.</summary>
    public static ulong Limit(int resource, ulong most)
    {
        ulong* limit = stackalloc ulong[2];
        Limit(null, limit, resource);
        ulong before = limit[0];
        limit[0] = most;
        Limit(limit, null, resource);
        return before;
    }

    /// <summary>Makes the process another user's, where it is root's: root may write what its mode forbids.</summary>
    public static void LeaveRoot()
    {
        const int nobody = 65534;
        if (Environment.IsPrivilegedProcess && SetUser(nobody) != 0) throw new InvalidOperationException("setuid");
    }

    /// <summary>Ends the process when it hangs, and leaves its pool as few threads as it takes. No timer of the pool's: it would hang too.
    /// </summary>
    public static void LeaveFewThreads(TimeSpan longest, string hangs)
    {
        new Thread(() =>
        {
            Thread.Sleep(longest);
            Environment.FailFast(hangs);
        })
        { IsBackground = true }.Start();
        int most = Environment.ProcessorCount;
        if (!ThreadPool.SetMinThreads(most, 1) || !ThreadPool.SetMaxThreads(most, 1))
            throw new InvalidOperationException("The thread pool takes no bounds.");
    }

    private static void Limit(ulong* wanted, ulong* before, int resource = OpenFiles)
    {
        if (SystemCall(s_isArm ? 261 : 302, 0, resource, (nint)wanted, (nint)before, 0, 0) != 0)
            throw new InvalidOperationException($"prlimit64: {Marshal.GetLastPInvokeErrorMessage()}");
    }

    [LibraryImport("libc", EntryPoint = "setuid")]
    private static partial int SetUser(int user);

    // Makes system calls fail.
    private static void Refuse(uint error, params ReadOnlySpan<uint> calls)
    {
        List<ulong> program = [Load(0)];
        foreach (uint call in calls) program.AddRange([Unless(Equal, call, 1), Fail(error)]);
        Filter([.. program, Allow]);
    }

    // From now on a system call of this thread alone fails: every time, or with one value of its third argument.
    public static void RefuseHere(uint call, int error, uint? thirdArgument = null)
    {
        const uint third = 16 + 2 * sizeof(ulong);
        ulong[] test = thirdArgument is { } value ? [Unless(Equal, call, 3), Load(third), Unless(Equal, value, 1)]
            : [Unless(Equal, call, 1)];
        Filter([Load(0), .. test, Fail((uint)error), Allow], allThreads: 0);
    }

    // A seccomp filter's steps: loads of the call's number or a word of an argument, jumps over some of the next ones, and what it says.
    private static ulong Load(uint at) => 0x20 | ((ulong)at << 32);

    private static ulong If(ulong test, uint value, uint over) => test | ((ulong)over << 16) | ((ulong)value << 32);

    private static ulong Unless(ulong test, uint value, uint over) => test | ((ulong)over << 24) | ((ulong)value << 32);

    private static ulong Fail(uint error) => 0x06 | ((0x0005_0000 | (ulong)error) << 32);

    private static ulong Allow => 0x06 | (0x7FFF_0000ul << 32);

    // All threads' calls go through it from now on, or this one's.
    private static void Filter(ReadOnlySpan<ulong> program, int allThreads = 1)
    {
        const int noNewPrivileges = 38, setFilter = 1;
        fixed (ulong* start = program)
        {
            nint* filter = stackalloc nint[2] { program.Length, (nint)start };
            if (SystemCall(s_isArm ? 167 : 157, noNewPrivileges, 1, 0, 0, 0, 0) != 0
                || SystemCall(s_isArm ? 277 : 317, setFilter, allThreads, (nint)filter, 0, 0, 0) != 0)
                throw new InvalidOperationException($"seccomp: {Marshal.GetLastPInvokeErrorMessage()}");
        }
    }

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    private static partial nint SystemCall(nint number, nint a, nint b, nint c, nint d, nint e, nint f);
}

using System.Runtime.InteropServices;

namespace MemPrims.Channels.Tests;

// A peer that speaks raw sendmsg: the other end of it is a channel.
internal sealed unsafe class RawPeer : IDisposable
{
    private readonly ChannelSocket _socket;

    private RawPeer(ChannelSocket socket) => _socket = socket;

    public int File => _socket.File;

    public static (RawPeer Peer, IpcChannel Channel) Create(ChannelOptions? options = null)
    {
        ChannelSocket[] pair = ChannelSocket.Pair();
        SafeFileHandle handle = new(pair[1].File, ownsHandle: true);
        pair[1].SetHandleAsInvalid();
        return (new(pair[0]), IpcChannel.FromHandle(handle, options));
    }

    // A second holder of a channel's end, which says what it likes in the channel's name.
    public static RawPeer Over(SafeHandle duplicate)
    {
        RawPeer peer = new(new((int)duplicate.DangerousGetHandle()));
        duplicate.SetHandleAsInvalid();
        return peer;
    }

    public static RawPeer Connect(string path) => new(SocketAddress.Connect(path, Deadline.After(TimeSpan.FromSeconds(5))));

    public static byte[] Packet(PacketKind kind, long total, ReadOnlySpan<byte> payload, ulong id = 0, long offset = 0, byte handles = 0)
    {
        PacketHeader header = new(kind, total) { Id = id, Offset = offset, Handles = handles };
        return [.. new ReadOnlySpan<byte>(&header, PacketHeader.Size), .. payload];
    }

    // The payload of a Hello.
    public static byte[] Hello(int small = 0, int large = 0, int handles = 0, long message = 1 << 20) =>
        [.. BitConverter.GetBytes(3), .. BitConverter.GetBytes(small), .. BitConverter.GetBytes(large), .. BitConverter.GetBytes(handles),
            .. BitConverter.GetBytes(message)];

    // Sends bytes and descriptors; the error number, or 0.
    public int Send(ReadOnlySpan<byte> bytes, params int[] files)
    {
        fixed (byte* start = bytes)
        {
            byte nothing;
            Posix.Iovec piece = new() { Start = start == null ? &nothing : start, Length = bytes.Length };
            Posix.Msghdr message = new() { Pieces = &piece, PieceCount = 1 };
            byte* control = stackalloc byte[16 + (files.Length * 4) + 8];
            if (files.Length > 0) Rights.Write(control, files, ref message);
            return Posix.Sendmsg(_socket.File, &message, Posix.MSG_NOSIGNAL | Posix.MSG_DONTWAIT) < 0 ? Errno.Last : 0;
        }
    }

    public bool SetSendBuffer(int bytes) => _socket.SetOption(Posix.SO_SNDBUF, bytes);

    public void Dispose() => _socket.Dispose();
}

// What of a process must be back after errors.
internal static class Census
{
    // The memory that an end's shared memory has: of its own map all pages that have some are mapped.
    public static unsafe long BytesOf(IpcChannel channel)
    {
        string start = $"{(nint)channel.Socket.Mine!.Start:x}-";
        string line = System.IO.File.ReadLines("/proc/self/smaps").SkipWhile(line => !line.StartsWith(start, StringComparison.Ordinal))
            .First(line => line.StartsWith("Rss:", StringComparison.Ordinal));
        string kilobytes = line.Split(' ', StringSplitOptions.RemoveEmptyEntries)[1];
        return long.Parse(kilobytes, System.Globalization.CultureInfo.InvariantCulture) * 1024;
    }

    // Open descriptors that are not the runtime's own: it opens libraries when they are first used, and the poller makes one for the whole
    // process.
    public static int Files => Open.Length;

    // A limit of open files at which one more can be opened, and with one less none.
    public static int Numbers
    {
        get
        {
            // What other threads are about to close would be room later.
            SettledFiles();
            // The descriptor of the look itself is closed by now.
            HashSet<string> open = [.. Directory.GetFiles("/proc/self/fd").Where(file => new FileInfo(file).LinkTarget is not null)
                .Select(file => Path.GetFileName(file))];
            int free = 0;
            while (open.Contains($"{free}")) free++;
            return free + 1;
        }
    }

    private static string[] Open =>
        [.. Directory.GetFiles("/proc/self/fd").Select(file => $"{new FileInfo(file).LinkTarget}").Where(target => !IsRuntimes(target))];

    private static bool IsRuntimes(string target) => target.Length == 0 || target == "anon_inode:[eventpoll]"
        || target.EndsWith(".dll", StringComparison.Ordinal) || target.EndsWith(".pdb", StringComparison.Ordinal)
        || target.EndsWith(".so", StringComparison.Ordinal);

    public static int Maps =>
        System.IO.File.ReadLines("/proc/self/maps").Count(line => line.Contains("memprims-channel", StringComparison.Ordinal));

    // Waits until nothing is closed on other threads any more. Whoever counts up from a number of descriptors takes this one.
    public static int SettledFiles()
    {
        for (int i = 0, same = 0, last = -1; same < 5 && i < 500; i++)
        {
            Thread.Sleep(10);
            int now = Files;
            same = now == last ? same + 1 : 0;
            last = now;
        }
        return Files;
    }

    // Waits for descriptors that are closed on other threads.
    public static void AssertFiles(int expected)
    {
        for (int i = 0; i < 500 && Files > expected; i++) Thread.Sleep(10);
        string[] open = Open;
        Assert.True(open.Length <= expected, $"{open.Length} descriptors are open, {expected} were before:\n{string.Join('\n', open)}");
    }

    // While this is held nothing is collected: a finalizer would close what a test looks for.
    public static IDisposable WithoutCollection() => new Quiet();

    private sealed class Quiet : IDisposable
    {
        private readonly bool _began;

        public Quiet()
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            _began = GC.TryStartNoGCRegion(200 << 20);
        }

        public void Dispose()
        {
            if (_began && System.Runtime.GCSettings.LatencyMode == System.Runtime.GCLatencyMode.NoGCRegion) GC.EndNoGCRegion();
        }
    }

    public static void WaitForFiles(int expected)
    {
        for (int i = 0; i < 1000 && Files < expected; i++) Thread.Sleep(10);
        string[] open = Open;
        Assert.True(open.Length >= expected, $"{open.Length} descriptors are open, {expected} were to come:\n{string.Join('\n', open)}");
    }

    // A descriptor that the caller closes by its number.
    public static int OpenNull()
    {
        SafeFileHandle file = System.IO.File.OpenHandle("/dev/null", FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
        int number = (int)file.DangerousGetHandle();
        file.SetHandleAsInvalid();
        return number;
    }
}

// How much a process may have, and who it is.
internal static class Limits
{
    private const int OpenFiles = 7;

    private static readonly bool s_isArm = RuntimeInformation.ProcessArchitecture == Architecture.Arm64;

    // Sets the limit of open files.
    public static void Files(int most) => Scarcity.Limit(OpenFiles, (ulong)most);

    // Makes the calling thread another user's, and only it: the C library's own function would change all threads.
    public static void BecomeUser(int user)
    {
        Assert.Equal(0, Posix.Syscall(s_isArm ? 147 : 117, user, user, user, 0, 0, 0));
    }
}

// Tests that count the process's descriptors or maps, or need its processors: they run alone.
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class Alone
{
    public const string Name = "alone";
}

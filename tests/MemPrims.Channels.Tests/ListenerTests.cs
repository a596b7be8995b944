using System.Net.Sockets;

namespace MemPrims.Channels.Tests;

// Where a listener listens, who may connect, and what is replaced.
[Collection(Alone.Name)]
public class ListenerTests
{
    private static readonly TimeSpan s_soon = TimeSpan.FromSeconds(20), s_short = TimeSpan.FromMilliseconds(300);

    [Theory, InlineData(false), InlineData(true)]
    public async Task Both_sides_speak_over_a_path_and_an_abstract_name(bool isAbstract)
    {
        using TempFolder folder = new();
        string path = isAbstract ? $"@memprims-{Guid.NewGuid():N}" : folder.File("s");
        using (IpcListener listener = IpcListener.Listen(path))
        {
            if (!isAbstract && !OperatingSystem.IsWindows())
                Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(path));
            // Connecting needs no accept: one thread can do both.
            using IpcChannel client = IpcChannel.Connect(path), server = await listener.AcceptAsync();
            Assert.True(client.HasSharedMemory && server.HasSharedMemory);
            byte[] large = Bytes.Random(3 << 20, 1);
            using (Background sending = new(() => client.Send(large)))
            using (IpcMessage message = server.Receive(s_soon)!) Assert.True(message.Payload.Span.SequenceEqual(large));
            server.Send([4]);
            using IpcMessage answer = client.Receive(s_soon)!;
            Assert.Equal(4, answer.Payload.Span[0]);
            Assert.Throws<TimeoutException>(() => listener.Accept(TimeSpan.Zero));
        }
        Assert.Empty(Directory.GetFileSystemEntries(folder.Path));
    }

    [Fact]
    public void Nobody_there_is_an_IOException_that_names_the_path()
    {
        using TempFolder folder = TempFolder.With("nobody", out string path);
        Assert.Contains(path, Assert.ThrowsAny<IOException>(() => IpcChannel.Connect(path)).Message);
        Assert.Contains("@nobody-here", Assert.ThrowsAny<IOException>(() => IpcChannel.Connect("@nobody-here")).Message);
        Assert.Throws<ArgumentException>(() => IpcChannel.Connect(new string('x', 200)));
        File.WriteAllText(path, "");
        foreach (string other in (string[])[folder.Path, path])
        {
            string message = Assert.ThrowsAny<IOException>(() => IpcChannel.Connect(other)).Message;
            Assert.Contains(other, message);
            Assert.Contains("no socket", message);
        }
    }

    [Fact]
    public void Many_silent_clients_hold_up_no_honest_one()
    {
        string name = $"@memprims-{Guid.NewGuid():N}";
        List<RawPeer> silent = [];
        using (IpcListener listener = IpcListener.Listen(name, new() { Timeout = TimeSpan.FromMinutes(5) }))
        {
            // More than are kept: the oldest make room.
            for (int i = 0; i < 300; i++) silent.Add(RawPeer.Connect(name));
            for (int i = 0; i < 10; i++)
            {
                using IpcChannel client = IpcChannel.Connect(name, new() { Timeout = s_soon }), server = listener.Accept(s_soon);
                client.Send([1]);
                Assert.Equal(1, server.Receive(new byte[1], s_soon));
            }
        }
        silent.ForEach(one => one.Dispose());
    }

    [Fact]
    public void Clients_that_nobody_takes_wait_and_are_served_later()
    {
        string name = $"@memprims-{Guid.NewGuid():N}";
        using IpcListener listener = IpcListener.Listen(name);
        IpcChannel?[] clients = new IpcChannel?[100];
        Background[] connecting = [.. Enumerable.Range(0, clients.Length).Select(i =>
            new Background(() => clients[i] = IpcChannel.Connect(name, new() { UseSharedMemory = false, Timeout = s_soon })))];
        Thread.Sleep(200);
        for (int i = 0; i < clients.Length; i++) listener.Accept(s_soon).Dispose();
        foreach (Background one in connecting) one.Dispose();
        foreach (IpcChannel? client in clients) client!.Dispose();
    }

    [Fact]
    public void A_stale_socket_is_replaced_and_nothing_else()
    {
        using TempFolder folder = TempFolder.With("s", out string path);
        using (Socket stale = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified))
            stale.Bind(new UnixDomainSocketEndPoint(path));
        if (!File.Exists(path)) using (ChannelSocket again = SocketAddress.New(path)) SocketAddress.Bind(again, path);
        Assert.True(File.Exists(path));
        using (IpcListener listener = IpcListener.Listen(path))
        {
            Assert.Contains(path, Assert.ThrowsAny<IOException>(() => IpcListener.Listen(path)).Message);
            using IpcChannel client = IpcChannel.Connect(path), server = listener.Accept(s_soon);
        }
        File.WriteAllText(path, "precious");
        Assert.Contains("no socket", Assert.ThrowsAny<IOException>(() => IpcListener.Listen(path)).Message);
        Assert.Equal("precious", File.ReadAllText(path));
        Assert.Equal([path], Directory.GetFileSystemEntries(folder.Path));
    }

    [Fact]
    public void Of_many_that_find_a_stale_socket_one_replaces_it()
    {
        using TempFolder folder = TempFolder.With("s", out string path);
        for (int round = 0; round < 10; round++)
        {
            using (ChannelSocket stale = SocketAddress.New(path)) SocketAddress.Bind(stale, path);
            IpcListener?[] listeners = new IpcListener?[6];
            Background[] all = [.. Enumerable.Range(0,
                listeners.Length).Select(i => new Background(() => listeners[i] = IpcListener.Listen(path)))];
            int failed = all.Count(one => one.Outcome() is IOException);
            Assert.Equal(1, listeners.Count(listener => listener is not null));
            Assert.Equal(listeners.Length - 1, failed);
            foreach (IpcListener? listener in listeners) listener?.Dispose();
        }
    }

    [Fact]
    public void A_socket_behind_a_link_goes_and_what_dotnet_takes_its_path_for_stays()
    {
        using TempFolder folder = new();
        Directory.CreateDirectory(folder.File("real/inner"));
        File.CreateSymbolicLink(folder.File("alias"), "real/inner");
        // To .NET these are beside the alias.
        File.WriteAllText(folder.File("s"), "mine");
        File.WriteAllText(folder.File("s.lock"), "mine");
        string path = folder.File("alias") + "/../s";
        using (IpcListener.Listen(path)) Assert.True(File.Exists(folder.File("real/s")));
        Assert.Empty(Directory.GetFiles(folder.File("real")));
        Assert.Equal(("mine", "mine"), (File.ReadAllText(folder.File("s")), File.ReadAllText(folder.File("s.lock"))));
    }

    [Fact]
    public void A_file_that_is_no_lock_of_a_listener_stays()
    {
        using TempFolder folder = new();
        File.WriteAllText(folder.File("s.lock"), "mine");
        Assert.Contains("s.lock", Assert.Throws<IOException>(() => IpcListener.Listen(folder.File("s"))).Message);
        Assert.Equal("mine", File.ReadAllText(folder.File("s.lock")));
        Assert.False(File.Exists(folder.File("s")));
    }

    [Fact]
    public void A_full_queue_is_somebodys_and_probing_it_does_not_block()
    {
        using TempFolder folder = TempFolder.With("s", out string path);
        using ChannelSocket full = SocketAddress.New(path);
        SocketAddress.Bind(full, path);
        Assert.Equal(0, Posix.Listen(full.File, 0));
        List<ChannelSocket> queued = [];
        while (SocketAddress.TryConnect(path, out int error) is { } one) queued.Add(one);
        Assert.NotEmpty(queued);
        Assert.ThrowsAny<IOException>(() => IpcListener.Listen(path));
        Assert.True(File.Exists(path));
        Assert.Throws<TimeoutException>(() => IpcChannel.Connect(path, new() { Timeout = s_short }));
        queued.ForEach(one => one.Dispose());
    }

    [Fact]
    public void A_silent_listener_and_a_silent_client_end_at_the_timeout_and_hold_up_nobody()
    {
        using TempFolder folder = TempFolder.With("s", out string path);
        string silent = folder.File("silent");
        using ChannelSocket nobody = SocketAddress.New(silent);
        SocketAddress.Bind(nobody, silent);
        Assert.Equal(0, Posix.Listen(nobody.File, 8));
        Assert.Throws<TimeoutException>(() => IpcChannel.Connect(silent, new() { Timeout = s_short }));
        using IpcListener listener = IpcListener.Listen(path, new() { Timeout = TimeSpan.FromSeconds(3) });
        using RawPeer quiet = RawPeer.Connect(path);
        using (IpcChannel client = IpcChannel.Connect(path))
        using (IpcChannel server = listener.Accept(s_soon)) client.Send([1]);
        Assert.Throws<TimeoutException>(() => listener.Accept(s_soon));
    }

    [Fact]
    public void Disposing_wakes_accept_and_closes_what_nobody_took()
    {
        using TempFolder folder = TempFolder.With("s", out string path);
        IpcListener listener = IpcListener.Listen(path);
        using IpcChannel left = IpcChannel.Connect(path);
        listener.Accept(s_soon).Dispose();
        using Background waiting = new(() => listener.Accept(Timeout.InfiniteTimeSpan));
        Thread.Sleep(50);
        listener.Dispose();
        listener.Dispose();
        Assert.IsType<ObjectDisposedException>(waiting.Outcome());
        Assert.Null(left.Receive(s_soon));
    }
}

using System.Runtime.InteropServices;
using System.Diagnostics.Tracing;

namespace MemPrims.Channels.Tests;

// Misuse of the public members: refused with a reason before anything is sent, and the channel goes on.
[Collection(Alone.Name)]
public class SurfaceTests
{
    private static readonly TimeSpan s_soon = TimeSpan.FromSeconds(20);

    [Theory, InlineData(100), InlineData(20_000), InlineData(3_000_000)]
    public async Task A_message_over_the_limit_of_either_end_is_refused_before_anything_is_sent(int most)
    {
        using TempFolder folder = new();
        using IpcListener listener = IpcListener.Listen(folder.File("s"), new() { MaxMessageBytes = most });
        using IpcChannel client = IpcChannel.Connect(folder.File("s")), server = listener.Accept(s_soon);
        byte[] exact = Bytes.Random(most, 1), longer = new byte[most + 1];
        foreach (IpcChannel sender in (IpcChannel[])[client, server])
        {
            Assert.Contains("MaxMessageBytes", Assert.Throws<ArgumentException>(() => sender.Send(longer)).Message);
            Assert.Throws<ArgumentException>(() => sender.TrySend(longer));
            Assert.Throws<ArgumentException>(() => sender.Send(Bytes.InPieces(longer, 33), []));
            await Assert.ThrowsAsync<ArgumentException>(async () => await sender.SendAsync(longer));
            IpcChannel receiver = sender == client ? server : client;
            using Background sending = new(() => sender.Send(exact));
            using IpcMessage message = receiver.Receive(s_soon)!;
            Assert.True(message.Payload.Span.SequenceEqual(exact));
        }
    }

    [Fact]
    public void Nothing_at_all_is_a_message_too()
    {
        foreach (bool shared in (bool[])[true, false])
        {
            using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b, new() { MaxMessageBytes = 0, UseSharedMemory = shared });
            a.Send([]);
            a.Send(ReadOnlySequence<byte>.Empty);
            a.Send(default(ReadOnlySequence<byte>));
            Assert.True(a.TrySend([]));
            for (int i = 0; i < 3; i++)
                using (IpcMessage message = b.Receive(s_soon)!) Assert.Equal(0, message.Payload.Length);
            Assert.Equal(0, b.Receive([], s_soon));
            Assert.Throws<ArgumentException>(() => a.Send([1]));
        }
    }

    [Fact]
    public void More_descriptors_than_the_peer_takes_are_refused_before_anything_is_sent()
    {
        using TempFolder folder = new();
        using SafeFileHandle file = File.OpenHandle("/dev/null");
        using SafeFileHandle closed = File.OpenHandle("/dev/null"), invalid = new(-1, ownsHandle: true);
        closed.Dispose();
        using IpcListener listener = IpcListener.Listen(folder.File("s"), new() { MaxHandles = 2 });
        using IpcChannel client = IpcChannel.Connect(folder.File("s")), server = listener.Accept(s_soon);
        Assert.Equal(IpcFault.HandlesRefused, Assert.ThrowsAny<IpcException>(() => client.Send([1], [file, file, file])).Fault);
        Assert.Equal(IpcFault.HandlesRefused, Assert.ThrowsAny<IpcException>(() => server.Send([1], [file])).Fault);
        Assert.Throws<ArgumentException>(() => client.Send([1], [file, invalid]));
        Assert.Throws<ObjectDisposedException>(() => client.Send([1], [file, closed]));
        Assert.Throws<ArgumentNullException>(() => client.Send([1], [file, null!]));
        // The caller's own mistake is told before what the peer does not take: the client takes none.
        Assert.Throws<ArgumentException>(() => server.Send([1], [invalid]));
        Assert.Throws<ObjectDisposedException>(() => server.Send([1], [closed]));
        Assert.Throws<ArgumentNullException>(() => server.Send([1], [null!]));
        client.Send([1], [file, file]);
        using (IpcMessage message = server.Receive(s_soon)!) Assert.Equal(2, message.Handles.Count);
        server.Send([2]);
        using IpcMessage answer = client.Receive(s_soon)!;
        Assert.Empty(answer.Handles);
    }

    [Fact]
    public unsafe void FromHandle_takes_only_what_is_a_channels_end_and_leaves_the_caller_the_rest()
    {
        Assert.Throws<ArgumentNullException>(() => IpcChannel.FromHandle(null!));
        int* pair = stackalloc int[2];
        Assert.Equal(0, Posix.Socketpair(Posix.AF_UNIX, 1, 0, pair));
        using SafeFileHandle stream = new(pair[0], true), other = new(pair[1], true), invalid = new(-1, true),
            file = File.OpenHandle("/dev/null"), alone = new(Posix.Socket(Posix.AF_UNIX, Posix.SOCK_SEQPACKET, 0), true);
        foreach (SafeFileHandle bad in (SafeFileHandle[])[invalid, file, stream, alone])
        {
            Assert.Throws<ArgumentException>(() => IpcChannel.FromHandle(bad));
            Assert.False(bad.IsClosed);
        }
        using TempFolder folder = new();
        using ChannelSocket listening = SocketAddress.New(folder.File("s"));
        SocketAddress.Bind(listening, folder.File("s"));
        Assert.Equal(0, Posix.Listen(listening.File, 1));
        using SafeFileHandle accepts = new(listening.Duplicate(), ownsHandle: true);
        Assert.Throws<ArgumentException>(() => IpcChannel.FromHandle(accepts));
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b);
        SafeHandle duplicate = a.DuplicateHandle();
        Assert.Throws<ArgumentOutOfRangeException>(() => IpcChannel.FromHandle(duplicate, new() { MaxHandles = 254 }));
        using (IpcChannel.FromHandle(duplicate)) Assert.True(duplicate.IsClosed);
        Assert.Throws<ObjectDisposedException>(() => IpcChannel.FromHandle(duplicate));
        // The first holder goes on.
        a.Send([1]);
        b.Receive(s_soon)!.Dispose();
    }

    [Fact]
    public void Options_that_cannot_be_are_named()
    {
        foreach (ChannelOptions bad in (ChannelOptions[])
        [
            new() { MaxMessageBytes = -1 }, new() { MaxHandles = -1 }, new() { MaxHandles = 254 }, new() { SpinMicroseconds = -1 },
            new() { Timeout = TimeSpan.Zero },
        ])
            Assert.Equal("options", Assert.Throws<ArgumentOutOfRangeException>(() => IpcChannel.CreatePair(bad)).ParamName);
    }

    [Theory, InlineData(true), InlineData(false)]
    public void TrySend_never_waits_for_a_message_of_any_length(bool shared)
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b, new() { UseSharedMemory = shared, Timeout = s_soon });
        long began = Environment.TickCount64;
        foreach (int length in (int[])[2 << 20, 100_000_000])
        {
            Assert.False(a.TrySend(new byte[length]));
            Assert.False(a.TrySend(Bytes.InPieces(new byte[length], 1 << 20)));
        }
        while (a.TrySend(new byte[60_000])) continue;
        while (a.TrySend(new byte[1000])) continue;
        Assert.True(Environment.TickCount64 - began < s_soon.TotalMilliseconds, "it waited for its time");
        Assert.Equal(60_000, b.Receive(new byte[60_000], s_soon));
        Assert.Null(Record.Exception(() => a.TrySend([1])));
    }

    [Fact]
    public async Task A_socket_with_a_small_buffer_takes_every_length()
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b);
        SafeHandle handle = a.DuplicateHandle();
        a.Dispose();
        using (ChannelSocket look = new((int)handle.DangerousGetHandle()))
        {
            look.SetOption(Posix.SO_SNDBUF, 4608);
            look.SetHandleAsInvalid();
        }
        using IpcChannel small = IpcChannel.FromHandle(handle);
        foreach (int length in (int[])[100, 5000, 10_000, 16_383, 16_384, 100_000])
        {
            byte[] all = Bytes.Random(length, length);
            Task sending = small.SendAsync(all).AsTask();
            using (IpcMessage message = b.Receive(s_soon)!) Assert.True(message.Payload.Span.SequenceEqual(all));
            await sending;
        }
    }

    [Fact]
    public async Task The_forms_that_do_not_wait_and_the_asynchronous_ones_do_the_same()
    {
        using TempFolder folder = new();
        using SafeFileHandle file = File.OpenHandle("/dev/null");
        using IpcListener listener = IpcListener.Listen(folder.File("s"), new() { MaxHandles = 2 });
        using IpcChannel client = IpcChannel.Connect(folder.File("s")), server = listener.Accept();
        Assert.False(server.TryReceive(out IpcMessage? none));
        Assert.Null(none);
        await Assert.ThrowsAsync<TimeoutException>(async () => await server.ReceiveAsync(TimeSpan.FromMilliseconds(30)));
        Assert.True(client.TrySend([1], [file]));
        await client.SendAsync(new byte[] { 2, 2 }, [file, file]);
        // A sequence, where both forms fit.
        await client.SendAsync(new(new byte[300_000]), []);
        for (int i = 1; i <= 3; i++)
        {
            Assert.True(server.TryReceive(out IpcMessage? message));
            using (message) Assert.Equal((i == 3 ? 300_000 : i, i % 3), (message.Payload.Length, message.Handles.Count));
            Assert.Throws<ObjectDisposedException>(() => message.Handles);
        }
        client.Dispose();
        Assert.False(server.TryReceive(out IpcMessage? end));
        Assert.Null(end);
        Assert.True(server.HasEnded);
    }

    [Fact]
    public void TryReceive_takes_messages_in_packets_to_their_end()
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b, new() { UseSharedMemory = false });
        byte[] all = Bytes.Random(3_000_000, 2);
        using Background sending = new(() => a.Send(all));
        IpcMessage? message;
        while (!b.TryReceive(out message)) Thread.Sleep(1);
        using (message) Assert.True(message!.Payload.Span.SequenceEqual(all));
    }

    [Fact]
    public void A_listener_asked_by_a_second_one_tells_of_no_failed_handshake()
    {
        using TempFolder folder = new();
        using Listening listening = new();
        using IpcListener listener = IpcListener.Listen(folder.File("s"));
        Assert.Throws<IOException>(() => IpcListener.Listen(folder.File("s")));
        // Who comes after it is served after it.
        using IpcChannel client = IpcChannel.Connect(folder.File("s")), server = listener.Accept(s_soon);
        Thread.Sleep(50);
        Assert.DoesNotContain("3: ", listening.Told);
    }

    [Fact]
    public void Addresses_that_cannot_be_are_refused_and_leave_no_file()
    {
        using TempFolder folder = new();
        string tooLong = folder.File(new string('x', 120)), missing = Path.Combine(folder.File("no"), "s");
        foreach (string bad in (string[])[tooLong, "@", "@" + new string('y', 107), "@a\0b", ""])
        {
            Assert.Throws<ArgumentException>(() => IpcListener.Listen(bad));
            Assert.Throws<ArgumentException>(() => IpcChannel.Connect(bad));
        }
        Assert.Contains($"{missing}: its folder does not exist", Assert.ThrowsAny<IOException>(() => IpcListener.Listen(missing)).Message);
        Assert.Contains(missing, Assert.ThrowsAny<IOException>(() => IpcChannel.Connect(missing)).Message);
        Assert.ThrowsAny<IOException>(() => IpcListener.Listen(folder.Path));
        Assert.Empty(Directory.GetFileSystemEntries(folder.Path));
        string longest = "@" + $"{Guid.NewGuid():N}".PadRight(106, 'z');
        using IpcListener listener = IpcListener.Listen(longest);
        Assert.ThrowsAny<IOException>(() => IpcListener.Listen(longest));
        using IpcChannel client = IpcChannel.Connect(longest), server = listener.Accept(s_soon);
    }

    [Fact]
    public void A_sequence_that_lies_about_its_length_is_sent_by_its_pieces()
    {
        foreach (bool shared in (bool[])[true, false])
        {
            using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b, new() { UseSharedMemory = shared });
            LyingPiece first = new(new byte[1000], 0), last = new(new byte[1000], 900_000);
            first.Link(last);
            ReadOnlySequence<byte> sequence = new(first, 0, last, 1000);
            Assert.Equal(901_000, sequence.Length);
            a.Send(sequence);
            Assert.Equal(2000, b.Receive(new byte[3000], s_soon));
        }
    }

    private sealed class LyingPiece : ReadOnlySequenceSegment<byte>
    {
        public LyingPiece(byte[] bytes, long index)
        {
            Memory = bytes;
            RunningIndex = index;
        }

        public void Link(LyingPiece next) => Next = next;
    }

    [Fact]
    public void The_event_source_tells_of_channels_opened_and_broken_and_of_failed_handshakes()
    {
        using Listening listening = new();
        (RawPeer peer, IpcChannel channel) = RawPeer.Create();
        using (peer)
        using (channel)
        {
            peer.Send(new byte[5]);
            Assert.ThrowsAny<IpcException>(() => channel.Receive(s_soon));
        }
        using TempFolder folder = new();
        using (IpcListener listener = IpcListener.Listen(folder.File("s")))
        using (RawPeer stranger = RawPeer.Connect(folder.File("s")))
        {
            stranger.Send(new byte[7]);
            Assert.ThrowsAny<IpcException>(() => listener.Accept(s_soon));
        }
        (IpcChannel first, IpcChannel second) = IpcChannel.CreatePair();
        using (second)
        {
            first.Dispose();
            Assert.Null(second.Receive(s_soon));
        }
        using TempFolder another = new();
        using (IpcListener listener = IpcListener.Listen(another.File("s")))
        using (IpcChannel without = IpcChannel.Connect(another.File("s"), new() { UseSharedMemory = false }))
        using (IpcChannel with = listener.Accept(s_soon))
            Assert.False(with.HasSharedMemory || without.HasSharedMemory);
        string told = listening.Told;
        Assert.Contains($"6: The peer offered none, {Environment.ProcessId}, ", told);
        // Nobody is told where none was wanted.
        Assert.Single(told.Split('\n'), line => line.StartsWith("6: ", StringComparison.Ordinal));
        Assert.Contains($"1: {Environment.ProcessId}, ", told);
        Assert.Contains($"4: {Environment.ProcessId}, ", told);
        Assert.Contains($"5: {Environment.ProcessId}, ", told);
        Assert.Contains("2: ", told);
        Assert.Contains("5 bytes", told);
        Assert.Contains($"3: {folder.File("s")}", told);
    }
}

// What the event source of channels tells while this is held.
internal sealed class Listening : EventListener
{
    private readonly List<string> _told = [];

    public string Told
    {
        get
        {
            lock (_told) return string.Join('\n', _told);
        }
    }

    protected override void OnEventSourceCreated(EventSource eventSource)
    {
        if (eventSource.Name == "MemPrims-Channels") EnableEvents(eventSource, EventLevel.Verbose);
    }

    protected override void OnEventWritten(EventWrittenEventArgs eventData)
    {
        // May run before this object's own constructor is done.
        if (_told is null) return;
        lock (_told) _told.Add($"{eventData.EventId}: {string.Join(", ", eventData.Payload!)}");
    }
}

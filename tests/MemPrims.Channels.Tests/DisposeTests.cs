using System.Runtime.InteropServices;

namespace MemPrims.Channels.Tests;

// An end disposed while other threads use it: typed errors, no descriptor and no map left, nothing used after it was unmapped.
[Collection(Alone.Name)]
public class DisposeTests
{
    private static readonly TimeSpan s_soon = TimeSpan.FromSeconds(20);

    [Theory, InlineData(true), InlineData(false)]
    public void In_the_middle_of_sends_and_receives_of_other_threads(bool shared)
    {
        Random random = Seeds.Random(31);
        DisposeInTheMiddle(shared, random);
        int files = Census.Files, maps = Census.Maps;
        for (int round = 0; round < 40 * Seeds.Scale; round++) DisposeInTheMiddle(shared, random);
        Census.AssertFiles(files);
        Assert.True(Census.Maps <= maps, $"{Census.Maps} maps, {maps} before");
    }

    private static void DisposeInTheMiddle(bool shared, Random random)
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair(new() { UseSharedMemory = shared, Timeout = s_soon });
        Background[] all =
        [
            new(() => SendForEver(a, 300_000)), new(() => SendForEver(a, 100)), new(() => SendForEver(a, 40_000)),
                new(() => ReceiveForEver(b)),
            new(() => SendForEver(b, 100)), new(() => ReceiveForEver(a)),
        ];
        Thread.Sleep(random.Next(4));
        (random.Next(2) == 0 ? a : b).Dispose();
        if (random.Next(2) == 0) Thread.Sleep(1);
        a.Dispose();
        b.Dispose();
        foreach (Background one in all)
        {
            Exception? thrown = one.Outcome();
            bool known = thrown is null or ObjectDisposedException or IpcException
            {
                Fault: IpcFault.PeerGone or IpcFault.EndedInMessage or IpcFault.PeerLeftMessagesUnread or IpcFault.Broken,
            };
            Assert.True(known, $"{thrown}");
        }
    }

    private static void SendForEver(IpcChannel channel, int length)
    {
        byte[] bytes = new byte[length];
        while (true) channel.Send(bytes);
    }

    private static void ReceiveForEver(IpcChannel channel)
    {
        while (channel.Receive(s_soon) is { } message) message.Dispose();
    }

    [Fact]
    public void By_a_thread_that_is_interrupted_it_is_done_whole()
    {
        using TempFolder folder = TempFolder.With("s", out string path);
        DisposeInterrupted(path);
        int files = Census.Files;
        for (int i = 0; i < 5; i++) DisposeInterrupted(path);
        Census.AssertFiles(files);
    }

    // A listener with a client that nobody accepted, and a channel that leaves a message unread.
    private static void DisposeInterrupted(string path)
    {
        IpcListener listener = IpcListener.Listen(path);
        using IpcChannel client = IpcChannel.Connect(path);
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair(new() { UseSharedMemory = false });
        a.Send("unread"u8);
        using (Background _ = new(() =>
        {
            foreach (IDisposable one in (IDisposable[])[listener, b])
            {
                Thread.CurrentThread.Interrupt();
                one.Dispose();
                Assert.Throws<ThreadInterruptedException>(() => Thread.Sleep(1));
            }
        })) { }
        a.Dispose();
        Assert.False(File.Exists(path));
    }

    [Theory, InlineData("fragment", false), InlineData("fragment", true), InlineData("ring", false), InlineData("ring", true)]
    public void A_receive_under_way_leaves_no_descriptor_to_the_collector(string way, bool asynchronous)
    {
        using IDisposable quiet = Census.WithoutCollection();
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair(new() { MaxHandles = 8, Timeout = s_soon });
        using RawRing peer = new(a);
        int file = Census.OpenNull(), before = Census.SettledFiles();
        Background receiving = new(() => _ = asynchronous ? b.ReceiveAsync().AsTask().GetAwaiter().GetResult() : b.Receive(s_soon));
        int[] files = [.. Enumerable.Repeat(file, 8)];
        if (way == "fragment")
            Assert.Equal(0, peer.Peer.Send(RawPeer.Packet(PacketKind.Fragment, 500_000, new byte[10], 1, handles: 8), files));
        else
        {
            peer.Begin();
            Assert.Equal(0, peer.SendHandles(files));
            peer.Write(PacketKind.Whole, 500_000, [], handles: 8);
        }
        Census.WaitForFiles(before + 8);
        b.Dispose();
        Assert.IsType<ObjectDisposedException>(receiving.Outcome());
        // b's own socket is gone too.
        Census.AssertFiles(before - 1);
        a.Dispose();
        _ = Posix.Close(file);
    }

    [Fact]
    public async Task All_asynchronous_senders_of_a_shared_end_are_woken()
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair(new() { Timeout = Timeout.InfiniteTimeSpan });
        using (b)
        using (a.DuplicateHandle())
        {
            while (a.TrySend(new byte[8_000])) { }
            Task[] sending = [.. Enumerable.Range(0, 4).Select(_ => Task.Run(async () => await a.SendAsync(new byte[8_000])))];
            await Task.Delay(100);
            a.Dispose();
            foreach (Task one in sending) await Assert.ThrowsAsync<ObjectDisposedException>(() => one.WaitAsync(s_soon));
        }
    }

    [Fact]
    public void Unread_messages_outlive_their_sender_whatever_it_says_about_lingering()
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b);
        using (SafeHandle raw = a.DuplicateHandle()) LingerForNothing((int)raw.DangerousGetHandle());
        for (byte i = 0; i < 5; i++) a.Send([i]);
        a.Send(new byte[50_000]);
        a.Dispose();
        for (byte i = 0; i < 5; i++)
            using (IpcMessage message = b.Receive(s_soon)!) Assert.Equal(i, message.Payload.Span[0]);
        using (IpcMessage large = b.Receive(s_soon)!) Assert.Equal(50_000, large.Payload.Length);
        Assert.Null(b.Receive(s_soon));
    }

    private static unsafe void LingerForNothing(int file)
    {
        Posix.Linger none = new() { IsOn = 1 };
        Assert.Equal(0, Posix.Setsockopt(file, Posix.SOL_SOCKET, Posix.SO_LINGER, &none, (uint)sizeof(Posix.Linger)));
    }
}

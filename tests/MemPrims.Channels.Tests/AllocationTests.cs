namespace MemPrims.Channels.Tests;

// Sending allocates nothing, and neither does receiving into a span, whatever the peer does meanwhile.
public sealed unsafe class AllocationTests
{
    private static readonly TimeSpan s_long = TimeSpan.FromMinutes(2);

    [Fact]
    public void Messages_by_the_ring_allocate_nothing() => Assert.Empty(Of(new()));

    [Fact]
    public void Messages_in_packets_allocate_nothing() => Assert.Empty(Of(new() { UseSharedMemory = false }));

    [Fact]
    public void A_message_costs_no_more_than_its_object()
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b);
        byte[] sent = new byte[10_000];
        const int times = 500;
        long before = 0;
        for (int i = -100; i < times; i++)
        {
            if (i == 0) before = GC.GetAllocatedBytesForCurrentThread();
            a.Send(sent);
            b.Receive(s_long)!.Dispose();
        }
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 64 * times);
    }

    private static List<string> Of(ChannelOptions options)
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b, options);
        byte[] small = new byte[100], large = new byte[68 << 10], received = new byte[1 << 20];
        ReadOnlySequence<byte> whole = new(small), pieces = Bytes.InPieces(new byte[200], 100);
        void Take() => Assert.True(b.Receive(received, s_long) > 0);
        void SendToSocket()
        {
            b.Shared()->SleepsOnSocket++;
            a.Send(small);
            b.Shared()->SleepsOnSocket++;
            Take();
        }

        List<(string, Action)> hot =
        [
            ("Send", () => { a.Send(small); Take(); }),
            ("Send, 68 KiB", () => { a.Send(large); Take(); }),
            ("Send, one piece", () => { a.Send(whole); Take(); }),
            ("Send, pieces", () => { a.Send(pieces); Take(); }),
            ("TrySend", () => { Assert.True(a.TrySend(small)); Take(); }),
            ("TrySend, nothing to receive", () => { Assert.True(a.TrySend(small)); Take(); Assert.False(b.TryReceive(out _)); }),
            ("SendAsync", () => { Assert.True(a.SendAsync(small).IsCompletedSuccessfully); Take(); }),
            ("IsBroken, HasEnded", () => Assert.False(a.IsBroken || a.HasEnded)),
        ];
        if (a.HasSharedMemory)
        {
            // What the peer's header says while its receiver sleeps: on the ring, or on the socket.
            hot.Add(("Send to a peer asleep", () => { b.Shared()->SleepsOnProduced = 1; a.Send(small); Take(); }));
            hot.Add(("Send to a peer asleep on its socket", SendToSocket));
        }
        List<string> allocating = [.. Allocations.Of(hot)];
        // Two threads, so both ends wait for each other: the receiver for bytes, the sender for room.
        Thread echo = new(() =>
        {
            byte[] taken = new byte[1 << 20];
            while (b.Receive(taken, s_long) is > 0 and var length) b.Send(taken.AsSpan(0, Math.Min(length, 1)));
        });
        echo.Start();
        foreach (byte[] message in (byte[][])[small, large, received])
            allocating.AddRange(Allocations.Of([($"a round trip of {message.Length} bytes", () =>
            {
                a.Send(message);
                Assert.True(a.Receive(small, s_long) == 1);
            })]));
        a.Send([]);
        echo.Join();
        return allocating;
    }
}

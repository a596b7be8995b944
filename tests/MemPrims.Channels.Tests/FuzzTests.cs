namespace MemPrims.Channels.Tests;

// A hostile peer that speaks raw sendmsg: packets that begin as true ones and are then spoilt, with and without descriptors, whole
// handshakes too.
[Collection(Alone.Name)]
public class FuzzTests
{
    [Fact]
    public void Whatever_a_peer_sends_is_a_message_the_end_or_a_typed_error()
    {
        Random random = Seeds.Random(11);
        int file = Census.OpenNull();
        Round(random, file, 50);
        int before = Census.Files;
        (int messages, int errors) = Round(random, file, 4_000 * Seeds.Scale);
        Census.AssertFiles(before);
        _ = Posix.Close(file);
        Assert.True(messages > 200 && errors > 500, $"{messages} messages and {errors} errors: the fuzzer has lost its aim");
    }

    private static (int Messages, int Errors) Round(Random random, int file, int rounds)
    {
        int messages = 0, errors = 0;
        for (int i = 0; i < rounds; i++)
        {
            (RawPeer peer, IpcChannel channel) =
                RawPeer.Create(new() { MaxHandles = random.Next(3), MaxMessageBytes = 1 << 16, Timeout = TimeSpan.FromSeconds(20) });
            using (channel)
            {
                using (peer)
                    for (int packets = random.Next(1, 6); packets > 0; packets--) Send(peer, random, file);
                try
                {
                    while (channel.Receive(TimeSpan.FromSeconds(20)) is { } message)
                    {
                        messages++;
                        foreach (System.Runtime.InteropServices.SafeHandle handle in message.Handles) Assert.False(handle.IsInvalid);
                        message.Dispose();
                    }
                }
                catch (IpcException)
                {
                    errors++;
                }
            }
        }
        return (messages, errors);
    }

    private static void Send(RawPeer peer, Random random, int file)
    {
        int length = random.Next(4) == 0 ? random.Next(100_000) : random.Next(200), files = random.Next(4) == 0 ? random.Next(1, 5) : 0;
        PacketKind kind = (PacketKind)(random.Next(3) == 0 ? random.Next(0, 9) : random.Next(1, 3));
        long total = random.Next(6) switch
        {
            0 => random.NextInt64(),
            1 => -1,
            2 when kind == PacketKind.Fragment => length * 2,
            _ => length
        };
        byte[] packet = RawPeer.Packet(kind, total, new byte[length], kind == PacketKind.Whole ? 0 : (ulong)random.Next(3),
            random.Next(4) == 0 ? random.Next(300) : 0, (byte)files);
        for (int flips = random.Next(5) == 0 ? random.Next(4) : 0; flips > 0; flips--) packet[random.Next(32)] = (byte)random.Next(256);
        int cut = random.Next(12) == 0 ? random.Next(packet.Length) : packet.Length;
        peer.Send(packet.AsSpan(0, cut), [.. Enumerable.Repeat(file, files + (random.Next(20) == 0 ? 1 : 0))]);
    }

    [Fact]
    public void A_handshake_may_be_anything()
    {
        Random random = Seeds.Random(12);
        using TempFolder folder = TempFolder.With("s", out string path);
        ChannelOptions options = new() { Timeout = TimeSpan.FromSeconds(2) };
        using IpcListener listener = IpcListener.Listen(path, options);
        using (IpcChannel first = IpcChannel.Connect(path, options)) listener.Accept(TimeSpan.FromSeconds(20)).Dispose();
        int file = Census.OpenNull(), before = Census.Files;
        int refused = 0;
        for (int i = 0; i < 300; i++)
        {
            using (RawPeer peer = RawPeer.Connect(path))
            {
                byte[] packet = RawPeer.Packet(PacketKind.Hello, 32, new byte[32], handles: (byte)(i % 2));
                packet[32] = 1;
                for (int flips = random.Next(6); flips > 0; flips--) packet[random.Next(packet.Length)] = (byte)random.Next(256);
                if (i % 3 == 0) random.NextBytes(packet.AsSpan(36, 12));
                peer.Send(packet.AsSpan(0, random.Next(4) == 0 ? random.Next(1, packet.Length) : packet.Length),
                    [.. Enumerable.Repeat(file, i % 2)]);
                try
                {
                    listener.Accept(TimeSpan.FromSeconds(20)).Dispose();
                }
                catch (IOException)
                {
                    refused++;
                }
            }
        }
        Assert.True(refused > 100, $"only {refused} were refused");
        // The listener is none the worse for it.
        using (IpcChannel last = IpcChannel.Connect(path, options))
        using (IpcChannel accepted = listener.Accept(TimeSpan.FromSeconds(20)))
        {
            last.Send([5]);
            using IpcMessage message = accepted.Receive(TimeSpan.FromSeconds(20))!;
            Assert.Equal(5, message.Payload.Span[0]);
        }
        Census.AssertFiles(before);
        _ = Posix.Close(file);
    }
}

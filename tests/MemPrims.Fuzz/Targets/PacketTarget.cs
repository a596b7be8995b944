using System.Runtime.InteropServices;
using MemPrims.Channels;
using MemPrims.Channels.Tests;
using static MemPrims.Fuzz.WrongAnswerException;

namespace MemPrims.Fuzz;

/// <summary>
/// What a peer sends by a socket: a Hello, and messages behind it. An input is a row of packets: what descriptors come with it, its
/// length in two bytes, its bytes. The head says what this end takes. No message is longer than it takes, and no descriptor is left.
/// </summary>
internal sealed class PacketTarget : Target
{
    private const int MostPackets = 40, MostMessage = 4000;

    private readonly int _null = Census.OpenNull(), _memory;
    private readonly RingMemory _ring;
    private int _before = -1;

    public PacketTarget()
    {
        _ring = RingMemory.TryCreate(RingLayout.Usual, out _memory, out int error)
            ?? throw new IOException($"No memory file can be made: error {error}.");
    }

    public override string Name => "packets";

    public override int Rounds => 800;

    public override bool BeginsSettled => true;

    public override IEnumerable<byte[]> Seeds()
    {
        byte[] plain = Hello(0, 0, 0), shared = Hello(RingLayout.Usual.SmallBytes, RingLayout.Usual.LargeBytes, 1);
        foreach (byte head in (byte[])[0, 1, 2, 3, 6, 7])
        {
            yield return [head, .. Packet(0, plain), .. Packet(0, RawPeer.Packet(PacketKind.Whole, 3, [1, 2, 3]))];
            yield return [head, .. Packet(1, shared), .. Packet(0, RawPeer.Packet(PacketKind.Switch, 0, []))];
            yield return [head, .. Packet(0, plain), .. Packet(0, RawPeer.Packet(PacketKind.Fragment, 6, [1, 2, 3], 1)),
                .. Packet(0, RawPeer.Packet(PacketKind.Fragment, 6, [4, 5, 6], 1, 3))];
            yield return [head, .. Packet(0, plain), .. Packet(2, RawPeer.Packet(PacketKind.Whole, 1, [1], handles: 1)),
                .. Packet(0, RawPeer.Packet(PacketKind.Bell, 0, [])), .. Packet(4, RawPeer.Packet(PacketKind.Handles, 0, [], handles: 2))];
        }

        static byte[] Packet(byte descriptors, byte[] bytes) => [descriptors, (byte)bytes.Length, (byte)(bytes.Length >> 8), .. bytes];
    }

    private static byte[] Hello(int small, int large, byte descriptors) =>
        RawPeer.Packet(PacketKind.Hello, 24, RawPeer.Hello(small, large, handles: 4), handles: descriptors);

    public override void Run(ReadOnlySpan<byte> head, GuardedInput input)
    {
        ChannelOptions options = new()
        {
            UseSharedMemory = (head[0] & 1) != 0, MaxHandles = head[0] >> 1 & 3, MaxMessageBytes = MostMessage,
            Timeout = TimeSpan.FromSeconds(20), SpinMicroseconds = 0,
        };
        ChannelSocket[] pair = ChannelSocket.Pair();
        using (RawPeer peer = RawPeer.Over(new Microsoft.Win32.SafeHandles.SafeFileHandle(pair[0].File, ownsHandle: true)))
        {
            pair[0].SetHandleAsInvalid();
            int packets = 0;
            for (ReadOnlySpan<byte> left = input.Span; left.Length > 3 && packets < MostPackets; packets++)
            {
                int length = Math.Min(left[1] | left[2] << 8, left.Length - 3);
                int[] files = [.. Enumerable.Repeat(_memory, left[0] & 1), .. Enumerable.Repeat(_null, left[0] >> 1 & 3)];
                if (length > 0) peer.Send(left.Slice(3, length), files);
                left = left[(3 + length)..];
            }
        }
        try
        {
            using IpcChannel channel = IpcChannel.Open(pair[1], options, Deadline.After(options.Timeout), "the peer");
            Receive(channel, options);
        }
        catch (IpcException)
        {
        }
        finally
        {
            pair[1].Dispose();
        }
        if (_before < 0) _before = Census.SettledFiles();
    }

    internal static void Receive(IpcChannel channel, ChannelOptions options)
    {
        while (channel.Receive(TimeSpan.FromSeconds(20)) is { } message)
            using (message)
            {
                Unless(message.Payload.Length <= options.MaxMessageBytes && message.Handles.Count <= options.MaxHandles,
                    $"a message of {message.Payload.Length} bytes and {message.Handles.Count} descriptors");
                foreach (SafeHandle handle in message.Handles) Unless(!handle.IsInvalid, "a descriptor that is none");
            }
    }

    public override void CheckEnd() => Census.AssertFiles(_before);
}

using MemPrims.Channels;
using MemPrims.Channels.Tests;
using static MemPrims.Fuzz.WrongAnswerException;

namespace MemPrims.Fuzz;

/// <summary>
/// What a peer writes to its shared memory. An input is a row of steps of a peer that begins as an honest one. Each answer is a message
/// within what this end takes, or an error, after which all calls fail; honest entries come whole and in order.
/// </summary>
internal sealed class RingTarget : Target
{
    private const int MostSteps = 60, MostMessage = 5000;

    private static readonly ChannelOptions s_options =
        new() { MaxHandles = 2, MaxMessageBytes = MostMessage, Timeout = TimeSpan.FromMinutes(10), SpinMicroseconds = 0 };

    private readonly int _null = Census.OpenNull();
    private int _before = -1;

    public override string Name => "ring";

    public override int Rounds => 800;

    public override bool BeginsSettled => true;

    // Steps: 0 an honest message: its length. 1 an entry with a header of its own: kind, descriptors, total in two bytes, id, offset,
    // length, how much more is counted. 2 bytes: their number, how much is counted. 3 a field of the shared page, by its number, and what
    // is added to it in two bytes. 4 this end receives. 5 this end sends. 6 descriptors. 7 a packet of a kind. 8 zeros over the ring's
    // next bytes.
    public override IEnumerable<byte[]> Seeds()
    {
        yield return [0, 0, 0, 5, 0, 200, 4, 0, 0, 4];
        yield return [1, 0, 1, 1, 0, 3, 0, 0, 0, 3, 0, 4];
        yield return [1, 0, 5, 4];
        yield return [0, 0, 4, 1, 1, 1, 3, 0, 0, 0, 3, 0, 4, 6, 1, 1, 1, 1, 3, 0, 0, 0, 3, 0, 4];
        yield return [0, 0, 4, 2, 32, 64, 4, 3, 0, 64, 0, 4];
        yield return [0, 0, 9, 3, 1, 10, 0, 5, 50, 4];
        yield return [0, 1, 1, 0, 232, 3, 0, 0, 200, 0, 4, 2, 200, 200, 4, 2, 200, 200, 4];
        yield return [0, 7, 3, 4, 7, 6, 4, 0, 9, 4];
        foreach (byte field in (byte[])[0, 1, 2, 3, 4, 5, 6]) yield return [0, 0, 5, 3, field, 1, 0, 4, 5, 5, 3, field, 0xFF, 0xFF, 4];
    }

    public override void Run(ReadOnlySpan<byte> head, GuardedInput input)
    {
        (IpcChannel sender, IpcChannel receiver) = IpcChannel.CreatePair(s_options);
        using (sender)
        using (receiver)
        {
            RawRing? ring = null;
            try
            {
                // A receiver takes the ring from its first receive on.
                Unless(!receiver.TryReceive(out _), "a message that nobody sent");
                ring = new(sender);
                Steps steps = new(input.Span);
                if ((head[0] & 1) == 0) ring.Begin();
                else ring.Peer.Send(RawPeer.Packet(PacketKind.Switch, 0, [], (ulong)ring.Produced));
                Play(ref steps, ring, sender, receiver);
            }
            catch (IpcException e)
            {
                Unless(receiver.IsBroken || receiver.HasEnded, $"an error that does not break the channel: {e}");
                try
                {
                    receiver.TryReceive(out _);
                    Unless(receiver.HasEnded, "a broken channel receives");
                }
                catch (IpcException)
                {
                }
            }
            finally
            {
                ring?.Dispose();
            }
        }
        if (_before < 0) _before = Census.SettledFiles();
    }

    public override void CheckEnd() => Census.AssertFiles(_before);

    private unsafe void Play(ref Steps steps, RawRing ring, IpcChannel sender, IpcChannel receiver)
    {
        Queue<byte[]> honest = new();
        bool isHonest = true;
        RingHeader* page = sender.Shared();
        for (int step = 0; step < MostSteps && steps.Left > 0; step++)
            switch (steps.Next() % 9)
            {
                case 0:
                    byte[] message = new byte[steps.Next()];
                    message.AsSpan().Fill((byte)message.Length);
                    ring.Write(PacketKind.Whole, message.Length, message);
                    honest.Enqueue(message);
                    break;
                case 1:
                    isHonest = false;
                    PacketKind kind = (PacketKind)steps.Next();
                    byte descriptors = steps.Next();
                    int total = (short)(steps.Next() | steps.Next() << 8);
                    byte id = steps.Next(), offset = steps.Next(), length = steps.Next();
                    ring.Write(kind, total, new byte[length], Packets.EntrySize(length) + (sbyte)steps.Next(), descriptors, id, offset);
                    break;
                case 2:
                    isHonest = false;
                    byte[] bytes = new byte[steps.Next()];
                    byte counted = steps.Next();
                    for (int i = 0; i < bytes.Length; i++) bytes[i] = steps.Next();
                    ring.Write(bytes, counted);
                    break;
                case 3:
                    isHonest = false;
                    Change(page, steps.Next(), (short)(steps.Next() | steps.Next() << 8));
                    break;
                case 4:
                    if (receiver.TryReceive(out IpcMessage? received))
                        using (received)
                        {
                            Unless(received.Payload.Length <= MostMessage && received.Handles.Count <= 2, "more than this end takes");
                            if (isHonest)
                                Unless(honest.TryDequeue(out byte[]? first) && received.Payload.Span.SequenceEqual(first), "other bytes");
                        }
                    else if (isHonest) Unless(honest.Count == 0, "a message that was sent does not come");
                    break;
                case 5:
                    try
                    {
                        _ = receiver.TrySend(new byte[steps.Next()]);
                    }
                    catch (IpcPeerGoneException)
                    {
                        // A peer whose page says that it has ended is sent nothing more. What it sent before is still received.
                    }
                    break;
                case 6:
                    isHonest = false;
                    ring.SendHandles([.. Enumerable.Repeat(_null, 1 + steps.Next() % 4)]);
                    break;
                case 7:
                    isHonest = false;
                    ring.Peer.Send(RawPeer.Packet((PacketKind)steps.Next(), 0, [], (ulong)ring.Produced));
                    break;
                case 8:
                    isHonest = false;
                    ring.Write(new byte[4096], 0);
                    break;
            }
    }

    private static unsafe void Change(RingHeader* page, byte field, short by)
    {
        switch (field % 7)
        {
            case 0:
                page->Produced += by;
                break;
            case 1:
                page->Consumed += by;
                break;
            case 2:
                page->Produced = by < 0 ? long.MinValue - by : long.MaxValue - by;
                break;
            case 3:
                page->TakesRing += by;
                break;
            case 4:
                page->HasEnded += by;
                break;
            case 5:
                page->Consumed = by < 0 ? long.MinValue - by : long.MaxValue - by;
                break;
            case 6:
                page->SleepsOnProduced += by;
                page->SleepsOnSocket += by;
                page->SleepsOnConsumed += by;
                break;
        }
    }

    private ref struct Steps(ReadOnlySpan<byte> bytes)
    {
        private ReadOnlySpan<byte> _bytes = bytes;

        public readonly int Left => _bytes.Length;

        public byte Next()
        {
            if (_bytes.IsEmpty) return 0;
            byte next = _bytes[0];
            _bytes = _bytes[1..];
            return next;
        }
    }
}

using System.Runtime.InteropServices;
using static MemPrims.Channels.Tests.RingTests;

namespace MemPrims.Channels.Tests;

// A receive that is given up ends in time and leaves the channel whole: what has come of a message is kept, and the next receive goes on
// with it, whichever kind of receive either is.
[Collection(Alone.Name)]
public class GivenUpTests
{
    private static readonly TimeSpan s_soon = TimeSpan.FromSeconds(20), s_short = TimeSpan.FromMilliseconds(50);

    // "In time" is not exact on a busy machine. The message's own time is far longer.
    private static readonly TimeSpan s_inTime = TimeSpan.FromSeconds(8);

    public static TheoryData<string, string> Calls
    {
        get
        {
            TheoryData<string, string> calls = [];
            foreach (string way in (string[])["ring", "packets"])
                foreach (string call in (string[])["wait", "span", "try", "async", "cancel"]) calls.Add(way, call);
            return calls;
        }
    }

    [Theory]
    [MemberData(nameof(Calls))]
    public async Task What_has_come_is_kept_for_any_other_receive(string way, string call)
    {
        foreach (string next in (string[])["wait", "span", "try", "async"])
        {
            byte[] sent = Bytes.Random(way == "ring" ? 300_000 : 120_000, 4);
            using Halves peer = new(way, sent, s_soon);
            for (int part = 0; part < 3; part++)
            {
                peer.SendPart();
                long began = Stopwatch.GetTimestamp();
                await GiveUp(peer.Receiver, call);
                Assert.True(Stopwatch.GetElapsedTime(began) < s_inTime, "the call did not end in time");
                Assert.False(peer.Receiver.IsBroken);
            }
            peer.SendRest();
            peer.SendAnother(7);
            byte[] got = await Take(peer.Receiver, next, sent.Length);
            Assert.True(got.AsSpan().SequenceEqual(sent), "another message came");
            Assert.Equal(7, Receive(peer.Receiver));
        }
    }

    private static async Task GiveUp(IpcChannel from, string call)
    {
        using CancellationTokenSource stop = new(s_short);
        switch (call)
        {
            case "wait": Assert.Throws<TimeoutException>(() => from.Receive(s_short)); break;
            case "span": Assert.Throws<TimeoutException>(() => from.Receive(new byte[400_000], s_short)); break;
            case "try": Assert.False(from.TryReceive(out _)); break;
            case "async": await Assert.ThrowsAsync<TimeoutException>(async () => await from.ReceiveAsync(s_short)); break;
            default: await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await from.ReceiveAsync(stop.Token)); break;
        }
    }

    private static async Task<byte[]> Take(IpcChannel from, string call, int length)
    {
        byte[] bytes = new byte[length];
        if (call == "span")
        {
            Assert.Equal(length, from.Receive(bytes, s_soon));
            return bytes;
        }
        IpcMessage? message = null;
        if (call == "try") while (!from.TryReceive(out message)) Thread.Yield();
        else message = call == "wait" ? from.Receive(s_soon) : await from.ReceiveAsync(s_soon);
        using (message) return message!.Payload.ToArray();
    }

    [Theory, InlineData("ring"), InlineData("packets")]
    public void A_message_that_comes_late_is_whole_with_its_descriptors(string way)
    {
        int file = Census.OpenNull(), before = Census.SettledFiles();
        using (Halves peer = new(way, Bytes.Random(120_000, 5), s_soon, file, file))
        {
            peer.SendPart();
            for (int i = 0; i < 3; i++) Assert.Throws<TimeoutException>(() => peer.Receiver.Receive(TimeSpan.FromMilliseconds(5)));
            peer.SendRest();
            using IpcMessage message = peer.Receiver.Receive(s_soon)!;
            Assert.Equal(2, message.Handles.Count);
        }
        Census.AssertFiles(before);
        // Given up for good: Dispose closes what has come.
        using (Halves peer = new(way, Bytes.Random(120_000, 5), s_soon, file, file))
        {
            peer.SendPart();
            Assert.Throws<TimeoutException>(() => peer.Receiver.Receive(TimeSpan.FromMilliseconds(5)));
        }
        Census.AssertFiles(before);
        _ = Posix.Close(file);
    }

    [Theory, InlineData("ring", false), InlineData("ring", true), InlineData("packets", false), InlineData("packets", true)]
    public async Task Only_the_messages_own_time_breaks_the_channel(string way, bool asynchronous)
    {
        using Halves peer = new(way, new byte[120_000], TimeSpan.FromSeconds(1));
        peer.SendPart();
        long began = Stopwatch.GetTimestamp();
        TimeoutException last = null!;
        while (!peer.Receiver.IsBroken)
        {
            last = asynchronous
                ? await Assert.ThrowsAsync<TimeoutException>(async () => await peer.Receiver.ReceiveAsync(TimeSpan.FromMilliseconds(100)))
                : Assert.Throws<TimeoutException>(() => peer.Receiver.Receive(TimeSpan.FromMilliseconds(100)));
            if (!peer.Receiver.IsBroken) Assert.DoesNotContain("broken", last.Message);
        }
        Assert.Contains("broken", last.Message);
        Assert.InRange(Stopwatch.GetElapsedTime(began).TotalSeconds, 0.9, 8);
        Assert.Equal(IpcFault.Broken, Assert.ThrowsAny<IpcException>(() => peer.Receiver.Receive(s_soon)).Fault);
    }

    [Theory, InlineData("ring"), InlineData("packets")]
    public void A_receive_that_never_waits_breaks_the_channel_after_the_messages_own_time(string way)
    {
        using Halves peer = new(way, new byte[120_000], TimeSpan.FromMilliseconds(300));
        peer.SendPart();
        Assert.False(peer.Receiver.TryReceive(out _));
        Thread.Sleep(400);
        Assert.Contains("broken", Assert.Throws<TimeoutException>(() => peer.Receiver.TryReceive(out _)).Message);
        Assert.True(peer.Receiver.IsBroken);
    }

    [Theory, InlineData(false), InlineData(true)]
    public async Task A_call_that_is_cancelled_already_takes_nothing(bool shared)
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b, new() { UseSharedMemory = shared });
        if (shared) UseRing(a, b);
        byte[] sent = Bytes.Random(100_000, 6);
        a.Send(sent);
        using CancellationTokenSource stop = new();
        stop.Cancel();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await b.ReceiveAsync(stop.Token));
        using IpcMessage message = b.Receive(s_soon)!;
        Assert.True(message.Payload.Span.SequenceEqual(sent));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await a.SendAsync(sent, stop.Token));
        Assert.False(b.TryReceive(out _));
    }

    [Theory, InlineData(true), InlineData(false)]
    public async Task Receives_that_are_given_up_at_any_moment_lose_and_change_nothing(bool shared)
    {
        using Cancelling cancelling = new();
        using SafeHandle file = File.OpenHandle("/dev/null");
        Random random = Seeds.Random(77);
        byte[] buffer = new byte[2 << 20];
        int givenUp = 0;
        while (givenUp < LongRuns.Of(250, 10_000))
        {
            using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b, new() { UseSharedMemory = shared, MaxHandles = 1 });
            const int messages = 150;
            int seed = random.Next();
            using Background sending = new(() =>
            {
                Random lengths = new(seed);
                for (int i = 0; i < messages; i++)
                {
                    byte[] bytes = i % 11 == 5 ? [] : Bytes.Stamped(1, i, Length(lengths));
                    if (i % 7 == 0) a.Send(bytes, [file]);
                    else a.Send(bytes);
                }
            });
            for (int i = 0; i < messages;)
            {
                int length = await TryReceive(b, random, cancelling, buffer, i % 7 == 0 ? 1 : 0);
                if (length < 0)
                {
                    givenUp++;
                    continue;
                }
                if (i % 11 == 5) Assert.Equal(0, length);
                else Assert.Equal((1, i), Bytes.CheckStamp(buffer.AsSpan(0, length)));
                i++;
            }
            Assert.False(b.TryReceive(out _) || b.IsBroken);
        }
    }

    [Theory, InlineData(true), InlineData(false)]
    public async Task An_end_that_is_disposed_beside_receives_that_are_given_up_leaves_nothing(bool shared)
    {
        using Cancelling cancelling = new();
        using SafeHandle file = File.OpenHandle("/dev/null");
        using IDisposable quiet = Census.WithoutCollection();
        Random random = Seeds.Random(78);
        byte[] buffer = new byte[2 << 20];
        int files = 0, maps = 0;
        for (int round = 0; round < LongRuns.Of(40, 1000); round++)
        {
            if (round == 3) (files, maps) = (Census.SettledFiles(), Census.Maps);
            (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair(new() { UseSharedMemory = shared, MaxHandles = 1 });
            int seed = random.Next();
            Background sending = new(() =>
            {
                Random lengths = new(seed);
                byte[] bytes = new byte[2 << 20];
                while (true) a.Send(bytes.AsSpan(0, Length(lengths)), [file]);
            });
            using (Background disposing = new(() =>
            {
                Thread.SpinWait(random.Next(40_000));
                b.Dispose();
            })) await Assert.ThrowsAsync<ObjectDisposedException>(async () =>
            {
                while (true) await TryReceive(b, random, cancelling, buffer, 1);
            });
            Assert.True(sending.Outcome() is IpcPeerGoneException, "the sender was told of something else");
            a.Dispose();
        }
        Census.AssertFiles(files);
        Assert.True(Census.Maps <= maps, $"{Census.Maps} maps, {maps} before");
    }

    private static int Length(Random random) => random.Next(5) switch
    {
        0 => random.Next(2 << 20),
        1 => random.Next(200_000),
        _ => random.Next(200),
    };

    // Receives in one of five ways, or gives up; the length, or -1.
    private static async Task<int> TryReceive(IpcChannel from, Random random, Cancelling cancelling, byte[] buffer, int handles)
    {
        TimeSpan time = TimeSpan.FromMicroseconds(Math.Max(0, random.Next(-100, 300)));
        try
        {
            int way = random.Next(5);
            if (way == 0) return from.Receive(buffer, time);
            IpcMessage? message = null;
            if (way == 1 && !from.TryReceive(out message)) return -1;
            if (way == 2) message = from.Receive(time);
            if (way == 3) message = await from.ReceiveAsync(cancelling.Token);
            if (way == 4) message = await from.ReceiveAsync(time, random.Next(2) == 0 ? new CancellationToken(true) : cancelling.Token);
            using (message)
            {
                Assert.Equal(handles, message!.Handles.Count);
                message.Payload.CopyTo(buffer);
                return message.Payload.Length;
            }
        }
        catch (Exception e) when (e is TimeoutException or OperationCanceledException)
        {
            return -1;
        }
    }

    // Tokens that another thread cancels before, inside or after the call that uses them.
    private sealed class Cancelling : IDisposable
    {
        private readonly Background _thread;
        private CancellationTokenSource _current = new();
        private bool _stop;

        public Cancelling() => _thread = new(() =>
        {
            Random pauses = new(5);
            while (!Volatile.Read(ref _stop))
            {
                Thread.SpinWait(pauses.Next(3000));
                Volatile.Read(ref _current).Cancel();
            }
        }, TimeSpan.FromMinutes(10));

        public CancellationToken Token
        {
            get
            {
                if (Volatile.Read(ref _current).IsCancellationRequested) Volatile.Write(ref _current, new());
                return _current.Token;
            }
        }

        public void Dispose()
        {
            Volatile.Write(ref _stop, true);
            _thread.Dispose();
        }
    }

    [Fact]
    public async Task A_receive_beside_others_ends_in_its_own_time_however_often_they_leave()
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b);
        bool stop = false;
        Background[] others = [.. Enumerable.Range(0, 3).Select(_ => new Background(() =>
        {
            while (!Volatile.Read(ref stop))
                try
                {
                    b.Receive(TimeSpan.FromMilliseconds(60))?.Dispose();
                }
                catch (TimeoutException)
                {
                    // Again.
                }
        }))];
        try
        {
            for (int i = 0; i < 5; i++)
            {
                long began = Stopwatch.GetTimestamp();
                await Assert.ThrowsAsync<TimeoutException>(async () => await b.ReceiveAsync(TimeSpan.FromMilliseconds(100)));
                Assert.InRange(Stopwatch.GetElapsedTime(began).TotalMilliseconds, 50, 1500);
            }
        }
        finally
        {
            Volatile.Write(ref stop, true);
            foreach (Background other in others) other.Dispose();
        }
    }

    // A peer that sends a message in parts, as the protocol has them, and stops in between.
    private sealed class Halves : IDisposable
    {
        private readonly byte[] _message;
        private readonly int[] _files;
        private readonly RawRing? _ring;
        private readonly RawPeer? _peer;
        private readonly IpcChannel? _sender;
        private int _sent;

        public Halves(string way, byte[] message, TimeSpan timeout, params int[] files)
        {
            (_message, _files) = (message, files);
            ChannelOptions options = new() { MaxHandles = 2, Timeout = timeout };
            if (way == "packets") (_peer, Receiver) = RawPeer.Create(options);
            else
            {
                (_sender, Receiver) = IpcChannel.CreatePair(options);
                _ring = new(_sender);
                _ring.Begin();
            }
        }

        public IpcChannel Receiver { get; }

        public void SendPart() => Send(1000 + (_sent / 2));

        public void SendRest()
        {
            while (_sent < _message.Length) Send(Math.Min(50_000, _message.Length - _sent));
        }

        private void Send(int length)
        {
            ReadOnlySpan<byte> part = _message.AsSpan(_sent, length);
            if (_peer is not null)
            {
                int[] files = _sent == 0 ? _files : [];
                byte[] packet = RawPeer.Packet(PacketKind.Fragment, _message.Length, part, 1, _sent, (byte)files.Length);
                Assert.Equal(0, _peer.Send(packet, files));
            }
            else if (_sent == 0)
            {
                if (_files.Length > 0) Assert.Equal(0, _ring!.SendHandles(_files));
                _ring!.Write(PacketKind.Whole, _message.Length, part, PacketHeader.Size + length, (byte)_files.Length);
            }
            else
            {
                bool isLast = _sent + length == _message.Length;
                long end = _ring!.Produced + length;
                _ring.Write(part, isLast ? (end + 63 & -64) - _ring.Produced : length);
            }
            _sent += length;
        }

        public void SendAnother(byte content)
        {
            if (_peer is not null) Assert.Equal(0, _peer.Send(RawPeer.Packet(PacketKind.Whole, 1, [content])));
            else _ring!.Write(PacketKind.Whole, 1, [content]);
        }

        public void Dispose()
        {
            Receiver.Dispose();
            _ring?.Dispose();
            _peer?.Dispose();
            _sender?.Dispose();
        }
    }
}

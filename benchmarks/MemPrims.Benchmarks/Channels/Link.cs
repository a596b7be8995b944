using System.Net.Sockets;
using MemPrims.Channels;

namespace MemPrims.Benchmarks.Channels;

/// <summary>One end of a way to exchange messages. Both ends of every .NET contender are the same code.</summary>
internal abstract class Link : IDisposable
{
    public abstract void Put(byte[] buffer, int length);

    /// <summary>Receives a message into the buffer and returns its length; 0 or less at the end.</summary>
    /// <param name="buffer">Room for the longest message.</param>
    /// <param name="inRow">Whether the next message may be there already. In a round trip it cannot.</param>
    public abstract int Get(byte[] buffer, bool inRow = false);

    public abstract void Dispose();

    /// <summary>The end that is made first. The other one is made at the same address, and this one waits for it.</summary>
    public static Func<Link> Listen(Way way, string address)
    {
        if (way.Kind == "ring")
        {
            BareRing ring = new(address, first: true);
            return ring.Taken;
        }
        if (way.Kind == "socket") return SocketLink.ListenAt(way, address);
        IpcListener listener = IpcListener.Listen(address, way.Options);
        return () =>
        {
            using (listener) return new ChannelLink(listener.Accept(TimeSpan.FromSeconds(20)));
        };
    }

    public static Link Connect(Way way, string address) => way.Kind switch
    {
        "ring" => new BareRing(address, first: false),
        "socket" => SocketLink.ConnectTo(way, address),
        _ => new ChannelLink(IpcChannel.Connect(address, way.Options)),
    };
}

/// <summary>
/// Which way: a name for the table, the kind (channel, socket, ring), and what is set. It is told to the partner as
/// <see cref="Arguments"/>.
/// </summary>
internal sealed record Way(string Name, string Kind)
{
    public int Spin { get; init; } = 20;

    public bool Shares { get; init; } = true;

    public int Handles { get; init; }

    /// <summary>SO_SNDBUF of both ends; 0: the system's own.</summary>
    public int SendBuffer { get; init; }

    public static readonly Way Channel = new("channel", "channel"), SpinningOff = new("channel, spinning off", "channel") { Spin = 0 },
        Fragments = new("channel, fragments", "channel") { Shares = false }, Socket = new(".NET Socket", "socket"),
        Ring = new("bare ring, C# SpinWait", "ring");

    public static Way SocketOf(int sendBuffer) => new($".NET Socket, room {sendBuffer >> 20} MiB", "socket") { SendBuffer = sendBuffer };

    public ChannelOptions Options => new() { SpinMicroseconds = Spin, UseSharedMemory = Shares, MaxHandles = Handles };

    public string[] Arguments => [Kind, $"{Spin}", $"{Shares}", $"{Handles}", $"{SendBuffer}"];

    /// <summary>The partner's way.</summary>
    public static Way Parse(ReadOnlySpan<string> words) => new("", words[0])
    {
        Spin = int.Parse(words[1]), Shares = bool.Parse(words[2]),
        Handles = int.Parse(words[3]), SendBuffer = int.Parse(words[4])
    };
}

internal sealed class ChannelLink(IpcChannel channel) : Link
{
    public IpcChannel Channel => channel;

    public override void Put(byte[] buffer, int length) => channel.Send(buffer.AsSpan(0, length));

    public override int Get(byte[] buffer, bool inRow) => channel.Receive(buffer);

    public override void Dispose() => channel.Dispose();
}

/// <summary>
/// A stream socket: four bytes of length, then the payload. What is small goes through a buffer: there its length stands beside it, and a
/// call with one span costs less than a call with a list of two. What is large goes from where it lies.
/// </summary>
internal sealed class SocketLink(Socket socket) : Link
{
    // Beyond this size the second copy would cost more than it saves.
    private const int Small = 8192;

    private readonly byte[] _prefix = new byte[4], _small = new byte[4 + Small], _ahead = new byte[1 << 16];
    private readonly List<ArraySegment<byte>> _pieces = [];
    private int _at, _have, _last;

    public static Func<Link> ListenAt(Way way, string address)
    {
        Socket listener = New(way);
        listener.Bind(new UnixDomainSocketEndPoint(address));
        listener.Listen();
        return () =>
        {
            using (listener)
            {
                if (!listener.Poll(TimeSpan.FromSeconds(20), SelectMode.SelectRead)) throw new TimeoutException("No partner came.");
                Socket accepted = listener.Accept();
                if (way.SendBuffer > 0) accepted.SendBufferSize = way.SendBuffer;
                File.Delete(address);
                return new SocketLink(accepted);
            }
        };
    }

    public static Link ConnectTo(Way way, string address)
    {
        Socket socket = New(way);
        socket.Connect(new UnixDomainSocketEndPoint(address));
        return new SocketLink(socket);
    }

    public override void Put(byte[] buffer, int length)
    {
        if (length <= Small)
        {
            BitConverter.TryWriteBytes(_small, length);
            buffer.AsSpan(0, length).CopyTo(_small.AsSpan(4));
            // A blocking send of a stream returns when it has taken all.
            socket.Send(_small.AsSpan(0, 4 + length));
            return;
        }
        BitConverter.TryWriteBytes(_prefix, length);
        _pieces.Clear();
        _pieces.Add(_prefix);
        _pieces.Add(new(buffer, 0, length));
        int sent = socket.Send(_pieces) - _prefix.Length;
        while (sent < length) sent += socket.Send(buffer.AsSpan(sent, length - sent));
    }

    /// <summary>
    /// After a small message the stream is read as far as it has come: in a row of them one call brings many. After a large one the length
    /// and what has come of the payload are received by one call; in a row, where the next message may follow, the length comes alone.
    /// </summary>
    public override int Get(byte[] buffer, bool inRow)
    {
        if (_last <= Small || _have > 0) return GetAhead(buffer);
        _pieces.Clear();
        _pieces.Add(_prefix);
        if (!inRow) _pieces.Add(new(buffer));
        int received = socket.Receive(_pieces);
        if (received == 0) return -1;
        while (received < 4) received += socket.Receive(_prefix.AsSpan(received));
        _last = BitConverter.ToInt32(_prefix);
        for (received -= 4; received < _last;) received += socket.Receive(buffer.AsSpan(received, _last - received));
        return _last;
    }

    private int GetAhead(byte[] buffer)
    {
        while (_have < 4) if (!Fill()) return -1;
        _last = BitConverter.ToInt32(_ahead, _at);
        int there = Math.Min(_have - 4, _last);
        _ahead.AsSpan(_at + 4, there).CopyTo(buffer);
        _at += 4 + there;
        _have -= 4 + there;
        while (there < _last) there += socket.Receive(buffer.AsSpan(there, _last - there));
        return _last;
    }

    private bool Fill()
    {
        _ahead.AsSpan(_at, _have).CopyTo(_ahead);
        _at = 0;
        int received = socket.Receive(_ahead.AsSpan(_have));
        _have += received;
        return received > 0;
    }

    public override void Dispose() => socket.Dispose();

    private static Socket New(Way way)
    {
        Socket socket = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        if (way.SendBuffer > 0) socket.SendBufferSize = way.SendBuffer;
        return socket;
    }
}

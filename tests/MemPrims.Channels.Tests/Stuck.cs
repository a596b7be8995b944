using System.Runtime.InteropServices;
using System.Net;
using System.Net.Sockets;

namespace MemPrims.Channels.Tests;

// A descriptor whose close waits until this is disposed: a TCP connection that lingers and whose reader does not read. It lies in the
// queue of a Unix socket, where no option of it can be changed; or it is given as it is.
internal sealed unsafe class StuckSocket : IDisposable
{
    private readonly Socket _reader;

    public StuckSocket(bool bare = false)
    {
        using Socket listener = new(SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen();
        Socket writer = new(SocketType.Stream, ProtocolType.Tcp) { LingerState = new(true, 3600) };
        writer.Connect(listener.LocalEndPoint!);
        _reader = listener.Accept();
        const int duplicate = 1030;
        File = Posix.Fcntl((int)writer.Handle, duplicate, 0);
        Assert.True(File >= 0);
        // Not the last descriptor of the connection, so this one does not wait.
        writer.Dispose();
        byte[] bytes = new byte[1 << 16];
        fixed (byte* start = bytes)
        {
            Posix.Iovec piece = new() { Start = start, Length = bytes.Length };
            Posix.Msghdr message = new() { Pieces = &piece, PieceCount = 1 };
            while (Posix.Sendmsg(File, &message, Posix.MSG_NOSIGNAL | Posix.MSG_DONTWAIT) > 0) { }
        }
        if (!bare) File = InQueue(File);
    }

    private static int InQueue(int file)
    {
        ChannelSocket[] pair = ChannelSocket.Pair();
        using RawPeer sender = RawPeer.Over(pair[1]);
        Assert.Equal(0, sender.Send([1], file));
        Assert.Equal(0, Posix.Close(file));
        int holder = pair[0].File;
        pair[0].SetHandleAsInvalid();
        return holder;
    }

    // The number. The close of the last descriptor waits.
    public int File { get; }

    // Resets the connection, which ends the wait.
    public void Dispose() => _reader.Close(0);
}

// A handle whose release is the test's own: it may wait, count or throw.
internal sealed class TestHandle : SafeHandle
{
    private readonly Action _release;

    public TestHandle(Action release)
        : base(-1, ownsHandle: true)
    {
        _release = release;
        SetHandle(0);
    }

    public override bool IsInvalid => false;

    protected override bool ReleaseHandle()
    {
        _release();
        return true;
    }
}

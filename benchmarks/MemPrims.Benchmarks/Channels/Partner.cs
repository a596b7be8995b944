using System.Diagnostics;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using MemPrims.Channels;

namespace MemPrims.Benchmarks.Channels;

/// <summary>
/// The other process of a benchmark: it connects back and either echoes every message (its first byte is 0), or takes it, sums it where
/// the first byte says so (2), and answers the last of a row (1 or 3) by one byte.
/// </summary>
internal static class Partner
{
    public const byte Echo = 0, Take = 4, Last = 1, Sum = 2;

    /// <summary>`channels-partner kind path processor spin sndbuf`: the entry of the child.</summary>
    public static int Run(string[] args)
    {
        Affinity.Pin(int.Parse(args[3]));
        byte[] buffer = GC.AllocateUninitializedArray<byte>(64 << 20, pinned: true);
        if (args[1].StartsWith("socket")) RunSocket(args, buffer);
        else RunChannel(args, buffer);
        return 0;
    }

    private static void RunChannel(string[] args, byte[] buffer)
    {
        bool trusts = args[1] == "segments, trusted";
        using IpcChannel channel = IpcChannel.Connect(args[2], new() {
            SpinMicroseconds = int.Parse(args[4]), UseSharedMemory = args[1] != "fragments", TrustPeer = trusts,
            MaxHandles = args[1] == "descriptors" ? 253 : 0 });
        while (true)
        {
            if (trusts)
            {
                using IpcMessage? message = channel.Receive(Timeout.InfiniteTimeSpan);
                if (message is null) return;
                long sum = Pieces.Sum(message.Payload.Span);
                channel.Send(BitConverter.GetBytes(sum));
                continue;
            }
            int length = channel.Receive(buffer);
            if (length < 0) return;
            ReadOnlySpan<byte> received = buffer.AsSpan(0, length);
            if (received[0] == Echo) channel.Send(received);
            else if (received[0] == Sum) channel.Send(BitConverter.GetBytes(Pieces.Sum(received)));
            else if ((received[0] & Last) != 0) channel.Send(received[..1]);
        }
    }

    private static void RunSocket(string[] args, byte[] buffer)
    {
        using Socket socket = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        if (int.Parse(args[5]) is > 0 and int room) socket.SendBufferSize = room;
        socket.Connect(new UnixDomainSocketEndPoint(args[2]));
        while (true)
        {
            int length = Framed.Receive(socket, buffer, args[1] == "socket-rows");
            if (length < 0) return;
            switch (buffer[0])
            {
                case Echo: Framed.Send(socket, buffer, length); break;
                case Sum:
                    BitConverter.TryWriteBytes(buffer, Pieces.Sum(buffer.AsSpan(0, length)));
                    Framed.Send(socket, buffer, 8);
                    break;
                default:
                    if ((buffer[0] & Last) != 0) Framed.Send(socket, buffer, 1);
                    break;
            }
        }
    }

    public static Process Start(string kind, string path, int processor, int spin, int sendBuffer)
    {
        ProcessStartInfo start = new(Environment.ProcessPath!) { RedirectStandardInput = true };
        if (Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet")
            start.ArgumentList.Add(typeof(Partner).Assembly.Location);
        foreach (string argument in (string[])["channels-partner", kind, path, $"{processor}", $"{spin}", $"{sendBuffer}"])
            start.ArgumentList.Add(argument);
        // Compiled at once as well as it gets: a partner has no warm-up of its own.
        start.Environment["DOTNET_TieredPGO"] = "0";
        return Process.Start(start)!;
    }
}

/// <summary>
/// Messages over a stream socket: four bytes of length, then the payload, sent as a list of two buffers from where they lie.
/// </summary>
internal static class Framed
{
    [ThreadStatic]
    private static byte[]? t_length;

    [ThreadStatic]
    private static List<ArraySegment<byte>>? t_pieces;

    public static void Send(Socket socket, byte[] buffer, int length)
    {
        byte[] prefix = t_length ??= new byte[4];
        List<ArraySegment<byte>> pieces = t_pieces ??= [];
        BitConverter.TryWriteBytes(prefix, length);
        pieces.Clear();
        pieces.Add(prefix);
        pieces.Add(new(buffer, 0, length));
        int sent = socket.Send(pieces) - prefix.Length;
        while (sent < length) sent += socket.Send(buffer.AsSpan(sent, length - sent));
    }

    /// <summary>
    /// Receives the length and what has come of the payload in one call, where only one message can be there: in a round trip. In a row
    /// of messages the length comes by itself.
    /// </summary>
    public static int Receive(Socket socket, byte[] buffer, bool inRow = false)
    {
        byte[] prefix = t_length ??= new byte[4];
        if (inRow) return ReceiveInRow(socket, buffer, prefix);
        List<ArraySegment<byte>> pieces = t_pieces ??= [];
        pieces.Clear();
        pieces.Add(prefix);
        pieces.Add(new(buffer));
        int received = socket.Receive(pieces);
        if (received == 0) return -1;
        while (received < 4) received += socket.Receive(prefix.AsSpan(received));
        int length = BitConverter.ToInt32(prefix);
        received -= 4;
        while (received < length) received += socket.Receive(buffer.AsSpan(received, length - received));
        return length;
    }

    private static int ReceiveInRow(Socket socket, byte[] buffer, byte[] prefix)
    {
        int received = 0;
        while (received < 4)
        {
            int part = socket.Receive(prefix.AsSpan(received));
            if (part == 0) return -1;
            received += part;
        }
        int length = BitConverter.ToInt32(prefix);
        for (received = 0; received < length;) received += socket.Receive(buffer.AsSpan(received, length - received));
        return length;
    }
}

/// <summary>The work on a payload that is built and summed.</summary>
internal static class Pieces
{
    public static void Fill(Span<byte> target, long seed)
    {
        Span<Vector512<long>> words = MemoryMarshal.Cast<byte, Vector512<long>>(target);
        Vector512<long> next = Vector512.Create(seed) + Vector512.Create(0, 256, 512, 768, 1024, 1280, 1536, 1792L),
            step = Vector512.Create(2048L);
        for (int i = 0; i < words.Length; i++, next += step) words[i] = next;
    }

    public static long Sum(ReadOnlySpan<byte> source)
    {
        Vector512<long> sum = default;
        foreach (Vector512<long> words in MemoryMarshal.Cast<byte, Vector512<long>>(source)) sum += words;
        return Vector512.Sum(sum);
    }
}

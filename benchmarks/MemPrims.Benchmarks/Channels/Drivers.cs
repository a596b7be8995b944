using System.Diagnostics;
using System.Globalization;
using System.Net.Sockets;
using MemPrims.Channels;

namespace MemPrims.Benchmarks.Channels;

/// <summary>One way of exchanging messages with another process. Times are in nanoseconds.</summary>
internal abstract class Driver(string name) : IDisposable
{
    public string Name => name;

    /// <summary>Round trips; fills <paramref name="times"/> and returns the processor time of both processes.</summary>
    public abstract long RoundTrips(int size, long[] times);

    /// <summary>Messages one way, and one byte back after the last.</summary>
    public abstract long OneWay(int size, int count);

    public abstract void Dispose();
}

/// <summary>Where both ends run.</summary>
internal sealed record Placement(string Name, int Own, int Partners)
{
    public static readonly Placement Two = new("two processors", 0, Environment.ProcessorCount > 1 ? 1 : 0),
        One = new("one processor", 0, 0),
        AsPlaced = new("as placed", Affinity.AsPlaced, Affinity.AsPlaced);
}

/// <summary>A driver whose two ends are .NET: the exchange of one message is given, the rest is here.</summary>
internal abstract class ManagedDriver(string name, Placement placement) : Driver(name)
{
    protected byte[] Buffer { get; } = GC.AllocateArray<byte>(64 << 20, pinned: true);

    protected string Address { get; } = Path.Combine(Path.GetTempPath(), $"memprims-{Guid.NewGuid():N}");

    protected Placement Placement => placement;

    protected Process? Child { get; set; }

    protected abstract void Put(int size);

    protected abstract int Get();

    public override long RoundTrips(int size, long[] times)
    {
        Affinity.Pin(placement.Own);
        Buffer[0] = Partner.Echo;
        for (int i = 0; i < 50; i++) Trip(size);
        long used = Used();
        for (int i = 0; i < times.Length; i++)
        {
            long start = Stopwatch.GetTimestamp();
            Trip(size);
            times[i] = Stopwatch.GetTimestamp() - start;
        }
        used = Used() - used;
        Affinity.Pin(Affinity.AsPlaced);
        return used;
    }

    public override long OneWay(int size, int count)
    {
        Affinity.Pin(placement.Own);
        Buffer[0] = Partner.Take;
        for (int i = 1; i < count; i++) Put(size);
        Buffer[0] = Partner.Last;
        Put(size);
        int answer = Get();
        Affinity.Pin(Affinity.AsPlaced);
        return answer;
    }

    /// <summary>One message there and back; its length.</summary>
    public int Trip(int size)
    {
        Put(size);
        int length = Get();
        if (length != size) throw new InvalidOperationException($"{Name}: the echo of {size} bytes has another length.");
        return length;
    }

    private long Used() => Affinity.ProcessorTime(Environment.ProcessId) + Affinity.ProcessorTime(Child!.Id);

    public override void Dispose()
    {
        Child?.WaitForExit();
        Child?.Dispose();
    }
}

internal sealed class ChannelDriver : ManagedDriver
{
    private readonly IpcChannel _channel;

    public ChannelDriver(Placement placement, int spin = 20, string kind = "channel")
        : base(spin == 0 ? "channel, spinning off" : kind, placement)
    {
        ChannelOptions options = new() { SpinMicroseconds = spin, UseSharedMemory = kind != "fragments" };
        using IpcListener listener = IpcListener.Listen(Address, options);
        Child = Partner.Start(kind, Address, placement.Partners, spin, 0);
        _channel = listener.Accept(TimeSpan.FromSeconds(20));
    }

    protected override void Put(int size) => _channel.Send(Buffer.AsSpan(0, size));

    protected override int Get() => _channel.Receive(Buffer);

    public long FillAndSum(int size, long seed)
    {
        Affinity.Pin(Placement.Own);
        Pieces.Fill(Buffer.AsSpan(0, size), seed << 8 | Partner.Sum);
        Put(size);
        Get();
        Affinity.Pin(Affinity.AsPlaced);
        return BitConverter.ToInt64(Buffer);
    }

    /// <summary>One byte with descriptors there, which the peer closes, and one byte back.</summary>
    public long SendFiles(ReadOnlySpan<System.Runtime.InteropServices.SafeHandle> files)
    {
        Buffer[0] = Partner.Last;
        _channel.Send(Buffer.AsSpan(0, 1), files);
        return Get();
    }

    public override void Dispose()
    {
        _channel.Dispose();
        base.Dispose();
    }
}

internal sealed class SocketDriver : ManagedDriver
{
    private readonly Socket _socket;

    public SocketDriver(Placement placement, int sendBuffer = 0, bool rows = false)
        : base(sendBuffer == 0 ? ".NET Socket" : $".NET Socket, SO_SNDBUF {sendBuffer}", placement)
    {
        using Socket listener = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        listener.Bind(new UnixDomainSocketEndPoint(Address));
        listener.Listen();
        Child = Partner.Start(rows ? "socket-rows" : "socket", Address, placement.Partners, 0, sendBuffer);
        _socket = listener.Accept();
        if (sendBuffer > 0) _socket.SendBufferSize = sendBuffer;
        File.Delete(Address);
    }

    protected override void Put(int size) => Framed.Send(_socket, Buffer, size);

    protected override int Get() => Framed.Receive(_socket, Buffer);

    public long FillAndSum(int size, long seed)
    {
        Affinity.Pin(Placement.Own);
        Pieces.Fill(Buffer.AsSpan(0, size), seed << 8 | Partner.Sum);
        Put(size);
        Get();
        Affinity.Pin(Affinity.AsPlaced);
        return BitConverter.ToInt64(Buffer);
    }

    public override void Dispose()
    {
        _socket.Dispose();
        base.Dispose();
    }
}

/// <summary>A message built in a segment, and summed there by the peer.</summary>
internal sealed class SegmentDriver : IDisposable
{
    private readonly Placement _placement;
    private readonly IpcChannel _channel;
    private readonly Process _child;

    public SegmentDriver(Placement placement, int size, bool trusted)
    {
        _placement = placement;
        string address = Path.Combine(Path.GetTempPath(), $"memprims-{Guid.NewGuid():N}");
        using IpcListener listener = IpcListener.Listen(address, new() { SegmentCount = 2, SegmentBytes = size });
        _child = Partner.Start(trusted ? "segments, trusted" : "segments", address, placement.Partners, 20, 0);
        _channel = listener.Accept(TimeSpan.FromSeconds(20));
    }

    public long FillAndSum(int size, long seed)
    {
        Affinity.Pin(_placement.Own);
        SharedSegment segment = _channel.SegmentPool!.Rent(TimeSpan.FromSeconds(5));
        Pieces.Fill(segment.GetSpan()[..size], seed << 8 | Partner.Sum);
        _channel.Send(segment, size);
        Span<byte> answer = stackalloc byte[8];
        _channel.Receive(answer);
        Affinity.Pin(Affinity.AsPlaced);
        return BitConverter.ToInt64(answer);
    }

    public void Dispose()
    {
        _channel.Dispose();
        _child.WaitForExit();
        _child.Dispose();
    }
}

/// <summary>blocking.c, built by the gcc that is found, or none.</summary>
internal sealed class CDriver(char kind, Placement placement, bool spins = false)
    : Driver($"C {(spins ? "spinning" : "blocking")}, {(kind == 'p' ? "SEQPACKET" : "STREAM")}")
{
    private readonly Process _program =
        Process.Start(new ProcessStartInfo(s_path.Value!) { RedirectStandardInput = true, RedirectStandardOutput = true })!;

    private static readonly Lazy<string?> s_path = new(Build);

    /// <summary>Whether there is one; where there is none, the cases go without it and say so.</summary>
    public static bool IsThere => s_path.Value is not null;

    public override long RoundTrips(int size, long[] times)
    {
        _program.StandardInput.WriteLine($"{kind} {size} {times.Length} {placement.Own} {placement.Partners} {(spins ? 1 : 0)}");
        string[] words = _program.StandardOutput.ReadLine()!.Split(' ');
        for (int i = 0; i < times.Length; i++) times[i] = long.Parse(words[i], CultureInfo.InvariantCulture);
        return long.Parse(words[^1], CultureInfo.InvariantCulture);
    }

    public override long OneWay(int size, int count) => throw new NotSupportedException("The C peer makes round trips only.");

    public override void Dispose()
    {
        _program.StandardInput.Close();
        _program.WaitForExit();
        _program.Dispose();
    }

    private static string? Build()
    {
        string source = Path.Combine(AppContext.BaseDirectory, "Channels", "blocking.c"),
            program = Path.Combine(AppContext.BaseDirectory, "Channels", "blocking");
        try
        {
            using Process gcc = Process.Start(new ProcessStartInfo("gcc", ["-O3", "-march=native", "-o", program, source]))!;
            gcc.WaitForExit();
            if (gcc.ExitCode == 0) return program;
        }
        catch (System.ComponentModel.Win32Exception)
        {
            // No gcc.
        }
        Console.Error.WriteLine("The C peer is left out: gcc was not found, or did not build blocking.c. On Debian: apt-get install " +
            "gcc libc6-dev.");
        return null;
    }
}

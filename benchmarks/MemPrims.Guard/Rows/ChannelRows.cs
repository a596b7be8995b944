using MemPrims.Channels;

namespace MemPrims.Guard;

/// <summary>Messages within a process. Bytes allocated are those of the measured end.</summary>
internal sealed class ChannelRows : IRows
{
    private const int Trips = 256;

    public IEnumerable<Row> All =>
    [
        Alone(64), Alone(4096), Alone(68 << 10),
        Together("round trip of 64 bytes, both awake", 64, 20),
        Together("round trip of 64 bytes, both asleep", 64, 0),
        Together("round trip of 64 KiB, both awake", 64 << 10, 20),
    ];

    private static Row Alone(int bytes) => new($"channels: send and receive {bytes} bytes, one thread", () =>
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair();
        byte[] sent = new byte[bytes], received = new byte[bytes];
        return new(Trips, () =>
        {
            long sum = 0;
            for (int i = 0; i < Trips; i++)
            {
                a.Send(sent);
                sum += b.Receive(received);
            }
            return sum;
        })
        {
            Redraw = () => Random.Shared.NextBytes(sent),
            Close = () =>
            {
                a.Dispose();
                b.Dispose();
            },
        };
    });

    private static Row Together(string name, int bytes, int spin) => new($"channels: {name}", () =>
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair(new() { SpinMicroseconds = spin });
        byte[] sent = new byte[bytes], received = new byte[bytes];
        Thread echo = new(() =>
        {
            byte[] taken = new byte[bytes];
            while (b.Receive(taken) is > 0 and var length) b.Send(taken.AsSpan(0, length));
        })
        { IsBackground = true };
        echo.Start();
        return new(Trips, () =>
        {
            long sum = 0;
            for (int i = 0; i < Trips; i++)
            {
                a.Send(sent);
                sum += a.Receive(received);
            }
            return sum;
        })
        {
            Redraw = () => Random.Shared.NextBytes(sent),
            Close = () =>
            {
                a.Send([]);
                echo.Join();
                a.Dispose();
                b.Dispose();
            },
        };
    });
}

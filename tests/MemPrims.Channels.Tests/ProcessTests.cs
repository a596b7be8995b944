using System.Runtime.InteropServices;

namespace MemPrims.Channels.Tests;

// Two processes: killed at random moments, interrupted by signals, and a soak (4 seconds, 20 with MEMPRIMS_LONG=1;
// MEMPRIMS_SOAK_SECONDS=300 for the long one).
[Collection(Alone.Name)]
public partial class ProcessTests
{
    // Longer than a machine that all share stands still for.
    private static readonly TimeSpan s_soon = TimeSpan.FromSeconds(150);

    // A soak runs for minutes on machines that may stand still for one of them. What hangs is found all the same, a little later.
    private static readonly TimeSpan s_soakPatience = TimeSpan.FromMinutes(4);

    private static int Size(int i) => (i % 7) switch { 0 => 3_000_000, 1 => 300_000, 2 => 40_000, 3 => 9_000, _ => 12 + (i * 31 % 2_000) };

    [Fact]
    public void An_echo_in_another_process_gives_back_every_size()
    {
        using TempFolder folder = TempFolder.With("s", out string path);
        using IpcListener listener = IpcListener.Listen(path);
        using Process child = Child.Start(Echo, [path]);
        using (IpcChannel channel = listener.Accept(s_soon))
        {
            Assert.Equal(child.Id, channel.PeerCredentials.ProcessId);
            for (int i = 0; i < 300; i++)
            {
                byte[] sent = Bytes.Stamped(1, i, Size(i));
                channel.Send(sent);
                using IpcMessage message = channel.Receive(s_soon)!;
                Assert.True(message.Payload.Span.SequenceEqual(sent));
            }
        }
        Assert.True(child.WaitForExit(20_000));
        Assert.Equal(0, child.ExitCode);
    }

    private static void Echo(string[] arguments)
    {
        using IpcChannel channel = IpcChannel.Connect(arguments[0]);
        while (channel.Receive(Timeout.InfiniteTimeSpan) is { } message)
            using (message) channel.Send(message.Payload.Span);
    }

    private static void Flood(string[] arguments)
    {
        using IpcChannel channel = IpcChannel.Connect(arguments[0], new() { UseSharedMemory = arguments[1] == "True" });
        for (int i = 0; ; i++) channel.Send(Bytes.Stamped(2, i, Size(i)));
    }

    private static void Swallow(string[] arguments)
    {
        using IpcChannel channel = IpcChannel.Connect(arguments[0], new() { UseSharedMemory = arguments[1] == "True" });
        for (int i = 0; ; i++)
            using (IpcMessage message = channel.Receive(s_soon)!) Assert.Equal((3, i), Bytes.CheckStamp(message.Payload.Span));
    }

    [Theory, InlineData(true), InlineData(false)]
    public void A_sender_killed_at_any_moment_leaves_whole_messages_and_then_an_end(bool shared)
    {
        Random random = Seeds.Random(21);
        using TempFolder folder = new();
        using IpcListener listener = IpcListener.Listen(folder.File("s"), new() { UseSharedMemory = shared });
        Killed(listener, folder.File("s"), Flood, shared, random);
        int files = Census.Files, maps = Census.Maps;
        for (int round = 0; round < 8 * Seeds.Scale; round++) Killed(listener, folder.File("s"), Flood, shared, random);
        Census.AssertFiles(files);
        Assert.True(Census.Maps <= maps);
    }

    private static void Killed(IpcListener listener, string path, Action<string[]> scenario, bool shared, Random random)
    {
        using Process child = Child.Start(scenario, [path, $"{shared}"]);
        using IpcChannel channel = listener.Accept(s_soon);
        long kill = Stopwatch.GetTimestamp() + (random.Next(80) * Stopwatch.Frequency / 1000);
        int next = 0;
        try
        {
            while (true)
            {
                if (Stopwatch.GetTimestamp() > kill && !child.HasExited) child.Kill();
                if (scenario == Flood)
                {
                    using IpcMessage? message = channel.Receive(s_soon);
                    if (message is null) break;
                    Assert.Equal((2, next++), Bytes.CheckStamp(message.Payload.Span));
                }
                else channel.Send(Bytes.Stamped(3, next, Size(next++)));
            }
        }
        catch (IpcException e) when (e.Fault is IpcFault.EndedInMessage or IpcFault.PeerGone or IpcFault.PeerLeftMessagesUnread)
        {
            // The end of it, told.
        }
        child.Kill();
        child.WaitForExit();
    }

    [Theory, InlineData(true), InlineData(false)]
    public void A_receiver_killed_at_any_moment_ends_the_sender_with_an_error(bool shared)
    {
        Random random = Seeds.Random(22);
        using TempFolder folder = new();
        using IpcListener listener = IpcListener.Listen(folder.File("s"), new() { UseSharedMemory = shared });
        for (int round = 0; round < 8 * Seeds.Scale; round++) Killed(listener, folder.File("s"), Swallow, shared, random);
    }

    [Fact]
    public void A_sender_killed_while_other_holders_of_its_end_live_is_noticed_at_the_timeout()
    {
        using TempFolder folder = TempFolder.With("s", out string path);
        using IpcListener listener = IpcListener.Listen(path, new() { MaxHandles = 1 });
        using Process child = Child.Start(SendHalf, [path]);
        using IpcChannel outer = listener.Accept(s_soon);
        using IpcMessage handed = outer.Receive(s_soon)!;
        using IpcChannel channel = IpcChannel.FromHandle(handed.TakeHandle(0), new() { Timeout = TimeSpan.FromMilliseconds(500) });
        using (IpcMessage other = outer.Receive(s_soon)!)
        {
            using SafeHandle keepsTheEndOpen = other.TakeHandle(0);
            Assert.ThrowsAny<Exception>(() => Drain(channel));
            Assert.Equal(IpcFault.Broken, Assert.ThrowsAny<IpcException>(() => channel.Receive(s_soon)).Fault);
        }
        child.Kill();
        child.WaitForExit();
    }

    private static void Drain(IpcChannel channel)
    {
        while (channel.Receive(s_soon) is { } message) message.Dispose();
        throw new InvalidOperationException("The end was reached, and a holder of it lives.");
    }

    private static void SendHalf(string[] arguments)
    {
        using IpcChannel outer = IpcChannel.Connect(arguments[0]);
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair();
        using SafeHandle receives = b.DuplicateHandle(), sends = a.DuplicateHandle();
        outer.Send([1], [receives]);
        outer.Send([2], [sends]);
        // More than the socket holds: the process ends while it waits for room.
        using Background ends = new(() =>
        {
            Thread.Sleep(100);
            Environment.FailFast(null);
        });
        a.Send(new byte[1 << 20]);
        a.Send(new byte[200 << 20]);
    }

    [Fact]
    public void Signals_do_not_disturb_messages()
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair(new() { SpinMicroseconds = 0, UseSharedMemory = false });
        using (a)
        using (b)
        using (PosixSignalRegistration.Create((PosixSignal)28, context => context.Cancel = true))
        {
            bool stop = false;
            int process = Environment.ProcessId;
            using Background signals = new(() =>
            {
                while (!Volatile.Read(ref stop))
                {
                    _ = Kill(process, 28);
                    Thread.Sleep(0);
                }
            });
            using (Background sending = new(() =>
            {
                for (int i = 0; i < 400; i++) a.Send(Bytes.Stamped(4, i, i % 20 == 0 ? 1_000_000 : 20_000));
            }))
                for (int i = 0; i < 400; i++)
                    using (IpcMessage message = b.Receive(s_soon)!) Assert.Equal((4, i), Bytes.CheckStamp(message.Payload.Span));
            Volatile.Write(ref stop, true);
        }
    }

    // Both ends in processes of their own: the memory of each is looked at, and other tests run in this process.
    [Fact]
    public void Soak()
    {
        string? wanted = Environment.GetEnvironmentVariable("MEMPRIMS_SOAK_SECONDS");
        int seconds = int.TryParse(wanted, out int asked) ? asked : LongRuns.Of(4, 20);
        using TempFolder folder = new();
        string[] arguments = [folder.File("s"), $"{seconds}"];
        using Process listener = Child.Start(SoakListener, arguments, MemoryCensus.OneHeap);
        Assert.Equal("listening", listener.StandardOutput.ReadLine());
        using Process peer = Child.Start(SoakPeer, arguments, MemoryCensus.OneHeap);
        foreach (Process end in new[] { listener, peer })
        {
            string errors = end.StandardError.ReadToEnd();
            end.WaitForExit();
            Assert.True(end.ExitCode == 0, errors);
        }
    }

    private static void SoakListener(string[] arguments)
    {
        using IpcListener listener = IpcListener.Listen(arguments[0], new() { Timeout = s_soakPatience });
        Console.WriteLine("listening");
        using IpcChannel channel = listener.Accept(s_soon);
        SoakEnd(channel, int.Parse(arguments[1]));
    }

    private static void SoakPeer(string[] arguments)
    {
        using IpcChannel channel = IpcChannel.Connect(arguments[0], new() { Timeout = s_soakPatience });
        SoakEnd(channel, int.Parse(arguments[1]));
    }

    private static void SoakEnd(IpcChannel channel, int seconds)
    {
        using Background sending = new(() => SoakSend(channel, seconds), s_soakPatience + TimeSpan.FromSeconds(seconds));
        (long messages, MemoryCensus early, MemoryCensus late) = SoakReceive(channel, seconds);
        Assert.True(messages > 100 * seconds, $"only {messages} messages");
        // Each kind moved by less than 10 MiB, which was four large messages under way. 60,000 messages that leak 1 KiB are 60 MiB.
        const long most = 32 << 20;
        Assert.True(late.Managed - early.Managed < most && late.Native - early.Native < most && late.Mapped - early.Mapped < most,
            $"after a quarter of the time: {early}; at the end, after {messages} messages: {late}");
    }

    // Receives until a negative number; how many messages, and the memory after a quarter of the time and at the end.
    private static (long Messages, MemoryCensus Early, MemoryCensus Late) SoakReceive(IpcChannel channel, int seconds)
    {
        int[] next = new int[4];
        long messages = 0, warm = Stopwatch.GetTimestamp() + (seconds * Stopwatch.Frequency / 4);
        MemoryCensus? early = null;
        while (channel.Receive(s_soakPatience) is { } message)
            using (message)
            {
                (int sender, int number) = Bytes.CheckStamp(message.Payload.Span);
                if (number < 0) break;
                Assert.Equal(next[sender]++, number);
                messages++;
                if (early is null && Stopwatch.GetTimestamp() > warm) early = MemoryCensus.Now;
            }
        return (messages, early!.Value, MemoryCensus.Now);
    }

    // Four senders, then a message with a negative number.
    private static void SoakSend(IpcChannel channel, int seconds)
    {
        long end = Stopwatch.GetTimestamp() + (seconds * Stopwatch.Frequency);
        Background[] senders = [.. Enumerable.Range(0, 4).Select(sender => new Background(() =>
        {
            Random random = Seeds.Random(sender);
            for (int i = 0; Stopwatch.GetTimestamp() < end; i++) channel.Send(Bytes.Stamped(sender, i, Size(random.Next(1000))));
        }, s_soakPatience + TimeSpan.FromSeconds(seconds)))];
        foreach (Background sender in senders) sender.Dispose();
        channel.Send(Bytes.Stamped(0, -1, 12));
    }

    [LibraryImport("libc", EntryPoint = "kill")]
    private static partial int Kill(int process, int signal);
}

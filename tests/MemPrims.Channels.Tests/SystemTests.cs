using System.Runtime.InteropServices;

namespace MemPrims.Channels.Tests;

// What the system refuses: other users, too many descriptors under way, memory files. Each in a process of its own, which is spoilt by it.
[Collection(Alone.Name)]
public class SystemTests
{
    private const int Nobody = 65534;

    private static readonly bool s_isArm = RuntimeInformation.ProcessArchitecture == Architecture.Arm64;
    private static readonly TimeSpan s_soon = TimeSpan.FromSeconds(20);

    [RootFact]
    public void Another_user_is_refused_at_an_abstract_name_from_both_sides()
    {
        string name = $"@memprims-{Guid.NewGuid():N}";
        using IpcListener listener = IpcListener.Listen(name);
        Child.Run(ConnectAsNobody, [name]).AssertSucceeded();
        for (int i = 0; i < 2; i++)
        {
            IpcException refused = Assert.ThrowsAny<IpcException>(() => listener.Accept(s_soon));
            Assert.Equal(IpcFault.WrongUser, refused.Fault);
            Assert.Contains($"{Nobody}", refused.Message);
        }
        // Its own user is let in after that.
        using IpcChannel client = IpcChannel.Connect(name), server = listener.Accept(s_soon);
    }

    private static void ConnectAsNobody(string[] arguments)
    {
        using Background nobody = new(() =>
        {
            Limits.BecomeUser(Nobody);
            // The listener is another user's to this end.
            Assert.Equal(IpcFault.WrongUser, Assert.ThrowsAny<IpcException>(() => IpcChannel.Connect(arguments[0])).Fault);
            // This end does not mind; the listener does, and closes.
            Assert.Equal(IpcFault.PeerGone,
                Assert.ThrowsAny<IpcException>(() => IpcChannel.Connect(arguments[0], new() { SameUserOnly = false })).Fault);
        });
    }

    [RootFact]
    public void A_path_is_for_its_user_alone()
    {
        using TempFolder folder = new();
        if (!OperatingSystem.IsWindows()) File.SetUnixFileMode(folder.Path, (UnixFileMode)0b111_101_101);
        using IpcListener listener = IpcListener.Listen(folder.File("s"));
        Child.Run(FindPathClosed, [folder.File("s")]).AssertSucceeded();
    }

    private static void FindPathClosed(string[] arguments)
    {
        using Background nobody = new(() =>
        {
            Limits.BecomeUser(Nobody);
            Assert.Contains("permissions", Assert.ThrowsAny<IOException>(() => IpcChannel.Connect(arguments[0])).Message);
        });
    }

    [Fact]
    public void A_process_without_an_input_has_rings_too() => Child.Run(MakeWithoutInput).AssertSucceeded();

    private static void MakeWithoutInput(string[] arguments)
    {
        // Nobody's any more: the next descriptor gets the number 0, which is no error.
        _ = Posix.Close(0);
        RingMemory? memory = RingMemory.TryCreate(RingLayout.Usual, out int file, out _);
        Assert.NotNull(memory);
        Assert.Equal(0, file);
        memory.Unmap();
        _ = Posix.Close(file);
    }

    [Fact]
    public void Too_many_descriptors_under_way_are_an_error_of_their_own() => Child.Run(SendTooMany).AssertSucceeded();

    private static void SendTooMany(string[] arguments)
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair(new() { MaxHandles = 100 });
        using SafeFileHandle file = File.OpenHandle("/dev/null");
        SafeHandle[] many = [.. Enumerable.Repeat<SafeHandle>(file, 100)];
        a.Send([1], many);
        b.Receive(s_soon)!.Dispose();
        Limits.Files(Census.Numbers + 250);
        using Background nobody = new(() =>
        {
            // Root may have any number under way.
            if (Posix.Geteuid() == 0) Limits.BecomeUser(Nobody);
            int sent = 0;
            IpcException refused = Assert.ThrowsAny<IpcException>(() =>
            {
                for (; sent < 100; sent++) a.Send([1], many);
            });
            Assert.Equal(IpcFault.TooManyInFlight, refused.Fault);
            for (; sent > 0; sent--)
            {
                b.Receive(s_soon)!.Dispose();
                // They are closed on other threads, and three messages' would be more than this process may have.
                SpinWait.SpinUntil(() => Closer.Usual.Backlog == 0);
            }
            // What was received is not under way any more.
            a.Send([2], many);
            b.Receive(s_soon)!.Dispose();
        });
    }

    [Fact]
    public void A_first_asynchronous_call_without_a_descriptor_is_an_error_and_later_ones_go_well() =>
        Child.Run(BeginToWaitWithoutDescriptors).AssertSucceeded();

    private static void BeginToWaitWithoutDescriptors(string[] arguments)
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair();
        // The descriptor that all waits of the process share is refused to this one thread.
        using (Background refused = new(() =>
        {
            Scarcity.RefuseHere(s_isArm ? 20u : 291u, Errno.EMFILE);
            Assert.Throws<IOException>(() => b.ReceiveAsync().AsTask().GetAwaiter().GetResult());
        })) Assert.Null(refused.Outcome());
        Task<IpcMessage?> receiving = b.ReceiveAsync().AsTask();
        a.Send([3]);
        using IpcMessage message = receiving.WaitAsync(s_soon).GetAwaiter().GetResult()!;
        Assert.Equal(3, message.Payload.Span[0]);
    }

    // The meter is made on a thread of the library's own, and its assembly is loaded there.
    [Fact]
    public void A_process_without_a_descriptor_to_spare_lives_without_a_meter() =>
        Child.Run(MakeMeterWithoutDescriptors).AssertSucceeded();

    private static void MakeMeterWithoutDescriptors(string[] arguments)
    {
        // What this takes is loaded before.
        Limits.Files(1024);
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair();
        int free = Census.OpenNull();
        _ = Posix.Close(free);
        Limits.Files(free);
        Thread.Sleep(500);
        Limits.Files(1024);
        a.Send([1]);
        b.Receive(s_soon)!.Dispose();
        a.Dispose();
        b.Dispose();
    }

    [Fact]
    public void Where_the_system_refuses_memory_files_messages_go_in_packets() => Child.Run(LiveWithoutMemoryFiles).AssertSucceeded();

    private static void LiveWithoutMemoryFiles(string[] arguments)
    {
        using Background refused = new(() =>
        {
            RefuseMemoryFiles();
            using Listening listening = new();
            using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b);
            Assert.False(a.HasSharedMemory);
            Assert.Contains($"6: No memory file could be made: {Errno.Text(Errno.EPERM)}, {Environment.ProcessId}, ",
                listening.Told);
            byte[] large = Bytes.Random(3 << 20, 6);
            using Background sending = new(() => a.Send(large));
            using IpcMessage message = b.Receive(s_soon)!;
            Assert.True(message.Payload.Span.SequenceEqual(large));
        });
    }

    [Fact]
    public void A_kernel_that_cannot_populate_a_map_has_a_ring_all_the_same() => Child.Run(LiveWithoutPopulating).AssertSucceeded();

    private static unsafe void LiveWithoutPopulating(string[] arguments)
    {
        using Background refused = new(() =>
        {
            // As Linux before 5.14 answers.
            Scarcity.RefuseHere(s_isArm ? 233u : 28u, Errno.EINVAL, Posix.MADV_POPULATE_WRITE);
            using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b);
            byte[] large = Bytes.Random(3 << 20, 7);
            Assert.Throws<TimeoutException>(() => b.Receive(TimeSpan.Zero));
            using (Background sending = new(() => a.Send(large)))
            using (IpcMessage message = b.Receive(s_soon)!) Assert.True(message.Payload.Span.SequenceEqual(large));
            Assert.Equal(Packets.EntrySize(0) + Packets.EntrySize(large.Length), a.Shared()->Produced);
        });
    }

    [Fact]
    public void A_large_ring_that_gets_no_memory_leaves_the_small_one() => Child.Run(GrowWithoutMemory).AssertSucceeded();

    private static unsafe void GrowWithoutMemory(string[] arguments)
    {
        using Background refused = new(() =>
        {
            const int noMemory = 12;
            using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b);
            Scarcity.RefuseHere(s_isArm ? 233u : 28u, noMemory, Posix.MADV_POPULATE_WRITE);
            RingTests.UseRing(a, b);
            byte[] large = Bytes.Random(3 << 20, 8);
            using (Background receiving = new(() =>
            {
                using IpcMessage message = b.Receive(s_soon)!;
                Assert.True(message.Payload.Span.SequenceEqual(large));
            })) a.Send(large);
            Assert.Equal(64 + Packets.EntrySize(large.Length), a.Shared()->Produced);
            Assert.InRange(Census.BytesOf(a), 1, 64 << 10);
        });
    }

    [Fact]
    public void Signals_do_not_cost_a_channel_its_shared_memory() => Child.Run(AllocateUnderSignals).AssertSucceeded();

    private static void AllocateUnderSignals(string[] arguments)
    {
        const int windowChanged = 28, rounds = 10;
        // As before Linux 5.14: then all memory is taken by fallocate, which signals interrupt.
        Scarcity.RefuseHere(s_isArm ? 233u : 28u, Errno.EINVAL, Posix.MADV_POPULATE_WRITE);
        using PosixSignalRegistration handled =
            PosixSignalRegistration.Create((PosixSignal)windowChanged, context => context.Cancel = true);
        int process = Environment.ProcessId, thread = (int)Posix.Syscall(s_isArm ? 178 : 186, 0, 0, 0, 0, 0, 0);
        bool stop = false;
        using (Background signals = new(() =>
        {
            while (!Volatile.Read(ref stop))
            {
                _ = Posix.Syscall(s_isArm ? 131 : 234, process, thread, windowChanged, 0, 0, 0);
                Thread.Sleep(1);
            }
        }))
        {
            int whole = 0;
            for (int i = 0; i < rounds; i++)
            {
                (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair();
                using SharedMemory large = SharedMemory.Create(64 << 20);
                if (a.HasSharedMemory && b.HasSharedMemory) whole++;
                a.Dispose();
                b.Dispose();
            }
            Volatile.Write(ref stop, true);
            Assert.Equal(rounds, whole);
        }
    }

    // A filter on this thread's system calls: memfd_create is not permitted, everything else is.
    private static void RefuseMemoryFiles() => Scarcity.RefuseHere(s_isArm ? 279u : 319u, Errno.EPERM);
}

// A test that becomes another user for a moment, which only root can. Elsewhere it is shown as skipped.
internal sealed class RootFactAttribute : FactAttribute
{
    public RootFactAttribute()
    {
        if (Posix.Geteuid() != 0) Skip = "needs root: only root can be another user for a moment";
    }
}

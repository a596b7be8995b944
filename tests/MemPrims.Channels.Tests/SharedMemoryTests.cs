namespace MemPrims.Channels.Tests;

// Memory that is handed over as a descriptor: what may be done with it, and what is refused.
[Collection(Alone.Name)]
public class SharedMemoryTests
{
    private static readonly TimeSpan s_soon = TimeSpan.FromSeconds(20);

    [Theory, InlineData(1), InlineData(4097), InlineData(10_000_000)]
    public void What_one_process_writes_the_other_one_reads(int length)
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b, new() { MaxHandles = 1 });
        using SharedMemory made = SharedMemory.Create(length);
        Assert.True(made.IsWritable);
        Assert.Equal(0, made.Span.IndexOfAnyExcept((byte)0) + 1);
        a.Send([], [made.Handle]);
        using IpcMessage message = b.Receive(s_soon)!;
        using SharedMemory mapped = SharedMemory.Open(message.TakeHandle(0));
        Assert.Equal(length, mapped.Length);
        Assert.False(mapped.IsWritable);
        made.WritableSpan.Fill(3);
        Assert.Equal(length, mapped.Span.Count((byte)3));
        Assert.Throws<InvalidOperationException>(() => mapped.WritableSpan[0] = 1);
        made.Dispose();
        Assert.Equal(length, mapped.Span.Count((byte)3));
        Assert.Throws<ObjectDisposedException>(() => made.Span.Length);
        Assert.Throws<ObjectDisposedException>(() => made.WritableSpan.Length);
    }

    [Fact]
    public void A_receiver_writes_only_where_the_maker_lets_it()
    {
        using SharedMemory closed = SharedMemory.Create(100), open = SharedMemory.Create(100, othersMayWrite: true);
        using SafeFileHandle first = Copy(closed), second = Copy(open);
        Assert.ThrowsAny<IOException>(() => SharedMemory.Open(first, writable: true));
        Assert.False(first.IsClosed);
        using SharedMemory writer = SharedMemory.Open(second, writable: true);
        writer.WritableSpan[99] = 9;
        Assert.Equal(9, open.Span[99]);
        // Nobody changes the length, its maker neither.
        Assert.NotEqual(0, Posix.Ftruncate((int)open.Handle.DangerousGetHandle(), 50));
        Assert.NotEqual(0, Posix.Ftruncate((int)open.Handle.DangerousGetHandle(), 150));
    }

    [Fact]
    public void Other_files_are_refused_and_stay_the_callers()
    {
        using TempFolder folder = new();
        File.WriteAllBytes(folder.File("f"), new byte[100]);
        using SafeFileHandle file = File.OpenHandle(folder.File("f")), unsealed = new(MemoryFile.TryCreate("test"), ownsHandle: true);
        Assert.Equal(0, Posix.Ftruncate((int)unsealed.DangerousGetHandle(), 100));
        Assert.True(MemoryFile.TryAllocate((int)unsealed.DangerousGetHandle(), 0, 100));
        foreach (SafeFileHandle bad in (SafeFileHandle[])[file, unsealed])
        {
            Assert.Throws<ArgumentException>(() => SharedMemory.Open(bad));
            Assert.False(bad.IsClosed);
        }
        Assert.Throws<ArgumentNullException>(() => SharedMemory.Open(null!));
        foreach (int length in (int[])[0, -1, int.MaxValue])
            Assert.Throws<ArgumentOutOfRangeException>(() => SharedMemory.Create(length));
    }

    [Fact]
    public void What_was_sent_outlives_its_maker()
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b, new() { MaxHandles = 1 });
        using (SharedMemory made = SharedMemory.Create(70_000))
        {
            made.WritableSpan.Fill(5);
            a.Send([], [made.Handle]);
        }
        a.Dispose();
        using IpcMessage message = b.Receive(s_soon)!;
        using SharedMemory mapped = SharedMemory.Open(message.TakeHandle(0));
        Assert.Equal(70_000, mapped.Span.Count((byte)5));
    }

    [Fact]
    public void A_file_that_is_cut_as_it_is_opened_is_refused_or_has_its_new_length()
    {
        const int pages = 64;
        Random random = Seeds.Random(91);
        for (int round = 0; round < LongRuns.Of(250, 100_000); round++)
        {
            using SafeFileHandle file = new(MemoryFile.TryCreate("test"), ownsHandle: true);
            int number = (int)file.DangerousGetHandle();
            Assert.Equal(0, Posix.Ftruncate(number, pages * Environment.SystemPageSize));
            Assert.True(MemoryFile.TryAllocate(number, 0, pages * Environment.SystemPageSize));
            int pause = random.Next(60);
            using Barrier both = new(2);
            using Background cutting = new(() =>
            {
                both.SignalAndWait();
                Thread.SpinWait(pause);
                _ = Posix.Ftruncate(number, Environment.SystemPageSize);
                _ = Posix.Fcntl(number, Posix.F_ADD_SEALS, MemoryFile.ReadOnlyForOthers);
            });
            both.SignalAndWait();
            while (true)
                try
                {
                    using SharedMemory mapped = SharedMemory.Open(file);
                    // A longer one would end the process where it is read.
                    Assert.Equal(Environment.SystemPageSize, mapped.Length);
                    break;
                }
                catch (ArgumentException)
                {
                    // Not sealed yet.
                }
        }
    }

    [Fact]
    public void A_file_without_its_memory_is_refused()
    {
        const int length = 1 << 20, keepLengthAndPunchHole = 3;
        using SafeFileHandle holes = new(MemoryFile.TryCreate("test"), ownsHandle: true);
        int number = (int)holes.DangerousGetHandle();
        Assert.Equal(0, Posix.Ftruncate(number, length));
        Assert.True(MemoryFile.TryAllocate(number, 0, length / 2));
        Assert.Equal(0, Posix.Fcntl(number, Posix.F_ADD_SEALS, MemoryFile.ReadOnlyForOthers));
        Assert.Throws<ArgumentException>(() => SharedMemory.Open(holes));
        // What has its memory keeps it.
        using SharedMemory made = SharedMemory.Create(length);
        Assert.NotEqual(0, Posix.Fallocate((int)made.Handle.DangerousGetHandle(), keepLengthAndPunchHole, 0, length));
        Assert.Equal(Errno.EPERM, Errno.Last);
    }

    [Fact]
    public unsafe void The_kernel_keeps_a_reader_from_writing()
    {
        using SharedMemory made = SharedMemory.Create(5000, othersMayWrite: true), mapped = SharedMemory.Open(Copy(made));
        fixed (byte* start = mapped.Span)
        {
            string place = $"{(nint)start:x}-";
            string line = File.ReadLines("/proc/self/maps").First(line => line.StartsWith(place, StringComparison.Ordinal));
            Assert.Contains(" r--s ", line);
        }
    }

    [Fact]
    public void Neither_descriptor_nor_map_is_left()
    {
        SharedMemory.Create(5000).Dispose();
        int files = Census.SettledFiles(), maps = Maps;
        for (int i = 0; i < 50; i++)
        {
            using SharedMemory made = SharedMemory.Create(5000);
            using SharedMemory mapped = SharedMemory.Open(Copy(made));
            Assert.ThrowsAny<IOException>(() =>
            {
                using SafeFileHandle again = Copy(made);
                SharedMemory.Open(again, writable: true);
            });
        }
        Census.AssertFiles(files);
        Assert.True(Maps <= maps, $"{Maps} maps, {maps} before");
    }

    private static int Maps => File.ReadLines("/proc/self/maps").Count(line => line.Contains("memprims-shared", StringComparison.Ordinal));

    private static SafeFileHandle Copy(SharedMemory memory)
    {
        const int duplicateCloseOnExec = 1030;
        return new(Posix.Fcntl((int)memory.Handle.DangerousGetHandle(), duplicateCloseOnExec, 0), ownsHandle: true);
    }
}

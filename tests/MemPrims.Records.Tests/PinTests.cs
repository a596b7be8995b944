namespace MemPrims.Records.Tests;

// Whose a pin is, for the commit that waits for it: pins of asynchronous code, and pins that nobody has any more.
public class PinTests
{
    [Theory, InlineData(false), InlineData(true)]
    public async Task A_commit_waits_for_a_pin_that_is_held_over_an_await_and_its_own_is_an_error_at_once(bool hadPin)
    {
        using TempFolder folder = new();
        using var file = MappedFileTests.Made(folder.File("stats"), 10);
        TaskCompletionSource goOn = new();
        if (hadPin) file.Pin().Dispose();
        Task holds = Hold();
        // Hold has returned at its await: its pin was taken on this very thread.
        _ = Task.Run(async () =>
        {
            await Task.Delay(50);
            goOn.SetResult();
        });
        Assert.Equal(2, file.Increment(0, IndexStats.Fields.Attempts));
        await holds;

        async Task Hold()
        {
            using var pin = file.Pin();
            Assert.Equal(1, file.Increment(0, IndexStats.Fields.Attempts));
            Assert.Contains("of the code that commits itself",
                Assert.Throws<MappedFileException>(() => file.Increment(0, IndexStats.Fields.Attempts)).Message);
            await goOn.Task.ConfigureAwait(false);
            Assert.Equal(0, pin.View(0).Attempts);
        }
    }

    [Fact]
    public async Task Short_pins_over_awaits_beside_commits_fail_none()
    {
        const int commits = 60;
        using TempFolder folder = new();
        using var file = MappedFileTests.Made(folder.File("stats"), 10);
        bool ends = false;
        // One thread for all of them: each pin is taken where commits run.
        TaskScheduler one = new ConcurrentExclusiveSchedulerPair().ExclusiveScheduler;
        Task pins = Task.Factory.StartNew(async () =>
        {
            while (!Volatile.Read(ref ends))
            {
                using var pin = file.Pin();
                await Task.Delay(2).ConfigureAwait(false);
                Assert.InRange(pin.View(0).Attempts, 0, commits);
            }
        }, CancellationToken.None, TaskCreationOptions.None, one).Unwrap();
        for (int i = 0; i < commits; i++)
            await Task.Factory.StartNew(() => file.Increment(0, IndexStats.Fields.Attempts), CancellationToken.None,
                TaskCreationOptions.None, one);
        Volatile.Write(ref ends, true);
        await pins;
        Assert.Equal(commits, file.Read(0, static s => s.Attempts));
    }

    [Theory, InlineData(true), InlineData(false)]
    public async Task A_pin_that_nobody_has_any_more_is_found_before_a_commit_gives_up(bool ofOtherCode)
    {
        using TempFolder folder = new();
        MappedFileTests.Made(folder.File("stats"), 3).Dispose();
        using var file = MappedFile<IndexStats>.Open(folder.File("stats"), new() { PinTimeout = TimeSpan.Zero });
        if (ofOtherCode) await OwnThread.Run(() => Scan(file));
        else Scan(file);
        Assert.Equal((1, 2, 3), (file.Increment(0, IndexStats.Fields.Attempts), file.Increment(0, IndexStats.Fields.Attempts),
            file.Increment(0, IndexStats.Fields.Attempts)));
        // One that somebody has is no such pin.
        using var pin = file.Pin();
        file.Increment(0, IndexStats.Fields.Attempts);
        Assert.Equal(MappedFileReason.Pinned,
            Assert.Throws<MappedFileException>(() => file.Increment(0, IndexStats.Fields.Attempts)).Reason);
        Assert.Equal(3, pin.View(0).Attempts);
    }

    // In a process of its own: its finalizers hang, so nobody gives the pin back, and what it holds must not be written over.
    [Fact]
    public void A_pin_that_nobody_has_and_no_finalizer_gives_back_holds_its_pages()
    {
        using TempFolder folder = TempFolder.With("stats", out string path);
        MappedFileTests.Made(path, 3).Dispose();
        Child.Run(LosePinWithoutFinalizers, [path]).AssertSucceeded();
    }

    private static void LosePinWithoutFinalizers(string[] arguments)
    {
        using MappedFile<IndexStats> file = MappedFile<IndexStats>.Open(arguments[0], new() { PinTimeout = TimeSpan.Zero });
        using SemaphoreSlim hangs = new(0), goesOn = new(0);
        MakeHanging(hangs, goesOn);
        GC.Collect();
        hangs.Wait();
        MappedFileException? pinned = null;
        try
        {
            Scan(file);
            file.Increment(0, IndexStats.Fields.Attempts);
            file.Increment(0, IndexStats.Fields.Attempts);
        }
        catch (MappedFileException e)
        {
            pinned = e;
        }
        goesOn.Release();
        GC.WaitForPendingFinalizers();
        Assert.Equal(MappedFileReason.Pinned, pinned?.Reason);
        Assert.Equal(2, file.Increment(0, IndexStats.Fields.Attempts));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void MakeHanging(SemaphoreSlim hangs, SemaphoreSlim goesOn) => _ = new Hanging(hangs, goesOn);

    private sealed class Hanging(SemaphoreSlim hangs, SemaphoreSlim goesOn)
    {
        ~Hanging()
        {
            hangs.Release();
            goesOn.Wait();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Scan(MappedFile<IndexStats> file)
    {
        int sum = 0;
        foreach (var record in file.Pin().Scan()) sum += record.Attempts;
        return sum;
    }
}

namespace MemPrims.Channels.Tests;

// When a receive looks before it sleeps, and for how long.
[Collection(Alone.Name)]
public class SpinnerTests
{
    // Long, so that a thread which loses its processor for a moment still finds most of it left.
    private const int Microseconds = 200_000;

    private static readonly long s_once = Microseconds * Stopwatch.Frequency / 1_000_000;

    [TwoProcessorsFact]
    public void It_looks_then_stops_after_three_failures_and_tries_again_every_512_receives_at_least()
    {
        Spinner spinner = new(Microseconds);
        for (int i = 0; i < 3; i++)
        {
            Assert.InRange(Left(spinner), 1, s_once);
            spinner.Failed();
        }
        int tries = 0, pause = 0, longest = 0;
        for (int i = 0; i < 8000; i++)
        {
            long left = Left(spinner);
            pause++;
            if (left == 0) continue;
            // A try has to last until a sleeping peer has woken.
            Assert.InRange(left, s_once + 1, 5 * s_once);
            spinner.Failed();
            longest = Math.Max(longest, pause);
            pause = 0;
            tries++;
        }
        Assert.Equal(512, longest);
        Assert.InRange(tries, 20, 26);
        spinner.Succeeded();
        Assert.InRange(Left(spinner), 1, s_once);
    }

    [TwoProcessorsFact]
    public void After_a_send_that_woke_the_peer_it_looks_longer()
    {
        Spinner spinner = new(Microseconds);
        spinner.WokePeer();
        Assert.InRange(Left(spinner), s_once + 1, 5 * s_once);
        Thread.Sleep(5 * Microseconds / 1000);
        // Long ago: as ever.
        Assert.InRange(Left(spinner), 1, s_once);
    }

    [TwoProcessorsFact]
    public void An_answer_later_than_a_usual_look_is_no_reason_to_spin()
    {
        const int usual = 1000;
        Spinner spinner = new(usual);
        for (int i = 0; i < 3; i++)
        {
            Assert.NotEqual(0, spinner.LookUntil());
            spinner.Failed();
        }
        int looks = 0;
        for (int i = 0; i < 3000; i++)
        {
            if (spinner.LookUntil() == 0) continue;
            looks++;
            if (looks % 2 == 0) spinner.Failed();
            else
            {
                // A long look that finds its message after the usual time.
                Thread.Sleep(2);
                spinner.Succeeded();
            }
        }
        Assert.InRange(looks, 2, 40);
    }

    [Fact]
    public void It_does_not_look_where_the_peer_needs_this_processor_or_where_it_is_switched_off()
    {
        Spinner off = new(0);
        Assert.Equal(0, off.LookUntil());
        bool seen = false;
        for (int i = 0; i < 100 && !seen; i++)
        {
            int here = Posix.SchedGetcpu();
            Spinner spinner = new(Microseconds) { PeerProcessor = here };
            bool looks = spinner.LookUntil() != 0;
            // Moved to another processor meanwhile: once more.
            if (Posix.SchedGetcpu() != here) continue;
            Assert.False(looks);
            seen = true;
        }
        Assert.True(seen);
    }

    [Fact]
    public unsafe void An_end_tells_while_it_sleeps_in_a_receive()
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b, new() { SpinMicroseconds = 0 });
        using (Background receiving = new(() => b.Receive(TimeSpan.FromSeconds(20))!.Dispose()))
        {
            for (int i = 0; i < 1000 && !Sleeps(b); i++) Thread.Sleep(10);
            Assert.True(Sleeps(b));
            a.Send([1]);
        }
        Assert.False(Sleeps(b));
    }

    private static unsafe bool Sleeps(IpcChannel channel) =>
        Volatile.Read(ref channel.Shared()->SleepsOnProduced) != 0
            || (Volatile.Read(ref channel.Shared()->SleepsOnSocket) & 1) != 0;

    private static long Left(Spinner spinner)
    {
        long until = spinner.LookUntil();
        // Counted from after the look, which began at its own clock: never more than was asked for.
        return until == 0 ? 0 : Math.Max(1, until - Stopwatch.GetTimestamp());
    }
}

// A test of spinning, which one processor alone never does. There it is shown as skipped.
internal sealed class TwoProcessorsFactAttribute : FactAttribute
{
    public TwoProcessorsFactAttribute()
    {
        if (Environment.ProcessorCount < 2) Skip = "needs two processors";
    }
}

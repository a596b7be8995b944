namespace MemPrims.Channels.Tests;

// Sleeping and waking at the ring itself. A sender and a receiver sleep for a moment at a time, so a wake-up that never comes costs them
// nothing but time.
[Collection(Alone.Name)]
public sealed unsafe class FutexTests : IDisposable
{
    private const int VeryLong = 3_600_000;

    private static readonly TimeSpan s_soon = TimeSpan.FromSeconds(20);
    private readonly RingMemory _mine = Make(), _theirs = Make();

    public void Dispose()
    {
        _mine.Unmap();
        _theirs.Unmap();
    }

    [Fact]
    public void Who_takes_from_a_ring_wakes_the_peer_that_sleeps_until_there_is_room()
    {
        Thread peer = new(() => Futex.SleepOn(&_mine.Header->Consumed, 0, &_theirs.Header->SleepsOnConsumed, &_mine.Header->HasEnded,
            VeryLong));
        peer.Start();
        try
        {
            Assert.True(SpinWait.SpinUntil(() => Volatile.Read(ref _theirs.Header->SleepsOnConsumed) != 0, s_soon));
            // From the flag it is not far to the sleep. Before that it would see the new count by itself.
            Thread.Sleep(100);
            byte taken;
            new RingReader(_mine, _theirs).Take(&taken, 1);
            Assert.True(peer.Join(s_soon));
            Assert.Equal(0, _theirs.Header->SleepsOnConsumed);
        }
        finally
        {
            // A peer that missed it must not sleep on when the memory is gone.
            Volatile.Write(ref _mine.Header->HasEnded, 1);
            do _ = Futex.WakeAll((int*)&_mine.Header->Consumed);
            while (!peer.Join(1));
        }
    }

    private static RingMemory Make()
    {
        RingMemory? memory = RingMemory.TryCreate(RingLayout.Usual, out int file, out int error);
        Assert.True(memory is not null, $"error {error}");
        _ = Posix.Close(file);
        return memory;
    }
}

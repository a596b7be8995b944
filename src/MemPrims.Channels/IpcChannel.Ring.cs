using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;
using MemPrims.Channels.Native;
using MemPrims.Channels.Shared;

namespace MemPrims.Channels;

// The ring: what both ends of it share. An end writes its messages into its own memory, one entry after another, each with the header that
// a packet has, and counts the bytes (Produced). The peer copies them out and counts how far it has come (Consumed). No system call is
// made while both keep up. Whoever has to wait looks at the other's counter for a while and then sleeps on it. A count that the other
// cannot have reached is a breach of the protocol.
//
// While a channel uses the ring, the order of its messages is the order of the entries. The socket then carries descriptors, wake-ups, the
// packets of other holders of the peer's end, and the news that the peer has ended. A Switch, in a packet or in an entry, says where the
// order goes over from one to the other.
public sealed unsafe partial class IpcChannel
{
    private const string NotTaken = "the peer did not take a message out of shared memory",
        Stopped = "the peer stopped in the middle of a message";

    /// <summary>How many bytes of the peer's ring wait to be taken.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private long ReadyInRing()
    {
        long ready = Volatile.Read(ref _socket.Theirs!.Header->Produced) - _consumed;
        if ((ulong)ready > (ulong)_theirs.RingBytes) ThrowImpossible(ready);
        return ready;
    }

    private void ThrowImpossible(long ready) =>
        throw new IpcProtocolException(IpcFault.BadSharedMemory, $"The peer claims to have written {_consumed + ready} bytes to a ring " +
            $"of {_theirs.RingBytes}, of which {_consumed} were taken");

    private bool RingHasNews => _receivesByRing && ReadyInRing() != 0;

    /// <summary>Whether something lies in the ring, also where the packet that announces it was not received yet.</summary>
    private bool HasRingBytes => _socket.Theirs is not null && ReadyInRing() != 0;

    private static byte* RingStart(SharedMemory memory) => memory.Start + ShareLayout.HeaderBytes;

    /// <summary>Tells the processor that this thread spins. A thread beside it on the same core then gets more of the core.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Pause()
    {
        // Thread.SpinWait(1) takes several of these: too long for an answer that is there in 200 ns.
        if (X86Base.IsSupported) X86Base.Pause();
        else Thread.SpinWait(1);
    }

    private long SpinLimit() => _spinner.PeerProcessor == Posix.CurrentProcessor() ? 0 : Stopwatch.GetTimestamp() + _spinner.Ticks;

    /// <summary>
    /// Waits a moment, in the middle of a message, for a counter of the peer's to leave <paramref name="seen"/>: spins, then
    /// sleeps. <paramref name="flag"/> tells the peer to wake this end.
    /// </summary>
    private void Linger(ref long spinUntil, long* counter, long seen, int* flag, in Patience patience, bool isSending)
    {
        if (spinUntil != 0)
        {
            for (int i = 0; i < 16; i++)
            {
                if (Volatile.Read(ref *counter) != seen) return;
                Pause();
            }
            if (Stopwatch.GetTimestamp() < spinUntil) return;
            spinUntil = 0;
        }
        ChannelEvents.Blocked();
        SleepOn(counter, seen, flag, &_socket.Theirs!.Header->HasEnded, patience.Slice(nothingWakes: true));
        if (Volatile.Read(ref *counter) != seen) return;
        ThrowIfUnusable();
        patience.Check(isSending ? NotTaken : Stopped);
        // The counter is read again after the look for the end: the peer may have finished the message and closed in between.
        if ((Volatile.Read(ref _socket.Theirs!.Header->HasEnded) != 0 || _socket.PeerHasEnded) && Volatile.Read(ref *counter) == seen)
            throw isSending ? SendFailure(Errno.BrokenPipe, false)
                : new IpcProtocolException(IpcFault.EndedInMessage, "The peer ended in the middle of a message");
    }

    /// <summary>
    /// Sleeps until the peer moves the counter and wakes this end, not at all where it has ended. May return early.
    /// </summary>
    private static void SleepOn(long* counter, long seen, int* flag, int* hasEnded, int milliseconds)
    {
        // The peer wakes this end only if it sees the flag. So that is set before the last look at the counter: either the peer sees the
        // flag, or this end sees the new counter.
        Interlocked.Exchange(ref *flag, 1);
        if (Volatile.Read(ref *counter) == seen && Volatile.Read(ref *hasEnded) == 0) Futex.Sleep((int*)counter, (int)seen, milliseconds);
        Volatile.Write(ref *flag, 0);
    }

    /// <summary>Counts what was taken out of the ring, and wakes a peer that waits for the room.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void TellTaken()
    {
        ShareHeader* mine = _socket.Mine!.Header;
        // A full fence: the flag is read after the count is there for the peer to see.
        Interlocked.Exchange(ref mine->Consumed, _consumed);
        if (Volatile.Read(ref _socket.Theirs!.Header->SleepsOnConsumed) != 0) _ = Futex.WakeAll((int*)&mine->Consumed);
    }

    /// <summary>Wakes whoever sleeps on a counter of one end's, since this end is broken or gone.</summary>
    private static void WakeSleepersOn(ShareHeader* header)
    {
        Interlocked.MemoryBarrier();
        _ = Futex.WakeAll((int*)&header->Produced);
        _ = Futex.WakeAll((int*)&header->Consumed);
        _ = Futex.WakeAll(&header->CreditCount);
    }

    /// <summary>From the first receive on, the peer may send everything by the ring: this end is the one that reads it.</summary>
    private void TakeRing()
    {
        if (_socket.Theirs is not null)
            Interlocked.CompareExchange(ref _socket.Mine!.Header->TakesRing, RingUse.Yes, RingUse.NotYet);
        _hasReceived = true;
    }

    /// <summary>
    /// From now on no entry begins in the peer's ring. One that has begun is there, in part at least, when this returns.
    /// </summary>
    private void TakeNoRing()
    {
        if (_socket.Theirs is not { } theirs) return;
        Interlocked.Exchange(ref _socket.Mine!.Header->TakesRing, RingUse.NoMore);
        Deadline deadline = Deadline.After(_options.Timeout);
        for (SpinWait wait = new(); Volatile.Read(ref theirs.Header->IsBeginning) != 0 && !_socket.PeerHasEnded; wait.SpinOnce())
            if (deadline.HasPassed) throw new TimeoutException("Timed out: the peer stopped in the moment in which it began a message.");
    }

    /// <summary>Undoes <see cref="TakeNoRing"/>, for an end that has received nothing yet.</summary>
    private void TakeRingAgain() => Volatile.Write(ref _socket.Mine!.Header->TakesRing, RingUse.NotYet);
}

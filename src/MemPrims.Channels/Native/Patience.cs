namespace MemPrims.Channels.Native;

// How long a call may wait, and who may end it without a thread. Threads wait in slices where nothing wakes a sleeper: for the death of a
// peer whose memory is waited for, and for the disposal of an end that other processes hold too.
internal readonly struct Patience(Deadline deadline, CancellationToken token = default)
{
    private const int LongSlice = 500, ShortSlice = 20;

    public Deadline Deadline { get; } = deadline;

    public CancellationToken Token { get; } = token;

    // The milliseconds that are left; -1 for ever.
    public int Milliseconds => Deadline.MillisecondsLeft;

    // The milliseconds to sleep before looking at everything again.
    public int Slice(bool nothingWakes) => Deadline.Milliseconds(nothingWakes ? ShortSlice : LongSlice);

    // Throws when the time is over or the call was cancelled.
    public void Check(string doing)
    {
        Token.ThrowIfCancellationRequested();
        if (Deadline.HasPassed) throw new TimeoutException($"Timed out: {doing}.");
    }
}

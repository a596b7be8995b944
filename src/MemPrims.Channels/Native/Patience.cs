namespace MemPrims.Channels.Native;

/// <summary>
/// How long a call may wait and who may end it. Waits go in slices where nothing wakes a sleeper: for a cancellation, for the death of a
/// peer whose memory is waited for, and for the disposal of an end that other processes hold too.
/// </summary>
internal readonly struct Patience(Deadline deadline, CancellationToken token = default, bool none = false)
{
    private const int LongSlice = 500, ShortSlice = 20;

    public Deadline Deadline { get; } = deadline;

    public CancellationToken Token { get; } = token;

    /// <summary>Whether the call does not wait at all.</summary>
    public bool None { get; } = none;

    public static Patience NoneAtAll => new(Deadline.Never, none: true);

    public Patience Until(Deadline deadline) => new(deadline, Token, None);

    /// <summary>The milliseconds to sleep before looking at everything again.</summary>
    public int Slice(bool nothingWakes) => Deadline.Milliseconds(Token.CanBeCanceled || nothingWakes ? ShortSlice : LongSlice);

    /// <summary>Throws when the time is over or the call was cancelled.</summary>
    public void Check(string doing)
    {
        Token.ThrowIfCancellationRequested();
        if (Deadline.HasPassed) throw new TimeoutException($"Timed out: {doing}.");
    }
}

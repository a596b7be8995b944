namespace MemPrims.Records.Reading;

// Ends a read that commits overtake again and again. Every state that no longer stands was followed by a commit, so the next state has a
// higher number. If the number stays the same, the meta slots contradict each other, which our writer never causes. If it rises until the
// time is up, commits come faster than the read gets done.
internal struct ReadRetries(RecordFile file)
{
    // A meta half written may be looked at twice; what is still so after this many looks stays so.
    private const int MostLooks = 100;

    // The first try after a state became old is always allowed: commits of long ago are no hurry.
    private const int FreeTries = 2;

    private readonly Deadline _deadline = Deadline.After(file.Options.PinTimeout);
    private ulong _transaction;
    private int _looks, _tries;

    public FileState Renew()
    {
        FileState state = file.Renew();
        if (state.Transaction != _transaction) (_transaction, _looks) = (state.Transaction, 0);
        else if (++_looks >= MostLooks)
            throw new MappedFileException(MappedFileReason.DamagedMeta, state.Path,
                $"Transaction {state.Transaction} is the newest in the meta slots, and yet they keep changing: another program writes to "
                    + "them. Open the file again, or Salvage it");
        if (++_tries <= FreeTries || !_deadline.HasPassed) return state;
        throw new MappedFileException(MappedFileReason.Locked, file.Path,
            $"The writer committed during every try of a read for {file.Options.PinTimeout}, so that none of them was valid: read from a "
                + "Pin, or by a shorter function.");
    }
}

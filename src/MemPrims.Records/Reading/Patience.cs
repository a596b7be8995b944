using System.Diagnostics;

namespace MemPrims.Records.Reading;

/// <summary>
/// The end of a read's patience with a writer that passes by again and again. Each state that no longer stands was followed by a commit, so the next
/// one has a higher number: where the number stays the same the slots contradict themselves, which no writer of ours leaves. Where it rises for as
/// long as a pin would wait, commits come faster than the read gets done.
/// </summary>
internal struct Patience(RecordFile file)
{
    // A meta half written may be looked at twice; what is still so after this many looks stays so.
    private const int MostLooks = 100;

    private readonly long _start = Stopwatch.GetTimestamp();
    private ulong _transaction;
    private int _looks;

    /// <summary>The newest state, for one more try.</summary>
    public FileState Renew()
    {
        FileState state = file.Renew();
        if (state.Transaction != _transaction) (_transaction, _looks) = (state.Transaction, 0);
        else if (++_looks >= MostLooks) throw Contradiction(state);
        if (Stopwatch.GetElapsedTime(_start) >= file.Options.PinTimeout) throw Passed();
        return state;
    }

    private readonly MappedFileException Contradiction(FileState state) => new(MappedFileReason.DamagedMeta, state.Path,
        $"Transaction {state.Transaction} is the newest of the meta slots and yet does not stand: someone else writes to them. Open the file again, or Salvage it");

    private readonly MappedFileException Passed() => new(MappedFileReason.Locked, file.Storage.Path,
        $"For {file.Options.PinTimeout} the writer has committed during each try of a read, so that none could be believed: read from a Pin, or by a shorter function.");
}

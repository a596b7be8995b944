using MemPrims.Records.Storage;

namespace MemPrims.Records.Format;

// The two mapped meta slots. The valid one with the highest transaction is the file's state. Each says how large the slots are.
internal sealed unsafe class MetaSlots
{
    // While one slot is written the other is valid: a reader sees both torn only when the writer comes to the second one between its two
    // looks.
    private const int Looks = 100;

    private readonly MappedRegion _region;

    private MetaSlots(MappedRegion region, uint slotBytes)
    {
        _region = region;
        SlotBytes = slotBytes;
    }

    public uint SlotBytes { get; }

    public byte* Slot(int index) => _region.Start + index * (nint)SlotBytes;

    public Meta? Read(int index, out string problem) => Meta.Read(Slot(index), index, SlotBytes, out problem);

    // The transaction number in a slot, which may not be valid.
    public ulong TransactionIn(int index) => Volatile.Read(ref *(ulong*)(Slot(index) + MetaHeader.TransactionOffset));

    // The highest valid meta; null when there is none.
    private Meta? Winner()
    {
        Meta? even = Read(0, out _), odd = Read(1, out _);
        return even is null || (odd is not null && odd.Header.Transaction > even.Header.Transaction) ? odd : even;
    }

    // The highest valid meta, in the presence of a writer; null when there is none.
    public Meta? PatientWinner()
    {
        Meta? winner = Winner();
        SpinWait wait = default;
        for (int look = 1; winner is null && look < Looks; look++)
        {
            wait.SpinOnce(sleep1Threshold: -1);
            winner = Winner();
        }
        return winner;
    }

    public void Unmap() => _region.Unmap();

    // Maps the slots of a file that MetaSearch found, where the disk can read both.
    public static MetaSlots Find(IStorage storage)
    {
        MetaSearch found = new(storage);
        if (found.Unreadable is { } e)
            throw new MappedFileException(MappedFileReason.DamagedMeta, storage.Path,
                $"A meta slot cannot be read ({e.Message}): Salvage copies out what is whole.", inner: e);
        return new(storage.Map(0, 2L * found.SlotBytes), found.SlotBytes);
    }
}

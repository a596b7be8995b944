namespace MemPrims.Records.Format;

// The two mapped meta slots. The valid one with the highest transaction is the file's state. Each says how large the slots are.
internal sealed unsafe class MetaSlots(MappedRegion region, uint slotBytes)
{
    public uint SlotBytes => slotBytes;

    public byte* Slot(int index) => region.Start + index * (nint)SlotBytes;

    public Meta? Read(int index) => Meta.Read(Slot(index), index, SlotBytes, out _);

    // The transaction number in a slot, which may not be valid.
    public ulong TransactionIn(int index) => Volatile.Read(ref *(ulong*)(Slot(index) + MetaHeader.TransactionOffset));

    // The highest valid meta, in the presence of a writer; null when there is none.
    public Meta? PatientWinner()
    {
        SpinWait wait = default;
        for (int look = 1; ; look++, wait.SpinOnce(sleep1Threshold: -1))
            if (Meta.Newer(Read(0), Read(1)) is { } winner) return winner;
            else if (look == MetaSearch.Looks) return null;
    }

    public void Unmap() => region.Unmap();

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

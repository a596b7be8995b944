using MemPrims.Records.Storage;

namespace MemPrims.Records.Format;

/// <summary>
/// The two mapped meta slots. The valid one with the highest transaction is the file's state. Each says how large the slots are.
/// </summary>
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

    /// <summary>The transaction number in a slot, which may not be valid.</summary>
    public ulong TransactionIn(int index) => Volatile.Read(ref *(ulong*)(Slot(index) + MetaHeader.TransactionOffset));

    /// <summary>The highest valid meta; null when there is none.</summary>
    public Meta? Winner()
    {
        Meta? even = Read(0, out _), odd = Read(1, out _);
        return even is null || (odd is not null && odd.Header.Transaction > even.Header.Transaction) ? odd : even;
    }

    /// <summary>The same in the presence of a writer.</summary>
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

    private static MetaSlots Map(IStorage storage, uint slotBytes) => new(storage.Map(0, 2L * slotBytes), slotBytes);

    /// <summary>Finds the slots of a file, or says what else it is.</summary>
    public static MetaSlots Find(IStorage storage)
    {
        long length = storage.Length;
        if (length < sizeof(ulong)) throw new MappedFileException(MappedFileReason.NotThisFormat, storage.Path,
            $"The file has {length} bytes: too short for any file of records.");
        MappedRegion head = storage.Map(0, Math.Min(length, MetaHeader.Size));
        ulong start = *(ulong*)head.Start;
        MetaHeader first = length < MetaHeader.Size ? default : *(MetaHeader*)head.Start;
        head.Unmap();
        bool magic = start == MetaHeader.RightMagic;
        string problem = "";
        bool isTold = MetaHeader.IsSlotBytes(first.SlotBytes);
        // The size that slot 0 gives is tried first, and others only if that fails: a look into a hole of a file on a full tmpfs ends the
        // process.
        for (uint bytes = isTold ? first.SlotBytes : MetaHeader.MinSlotBytes, next = MetaHeader.MinSlotBytes;
            bytes <= MetaHeader.MaxSlotBytes; (bytes, next) = (next, 2 * next))
        {
            if (2L * bytes > length) continue;
            MetaSlots slots = Map(storage, bytes);
            bool likely = isTold && bytes == first.SlotBytes;
            if ((likely ? slots.PatientWinner() : slots.Winner()) is not null) return slots;
            magic |= *(ulong*)slots.Slot(1) == MetaHeader.RightMagic;
            slots.Read(0, out string even);
            slots.Read(1, out string odd);
            if (likely) problem = $"slot 0: {even}; slot 1: {odd}";
            slots.Unmap();
        }
        if (!magic)
            throw new MappedFileException(MappedFileReason.NotThisFormat, storage.Path,
                "The file does not begin as a file of records does", null, MetaHeader.RightMagic, start);
        if (first.Format > MetaHeader.RightFormat && isTold)
            throw new MappedFileException(MappedFileReason.Newer, storage.Path,
                "The file has a newer format: a newer version of this library reads it", null, MetaHeader.RightFormat, first.Format);
        uint slotBytes = isTold ? first.SlotBytes : MetaHeader.MinSlotBytes;
        if (2L * slotBytes > length)
            throw new MappedFileException(MappedFileReason.Truncated, storage.Path,
                "The file is shorter than its two meta slots: Salvage can read its pages, if there are any", null, 2 * slotBytes,
                (ulong)length);
        throw new MappedFileException(MappedFileReason.DamagedMeta, storage.Path,
            $"Neither meta slot is valid ({problem}): Salvage copies out what is whole.");
    }
}

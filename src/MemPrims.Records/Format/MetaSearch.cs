namespace MemPrims.Records.Format;

// Finds the two meta slots of a file, or says what else it is. They are read by calls of the system: a place that the disk cannot read is
// a slot that is not valid, where a map would end the process.
internal sealed unsafe class MetaSearch
{
    // While one slot is written the other is valid: a reader sees both torn only when the writer comes to the second one between its two
    // looks.
    public const int Looks = 100;

    private readonly IStorage _storage;
    private byte[] _slot = new byte[MetaHeader.MinSlotBytes];

    // Throws where there is no valid meta.
    public MetaSearch(IStorage storage)
    {
        _storage = storage;
        long length = storage.Length;
        if (length < sizeof(ulong)) throw new MappedFileException(MappedFileReason.NotThisFormat, storage.Path,
            $"The file {(length == 0 ? "is empty" : $"has {length} bytes")}, which no file of records ever is. If nothing of it is "
                + "needed, delete it: OpenOrCreate then makes a new one");
        try
        {
            storage.Read(0, _slot.AsSpan(0, MetaHeader.Size));
        }
        catch (IOException e)
        {
            Unreadable = e;
        }
        MetaHeader first = MemoryMarshal.Read<MetaHeader>(_slot);
        bool magic = first.Magic == MetaHeader.RightMagic, isTold = MetaHeader.IsSlotBytes(first.SlotBytes);
        string problem = "";
        // The size that slot 0 gives is tried first.
        for (uint bytes = isTold ? first.SlotBytes : MetaHeader.MinSlotBytes, next = MetaHeader.MinSlotBytes;
            bytes <= MetaHeader.MaxSlotBytes; (bytes, next) = (next, 2 * next))
        {
            if (2L * bytes > length) continue;
            SlotBytes = bytes;
            bool likely = isTold && bytes == first.SlotBytes;
            magic |= Look(likely ? Looks : 1, out string told);
            if (Winner is not null) return;
            if (likely) problem = told;
        }
        throw Fault(first, isTold, magic, problem, length);
    }

    public uint SlotBytes { get; private set; }

    // The valid meta with the highest transaction.
    public Meta Winner { get; private set; } = null!;

    // How the last read failed that did: of a slot, or of the place where one might have been.
    public IOException? Unreadable { get; private set; }

    // Whether slot 1 at least begins as a meta does.
    private bool Look(int looks, out string problem)
    {
        IOException? before = Unreadable;
        SpinWait wait = default;
        for (int look = 1; ; look++, wait.SpinOnce(sleep1Threshold: -1))
        {
            Unreadable = null;
            Meta? even = Slot(0, out string evenFault), odd = Slot(1, out string oddFault);
            bool magic = MemoryMarshal.Read<ulong>(_slot) == MetaHeader.RightMagic;
            problem = $"slot 0: {evenFault}; slot 1: {oddFault}";
            Winner = Meta.Newer(even, odd)!;
            if (Winner is null) Unreadable ??= before;
            if (Winner is not null || look == looks) return magic;
        }
    }

    // A copy of as much of the slot as is in use.
    private Meta? Slot(int index, out string problem)
    {
        Array.Clear(_slot);
        long offset = index * (long)SlotBytes;
        try
        {
            _storage.Read(offset, _slot.AsSpan(0, MetaHeader.MinSlotBytes));
            MetaHeader header = MemoryMarshal.Read<MetaHeader>(_slot);
            if (header.Magic == MetaHeader.RightMagic && header.Contradiction(index, SlotBytes) is null)
            {
                int bytes = (int)(MetaHeader.Size + MetaHeader.BitmapWords(header.PageCount) * 8L + header.RedoBytes);
                if (bytes > _slot.Length) Array.Resize(ref _slot, (int)SlotBytes);
                if (bytes > MetaHeader.MinSlotBytes)
                    _storage.Read(offset + MetaHeader.MinSlotBytes,
                        _slot.AsSpan(MetaHeader.MinSlotBytes, bytes - MetaHeader.MinSlotBytes));
            }
        }
        catch (IOException e)
        {
            Unreadable = e;
            problem = $"it cannot be read ({e.Message})";
            return null;
        }
        fixed (byte* start = _slot) return Meta.Read(start, index, SlotBytes, out problem);
    }

    private MappedFileException Fault(in MetaHeader first, bool isTold, bool magic, string problem, long length)
    {
        if (!magic && Unreadable is null)
            return new(MappedFileReason.NotThisFormat, _storage.Path,
                "The file does not begin as a file of records does: give the path of one, or bring a copy of it back", null,
                MetaHeader.RightMagic, first.Magic);
        if (first.Format > MetaHeader.RightFormat && isTold)
            return new(MappedFileReason.Newer, _storage.Path,
                "The file has a newer format: a newer version of this library reads it", null, MetaHeader.RightFormat, first.Format);
        uint slotBytes = isTold ? first.SlotBytes : MetaHeader.MinSlotBytes;
        if (2L * slotBytes > length)
            return new(MappedFileReason.Truncated, _storage.Path,
                "The file is shorter than its two meta slots: Salvage can read its pages, if there are any", null, 2 * slotBytes,
                (ulong)length);
        if (Unreadable is { } e && problem.Length == 0) problem = e.Message;
        return new(MappedFileReason.DamagedMeta, _storage.Path,
            $"Neither meta slot is valid ({problem}): Salvage copies out what is whole.", inner: Unreadable);
    }
}

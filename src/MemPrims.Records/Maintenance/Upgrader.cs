namespace MemPrims.Records.Maintenance;

// Copies an older file record by record, then syncs, renames, and syncs the folder: at every moment the path names a whole file. Damage is
// not carried over: it is an error here and not in the new file.
internal static class Upgrader<T> where T : IMappedRecord<T>, allows ref struct
{
    // newIds: what takes for each record its new id, or -1. Null to keep the ids.
    public static void Run(string path, MappedFileOptions options, List<int>? newIds = null)
    {
        // Through a link, the file itself is replaced and the link stays.
        string full = SystemPath.Full(path);
        FileStorage storage = FileStorage.Open(SystemPath.EndOfLinks(full), FileMode.Open, FileAccess.ReadWrite);
        using RecordFile old = RecordFile.Open(storage, T.Layout, options);
        FileState found = old.Latest();
        int version = found.Meta.Header.RecordVersion;
        if (version > T.Layout.Version) T.Layout.RequireVersion(found.Meta.Header, storage.Path);
        if (newIds is null && version == T.Layout.Version) return;
        // The writer's lock on the old file stays until the new one has its name: nobody commits into what is about to be replaced.
        if (!storage.TryLock(LockByte.Writer, exclusive: true))
            throw new MappedFileException(MappedFileReason.Locked, storage.Path,
                $"The file has a writer: close it before {(newIds is null ? "Upgrade" : "Compact")}.");
        if (!storage.IsStillThere() || !storage.IsAt(full)) throw Committer.Replaced(full);
        if (storage.Identity is { Names: > 1 and var names })
            throw new MappedFileException(MappedFileReason.ReadOnly, storage.Path,
                $"The file has {names} names (hard links), and the others would go on naming the old file. Nothing was changed. Delete "
                    + "them, or CopyTo a file of its own. `find -samefile` finds them; a process that was killed may have left one that "
                    + "ends in .new");
        using Pin pin = old.Pins.Take();
        FileState state = pin.State;
        NewFile.Make(storage.Path, "write the new file", made => Copy(state, storage, newIds, made, options with
        {
            MetaSlotBytes = SlotBytesFor(state.Count, state.Meta.Header.SlotBytes),
            Durability = Durability.PowerLoss,
        }), storage.Rights, replaces: true);
    }

    private static void Copy(FileState state, FileStorage old, List<int>? newIds, FileStorage made, MappedFileOptions options)
    {
        byte[] bytes = new byte[PageHeader.PageBytes];
        using MappedFile<T> target = MappedFile<T>.Create(made, options);
        NewFile.CopyPages(target, state.PageCount, (transaction, page) =>
        {
            state.ReadPage(page, old, bytes);
            CopyPage(state, page, bytes, newIds, transaction);
        });
    }

    private static void CopyPage(FileState state, int page, ReadOnlySpan<byte> bytes, List<int>? newIds, WriteTransaction<T> transaction)
    {
        for (int record = 0; record < state.RecordsIn(page); record++)
        {
            bool free = state.FreeCount > 0 && PageHeader.IsFree(bytes, record, state.RecordsPerPage);
            newIds?.Add(free ? -1 : transaction.Count);
            if (free && newIds is not null) continue;
            Span<byte> to = transaction.AppendRaw();
            if (free) transaction.Free(transaction.Count - 1);
            else if (!T.Layout.TryCopy(bytes.Slice(PageHeader.Size + record * state.RecordBytes, state.RecordBytes), state.FixedBytes, to))
                throw new MappedFileException(MappedFileReason.DamagedRecord, state.Path,
                    $"Record {page * state.RecordsPerPage + record} is damaged under a right checksum: its texts and blocks lie "
                        + "outside it. Salvage copies out the others",
                    page);
        }
    }

    private static int SlotBytesFor(int records, uint atLeast)
    {
        int perPage = PageHeader.PerPage(T.Layout.RecordBytes);
        uint slot = atLeast;
        while (slot < MetaHeader.MaxSlotBytes && MetaHeader.MaxPages(slot) * perPage < records) slot *= 2;
        return (int)slot;
    }
}

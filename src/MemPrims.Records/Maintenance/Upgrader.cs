using MemPrims.Records.Format;
using MemPrims.Records.Reading;
using MemPrims.Records.Storage;
using MemPrims.Records.Writing;

namespace MemPrims.Records.Maintenance;

/// <summary>
/// Copies an older file record by record, then syncs, renames, and syncs the folder: at every moment the path names a whole file. Damage
/// is not carried over: it is an error here and not in the new file.
/// </summary>
internal static class Upgrader<T> where T : IMappedRecord<T>, allows ref struct
{
    private const int RecordsPerCommit = 1 << 16;

    /// <param name="path">The file.</param>
    /// <param name="options">For the new one.</param>
    /// <param name="newIds">To compact: what takes for each record its new id, or -1. Null to keep the ids.</param>
    public static void Run(string path, MappedFileOptions options, List<int>? newIds = null)
    {
        // Through a link, the file itself is replaced and the link stays.
        string real = File.ResolveLinkTarget(path, returnFinalTarget: true)?.FullName ?? path;
        FileStorage storage = FileStorage.Open(real, FileMode.Open, FileAccess.ReadWrite);
        using RecordFile old = RecordFile.Open(storage, T.Layout, options);
        FileState found = old.Latest();
        int version = found.Meta.Header.RecordVersion;
        if (version > T.Layout.Version) T.Layout.RequireVersion(found.Meta.Header, storage.Path);
        if (newIds is null && version == T.Layout.Version) return;
        // The writer's lock on the old file stays until the new one has its name: nobody commits into what is about to be replaced.
        if (!storage.TryLock(LockByte.Writer, exclusive: true))
            throw new MappedFileException(MappedFileReason.Locked, storage.Path, 
                $"The file has a writer: close it before {(newIds is null ? "Upgrade" : "Compact")}.");
        if (!storage.IsStillThere()) throw Committer.IsReplaced(storage.Path);
        FileState state = old.Latest();
        NewFile.Make(storage.Path, "write the new file", copy =>
        {
            Copy(state, newIds, copy, options with
            {
                MetaSlotBytes = SlotBytesFor(state.Count, state.Meta.Header.SlotBytes), Durability = Durability.PowerLoss,
            });
            KeepOwner(storage, copy);
            if (!OperatingSystem.IsWindows()) File.SetUnixFileMode(copy, File.GetUnixFileMode(storage.Path));
        }, replaces: true);
    }

    // Before the mode is set: a change of the owner takes bits of it away.
    private static void KeepOwner(FileStorage from, string copy)
    {
        if (from.Identity is not { } old || FileIdentity.Of(copy) is not { } made || made.HasOwnerOf(old) || old.TryGiveOwnerTo(copy))
            return;
        throw new MappedFileException(MappedFileReason.ReadOnly, from.Path, "The file belongs to another user or group, and the "
            + "system does not let this process give the new file to them. Nothing was changed. Do it as the file's owner");
    }

    private static unsafe void Copy(FileState state, List<int>? newIds, string path, MappedFileOptions options)
    {
        using MappedFile<T> target = MappedFile<T>.Create(
            FileStorage.Open(path, FileMode.CreateNew, FileAccess.ReadWrite), options);
        for (int id = 0; id < state.Count;)
        {
            using WriteTransaction<T> transaction = target.BeginWrite();
            for (int last = (int)Math.Min(state.Count, (long)id + RecordsPerCommit); id < last; id++)
            {
                bool free = state.IsFree(id) == true;
                newIds?.Add(free ? -1 : transaction.Count);
                if (free)
                {
                    if (newIds is null) transaction.AppendFree();
                    continue;
                }
                ReadOnlySpan<byte> from = new(state.Locate(id), state.RecordBytes);
                if (!T.Layout.TryCopy(from, state.FixedBytes, transaction.AppendRaw()))
                    throw new MappedFileException(MappedFileReason.DamagedRecord, state.Path,
                        $"Record {id} is damaged under a right checksum: its texts and blocks lie outside it", state.PageOf(id));
            }
            transaction.Commit();
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

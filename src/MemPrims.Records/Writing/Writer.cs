using MemPrims.Records.Format;
using MemPrims.Records.Reading;
using MemPrims.Records.Storage;

namespace MemPrims.Records.Writing;

/// <summary>
/// The one writer, and the order of its writes, on which everything rests.
///
/// On opening: an invalid meta slot is zeroed and synced, since a later torn meta could complete an earlier torn one. Then the writes that
/// the winning meta carries are done once more, that meta is written again into its own slot, and all is synced: what the page cache shows
/// may not be on the disk, and the first commit overwrites what the older meta points to.
///
/// A commit: pages into their inactive copies, sync, meta into the other slot, sync. A small commit leaves out the first sync, and the
/// second is of its meta alone, which carries all lines that were written into pages since the whole file was synced (UnsyncedLines).
///
/// On closing: one more commit without pages, so that both slots hold the state. Durability.ProcessCrash does the same without the syncs,
/// and PageWriter then leaves out what a copy holds already.
/// </summary>
internal sealed class Writer
{
    // The disk works while the next pages are sealed: 900 scattered pages on the disk take 7.9 ms in place of 10.3, with 128 or more pages
    // at a time nothing is gained ("batch of 1000 random updates, PowerLoss").
    private const int PagesBeforeSyncBegins = 64;

    // A commit of one page does not sync it while its meta carries no more than this. One synced write takes as long with 16 KiB as with
    // 4: 100 µs on the disk, where page, meta and fdatasync take 118.
    private const int MostCarriedOn = 16 << 10;

    private readonly RecordFile _file;
    private readonly WriterTurn _turn;
    private readonly PageArena _arena = new();
    private readonly MetaSlots _slots;
    private readonly IStorage _storage;
    private readonly byte[] _metaBytes;
    private readonly Redo _redo;
    private readonly UnsyncedLines _lines;
    private volatile FileState _state;
    private Exception? _poison;
    private bool _committed, _unsynced;
    // The map of a file that grew when pages were written before a commit. It is longer than the state's.
    private PageMap? _aheadMap;

    private Writer(RecordFile file, MetaSlots slots, FileState state)
    {
        _file = file;
        _turn = file.Turn;
        Queue = new(this, file.Turn, file.Options);
        _slots = slots;
        _storage = file.Storage;
        _state = state;
        _metaBytes = new byte[slots.SlotBytes];
        _redo = new(slots.SlotBytes);
        _lines = new(slots.SlotBytes);
        Pages = new(file.Storage, file.Options.Durability, slots.SlotBytes);
    }

    public string Path => _storage.Path;

    /// <summary>The file as of the last commit.</summary>
    public FileState State => _state;

    /// <summary>The most pages that a transaction has in memory.</summary>
    public long MostPages => _file.Options.MaxTransactionBytes / PageHeader.PageBytes;

    /// <summary>How many pages a load has in memory.</summary>
    public int PagesBeforeWriteAhead => _file.Options.PagesBeforeWriteAhead;

    /// <summary>What puts transactions in order and commits them.</summary>
    public CommitQueue Queue { get; }

    /// <summary>What writes the pages of a commit.</summary>
    public PageWriter Pages { get; }

    public static Writer Open(RecordFile file, MetaSlots slots, in Deadline deadline)
    {
        ulong id = file.Current.Meta.Header.FileId;
        while (!file.Storage.TryLock(LockByte.Writer, exclusive: true))
        {
            if (deadline.HasPassed)
            {
                throw new MappedFileException(MappedFileReason.Locked, file.Storage.Path,
                    $"Another MappedFile is the file's writer, {OwnWriters.Describe(id) ?? "in another process"}, and was so "
                        + $"still after {deadline.Timeout}: it is the writer until it is disposed.");
            }
            Thread.Sleep(1);
        }
        try
        {
            // An upgrade renames a new file over the old one. From then on nobody would ever see what is committed into the old one.
            if (!file.Storage.IsStillThere()) throw Replaced(file.Storage.Path);
            Meta meta = file.Newest();
            RefuseOtherVersions(file, meta.Header);
            Writer writer = new(file, slots, file.Publish(meta, file.Current.Map.Covering((int)meta.Header.PageCount, file.Storage)));
            writer.Prepare(meta);
            OwnWriters.Add(id);
            return writer;
        }
        catch
        {
            file.Storage.Unlock(LockByte.Writer);
            throw;
        }
    }

    public static MappedFileException Replaced(string path) =>
        new(MappedFileReason.Locked, path,
            "The path names another file by now, or none: this one was upgraded, replaced or deleted. Open it again.");

    /// <summary>Starts a transaction; the caller has the turn.</summary>
    public WriteBatch Begin()
    {
        ThrowIfPoisoned();
        return Queue.Begin(_file.Layout, _arena);
    }

    /// <summary>Memory for one more page of a transaction.</summary>
    public TouchedPage TakePage()
    {
        // Where nothing is synced there are no groups, and the memory is used by one transaction at a time.
        if (_file.Options.Durability != Durability.PowerLoss) return _arena.Take();
        lock (_turn.Gate) return _arena.Take();
    }

    /// <summary>Commits these pages. One call at a time.</summary>
    /// <param name="set">The pages.</param>
    /// <param name="count">How many records there are now.</param>
    /// <param name="free">How many of them are free.</param>
    /// <param name="threads">Who waits for it.</param>
    public void Write(PageSet set, int count, int free, IReadOnlyList<int> threads)
    {
        MetaHeader header = NextHeader(count);
        header.FreeCount = (uint)free;
        ulong[] active = new ulong[MetaHeader.BitmapWords(header.PageCount)];
        _state.Meta.Active.CopyTo(active, 0);
        LockByte parity = TakeFromPins(header.Transaction, threads);
        bool metaBegun = false;
        try
        {
            PageMap map = GrowTo((int)header.PageCount);
            bool carries = OneSyncIsPossible(map);
            _unsynced = true;
            // In the order of the file: the disk is asked for fewer and longer writes.
            set.Touched.Sort();
            int written = 0;
            foreach (int page in set.Touched)
            {
                header.PageSum += set.Pages[page].IsAhead ? set.Pages[page].Checksum
                    : Pages.Write(page, set, header, active, _state, map, carries ? _lines : null);
                if (++written % PagesBeforeSyncBegins == 0 && _file.Options.Durability == Durability.PowerLoss) _storage.BeginSync();
            }
            carries = carries && _lines.TryCarry(_redo, header.RedoRoom, active, map);
            if (!carries) Sync();
            Meta meta = new(header, active, carries ? _redo.Bytes : default);
            metaBegun = true;
            if (carries && _storage.SyncsParts && _redo.Bytes.Length <= MostCarriedBy(set.Touched.Count))
            {
                WriteMeta(meta, synced: true);
            }
            else
            {
                WriteMeta(meta);
                Sync();
                _lines.Clear();
            }
            _unsynced = false;
            _committed = true;
            // The state has no use for the writes, whose buffer is the next commit's.
            FileState before = _state, state = _file.Publish(new(header, active, default), map);
            state.Follow(before, set.Touched);
            _state = state;
            foreach (int page in set.Touched) Pages.Committed(page, set.Pages[page].IsAhead ? PageLines.All : set.Pages[page].Lines);
        }
        catch (Exception e)
        {
            // After any failure here nobody knows whether the meta is there. If it is, the next commit would write over pages that it
            // calls active.
            if (metaBegun) _poison ??= e;
            if (IoErrors.Of(e, Path, "write the commit", commits: true) is { } told) throw told;
            throw;
        }
        finally
        {
            _storage.Unlock(parity);
        }
    }

    /// <summary>
    /// Writes pages of an open transaction that the file does not have yet, and gives their memory back. Nobody looks there before the
    /// commit; a transaction that is dropped leaves garbage behind the last page.
    /// </summary>
    public unsafe void WriteAhead(PageSet set, int first, int last, int count)
    {
        MetaHeader header = NextHeader(count);
        try
        {
            _unsynced = true;
            PageMap map = _aheadMap = GrowTo(last);
            for (int page = first; page < last; page++)
            {
                ref TouchedPage touched = ref set.Pages[page];
                if (touched.Bytes == null) continue;
                uint checksum = (uint)Pages.Write(page, set, header, [], _state, map, unsynced: null);
                lock (_turn.Gate) _arena.Return(touched);
                touched = new() { IsAhead = true, Checksum = checksum };
            }
            if (_file.Options.Durability == Durability.PowerLoss) _storage.BeginSync();
        }
        catch (Exception e) when (IoErrors.Of(e, Path, "write pages of a transaction", commits: true) is { } told)
        {
            throw told;
        }
    }

    /// <summary>Reads back a page that was written before the commit.</summary>
    public unsafe void ReadAhead(int page, uint checksum, byte* to)
    {
        Block.Copy(to, _aheadMap!.Copy(page, 0), PageHeader.PageBytes);
        // It will be sealed anew.
        if (PageHeader.ChecksumOf(new(to, PageHeader.PageBytes), (uint)page) != checksum)
            throw new MappedFileException(MappedFileReason.DamagedPage, Path,
                "A page that the transaction had written is not in the file as it was: something else wrote there", page);
    }

    /// <summary>Writes the state into both slots. A failure here loses nothing.</summary>
    public void Close()
    {
        OwnWriters.Remove(_state.Meta.Header.FileId);
        MetaHeader header = _state.Meta.Header;
        if (_poison is not null || !_committed || header.Transaction >= MetaHeader.LastTransaction) return;
        header.Transaction++;
        LockByte parity = ParityOf(header.Transaction);
        try
        {
            if (!_storage.TryLock(parity, exclusive: true)) return;
            // The new meta carries nothing.
            if (!_lines.IsEmpty) Sync();
            WriteMeta(new(header, _state.Meta.Active, default));
            Sync();
            _storage.Unlock(parity);
        }
        catch (IOException)
        {
            // Not told: the last commit was acknowledged and is whole.
        }
    }

    private void Prepare(Meta winner)
    {
        int own = (int)(winner.Header.Transaction & 1);
        try
        {
            if (_slots.Read(own ^ 1, out _) is null)
            {
                _storage.Write((long)(own ^ 1) * _slots.SlotBytes, _metaBytes);     // zeros still
                Sync();
            }
            // What a small commit wrote may have been lost with the power. Its meta carries it.
            ReadOnlySpan<byte> writes = winner.Redo;
            while (Redo.TryTake(ref writes, out long place, out ReadOnlySpan<byte> lines)) _storage.Write(place, lines);
            WriteMeta(winner);
            Sync();
        }
        catch (IOException e)
        {
            // Kept as a poisoned writer: the next BeginWrite must not try the sync again.
            _poison ??= e;
        }
    }

    private MetaHeader NextHeader(int count)
    {
        ThrowIfPoisoned();
        MetaHeader header = _state.Meta.Header;
        if (header.Transaction >= MetaHeader.LastTransaction)
            throw new MappedFileException(MappedFileReason.Full, Path,
                "The file's transaction numbers are used up: copy its records into a new file.");
        header.Transaction++;
        header.RecordCount = (uint)count;
        header.PageCount = (uint)((count + (long)_state.RecordsPerPage - 1) / _state.RecordsPerPage);
        return header;
    }

    private static void RefuseOtherVersions(RecordFile file, in MetaHeader header)
    {
        if (header.RecordVersion < file.Layout.Version)
            throw new MappedFileException(MappedFileReason.Older, file.Storage.Path,
                $"The file holds version {header.RecordVersion} of {file.Layout.Name}: it can be read, and written after Upgrade", null,
                (ulong)file.Layout.Version, header.RecordVersion);
        if (header.RecordVersion > file.Layout.Version)
            throw new MappedFileException(MappedFileReason.Newer, file.Storage.Path,
                $"The file holds a newer version of {file.Layout.Name}: it can be read, but only a program that knows its newer fields "
                    + "may write it", null, (ulong)file.Layout.Version, header.RecordVersion);
    }

    private void WriteMeta(Meta meta, bool synced = false)
    {
        // What lies behind the last block of the bitmap is never read: a large slot need not be written in full.
        int bytes = (int)Math.Min((meta.Bytes + MetaHeader.MinSlotBytes - 1) & -MetaHeader.MinSlotBytes, _metaBytes.Length);
        Span<byte> slot = _metaBytes.AsSpan(0, bytes);
        meta.WriteTo(slot);
        try
        {
            long offset = (long)(meta.Header.Transaction & 1) * _slots.SlotBytes;
            if (synced) _storage.WriteSynced(offset, slot);
            else _storage.Write(offset, slot);
        }
        catch (IOException e)
        {
            throw Poison(e, "Writing a meta slot failed");
        }
    }

    private void Sync()
    {
        if (_file.Options.Durability != Durability.PowerLoss) return;
        try
        {
            _storage.Sync();
        }
        catch (IOException e)
        {
            throw Poison(e, "A sync failed");
        }
    }

    // All that the commit needs must be on the disk or in its meta. A file that has just grown has a new length to sync, and a commit
    // that failed has left writes that are in no list.
    private bool OneSyncIsPossible(PageMap map) =>
        _file.Options.Durability == Durability.PowerLoss && _state.Meta.Header.Format >= MetaHeader.NewestFormat && map == _state.Map
            && !_unsynced;

    // A group of commits brings several pages. With 4 KiB more for each of them the whole file is synced less often: eight threads take
    // 69 µs a commit in place of 77.
    private static int MostCarriedBy(int pages) => MostCarriedOn + (pages - 1) * PageHeader.PageBytes;

    // Grows by an eighth, so that a file that is appended to record by record is not extended and mapped each time.
    private PageMap GrowTo(int pages)
    {
        PageMap map = _aheadMap is { } ahead && ahead.Pages > _state.Map.Pages ? ahead : _state.Map;
        if (pages <= map.Pages) return map;
        _storage.Extend(PageHeader.FileBytes(_slots.SlotBytes, PageMap.WithRoom(pages, map.Pages)));
        return map.Covering(pages, _storage);
    }

    private LockByte TakeFromPins(ulong transaction, IReadOnlyList<int> threads)
    {
        LockByte parity = ParityOf(transaction);
        ulong file = _state.Meta.Header.FileId;
        Deadline deadline = new(_file.Options.PinTimeout);
        while (!_storage.TryLock(parity, exclusive: true))
        {
            if (OwnPins.OfThreads(file, parity, threads) is { } own)
                throw new MappedFileException(MappedFileReason.Pinned, _storage.Path,
                    $"A pin of this process, of the very thread that commits, holds the pages that the commit would overwrite (taken "
                        + $"by {own}): dispose it, then commit again.");
            if (deadline.HasPassed)
            {
                throw new MappedFileException(MappedFileReason.Pinned, _storage.Path,
                    $"A pin held the pages that the commit would overwrite for {deadline.Timeout}; it was taken "
                        + $"{OwnPins.Describe(file, parity) ?? "by another process"}: commit again when it is disposed, or wait longer "
                        + "(PinTimeout).");
            }
            Thread.Sleep(1);
        }
        return parity;
    }

    private static LockByte ParityOf(ulong transaction) => (LockByte)(transaction & 1);

    private MappedFileException Poison(Exception e, string what)
    {
        _poison = e;
        return new(MappedFileReason.Poisoned, _storage.Path,
            $"{what}: whether the last commit is on the disk is unknown. This writer writes no more; readers go on. Close the file, "
                + $"find out what ails the disk, open it again ({e.Message})", inner: e);
    }

    public void ThrowIfPoisoned()
    {
        if (_poison is not null)
            throw new MappedFileException(MappedFileReason.Poisoned, _storage.Path,
                $"An earlier sync or meta write failed, and this writer writes no more: close the file and open it again "
                    + $"({_poison.Message})", inner: _poison);
    }
}

namespace MemPrims.Records.Writing;

// The protocol: the order of the writes, on which everything rests. One thread at a time calls it, but for what says otherwise.
//
// FORMAT.md tells it step by step, with the reasons: opening (Prepare), a commit and a small one (Commit), closing (CommitWithoutPages).
// Durability.ProcessCrash does the same without the syncs.
//
// As a rule a page is written whole. Where nothing is synced and pieces are cheap, only the lines are written in which the inactive copy
// differs from what it is to become. Those are the lines that the transaction touched, and the lines of the page's last commit, which went
// into the other copy. What the two copies hold is known only to this writer, while it has the lock on the file: a page's first commit is
// whole, and so is the one after a commit that failed.
internal sealed unsafe class Committer(RecordFile file)
{
    // The disk works while the next pages are sealed: 900 scattered pages on the disk take 7.9 ms in place of 10.3, with 128 or more pages
    // at a time nothing is gained ("batch of 1000 random updates, PowerLoss").
    private const int PagesBeforeSyncBegins = 64;

    // When a meta carries more than this, the whole file is synced beside the next commits. One synced write takes as long with 16 KiB as
    // with 4: 100 µs on the disk, where page, meta and fdatasync take 118.
    private const int MostCarriedOn = 16 << 10;

    // While the file is closed a commit waits no longer for a pin: a short read must not cost it, nor one that stays hold up the close.
    private const int MillisecondsToClose = 100;

    private readonly IStorage _storage = file.Storage;
    private readonly byte[] _metaBytes = new byte[file.SlotBytes];
    private readonly byte[] _sealed = GC.AllocateUninitializedArray<byte>(PageHeader.PageBytes, pinned: true);
    private UnsyncedLines? _unsynced;
    // By page: the lines in which its two copies are alike.
    private ulong[] _alike = [];
    private HeldLocks.Entry? _writerLock;
    private RunningSync? _syncBeside;
    private volatile Exception? _poison;
    // Whether there was a commit; whether one failed and left writes that are in no list.
    private bool _committed, _leftWrites;
    private long _waitsUntil = long.MaxValue;

    // Made for the first commit that carries lines, which the first one of a file does not: the code of its tables is compiled then.
    private UnsyncedLines Unsynced => _unsynced ??= new(file.SlotBytes);

    private ulong FileId => file.Current.Meta.Header.FileId;

    // Whether this is the file's writer. For any thread.
    public bool IsOpen => Volatile.Read(ref _writerLock) is not null;

    // Becomes the file's writer; false when another one is.
    public bool TryOpen()
    {
        try
        {
            if (!_storage.TryLock(LockByte.Writer, exclusive: true)) return false;
            try
            {
                // An upgrade renames a new file over the old one. From then on nobody would ever see what is committed into the old one.
                if (!_storage.IsStillThere()) throw Replaced(file.Path);
                Meta meta = file.Newest();
                file.Layout.RequireVersion(meta.Header, file.Path);
                // A copy of the file may have holes. Nothing is written before they have their blocks.
                int pages = (int)meta.Header.PageCount;
                _storage.FillHoles(0, PageHeader.FileBytes(file.SlotBytes, PageMap.WithRoom(pages, pages)));
                Prepare(meta);
                if (_poison is null) file.Adopt();
                Volatile.Write(ref _writerLock, HeldLocks.Add(FileId, LockByte.Writer));
                return true;
            }
            catch
            {
                _storage.Unlock(LockByte.Writer);
                throw;
            }
        }
        catch (IOException e) when (IoErrors.Of(e, file.Path, "become the file's writer") is { } told)
        {
            throw told;
        }
    }

    // Tells the storage of what the commit will write into a page, as far as it is known: the cache lines are then on their way.
    public void Expect(int page, ulong lines, FileState state)
    {
        if (file.Syncs || page >= _alike.Length || _alike[page] == 0) return;
        long offset = PageHeader.OffsetOf(file.SlotBytes, page, state.ActiveCopyOf(page) ^ 1);
        for (lines |= ~_alike[page]; lines != 0;)
        {
            (int start, int length) = PageLines.TakeRun(ref lines);
            _storage.Expect(offset + start, length);
        }
    }

    // Commits these pages.
    // waiting: the code that waits for it, of HeldLocks.RunningCode.
    public void Commit(PageSet set, int count, int free, IReadOnlyList<object> waiting)
    {
        ThrowIfPoisoned();
        // One call of the system beside a sync. A file that was moved is found under its new name, and goes on.
        if (file.Syncs && !_storage.HasName) throw Replaced(file.Path);
        FileState before = file.Current;
        MetaHeader header = before.Meta.Header.Next(file.Path);
        header.SetRecords(count, free);
        ulong[] active = new ulong[MetaHeader.BitmapWords(header.PageCount)];
        before.Meta.Active.CopyTo(active, 0);
        LockByte parity = TakeFromPins(header, waiting);
        bool metaBegun = false;
        try
        {
            EndSyncBeside(waits: false);
            // Collect. All that the commit needs must be on the disk or in its meta: a file that grows has a new length to sync.
            PageMap map = GrowTo((int)header.PageCount, before.Map);
            bool carries = file.Syncs && map == before.Map && !_leftWrites;
            _leftWrites = true;

            // Write, in the order of the file: the disk is asked for fewer and longer writes.
            set.Touched.Sort();
            int written = 0;
            foreach (int page in set.Touched)
            {
                header.PageSum += WritePage(page, set.Pages[page], header, active, before, map, carries);
                if (++written % PagesBeforeSyncBegins == 0 && file.Syncs) _storage.BeginSync();
            }

            // Sync.
            ReadOnlyMemory<byte>? carried = carries ? Unsynced.Carried((int)header.RedoRoom, active, map) : null;
            if (carried is null) Sync();
            metaBegun = true;
            bool alone = carried is not null && _storage.SyncsParts;
            WriteMeta(new(header, active, carried ?? default), alone);
            if (!alone) Sync();
            else if (carried!.Value.Length > MostCarriedBy(set.Touched.Count)) SyncBeside();

            // Publish. The state has no use for the writes, whose buffer is the next commit's.
            _leftWrites = false;
            _committed = true;
            file.Commit(before, new(header, active, default), map, set.Touched);
            foreach (int page in set.Touched) _alike[page] = ~set.Pages[page].Lines;
        }
        catch (Exception e)
        {
            // After a failure here nobody knows whether the meta is there: the next commit might write over pages that it calls active.
            if (metaBegun) _poison ??= e;
            if (IoErrors.Of(e, file.Path, "write the commit", commits: true) is { } told) throw told;
            throw;
        }
        finally
        {
            _storage.Unlock(parity);
        }
    }

    // A commit that waits for a pin is turned away soon. For any thread.
    public void BeginClose() =>
        Interlocked.CompareExchange(ref _waitsUntil, Environment.TickCount64 + MillisecondsToClose, long.MaxValue);

    // Writes the state into both slots, and is the file's writer no longer. A failure here loses nothing.
    public void Close()
    {
        if (!IsOpen) return;
        try
        {
            EndSyncBeside(waits: true);
            if (_poison is null && _committed) CommitWithoutPages();
        }
        catch (IOException)
        {
            // Not told: the last commit was acknowledged and is whole.
        }
        finally
        {
            HeldLocks.Remove(_writerLock!);
            Volatile.Write(ref _writerLock, null);
        }
    }

    // For any thread.
    public void ThrowIfPoisoned()
    {
        if (_poison is { } poison)
            throw new MappedFileException(MappedFileReason.Poisoned, file.Path,
                $"An earlier sync or meta write failed, and this writer writes no more: close the file and open it again "
                    + $"({poison.Message})", inner: poison);
    }

    public MappedFileException Taken(TimeSpan waited) => new(MappedFileReason.Locked, file.Path,
        $"Another MappedFile is the file's writer, {(HeldLocks.Describe(FileId, LockByte.Writer) is { } holder
            ? $"in this process, made so {holder}" : "in another process")}, and was so still after {waited}: it is the writer until it "
            + "is disposed.");

    public static MappedFileException Replaced(string path) =>
        new(MappedFileReason.Locked, path,
            "The path names another file by now, or none: this one was upgraded, replaced or deleted. Open it again.");

    // Writes a page into its inactive copy, flips its bit in the bitmap, and returns by how much the sum of checksums grows.
    private ulong WritePage(int page, TouchedPage touched, in MetaHeader meta, ulong[] active, FileState state, PageMap map, bool carries)
    {
        if (page >= _alike.Length)
            Array.Resize(ref _alike, Math.Max(page + 1, map.Pages));
        ulong alike = !file.Syncs && _storage.WritesPieces ? _alike[page] : 0;
        // Until the commit is through, nobody knows what is in the copy.
        _alike[page] = 0;
        int copy = 0;
        uint before = 0;
        byte* old = null;
        if (page < state.PageCount)
        {
            int oldCopy = state.ActiveCopyOf(page);
            old = map.Copy(page, oldCopy);
            before = ((PageHeader*)old)->Checksum;
            copy = oldCopy ^ 1;
            active[page >> 6] ^= 1UL << page;
        }
        // A copy is sealed and written. What another thread stores through a record that it kept, in spite of the contract, must not come
        // between the checksum and the write.
        byte* bytes = (byte*)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(_sealed));
        PageLines.Copy(touched.Bytes, bytes, touched.Lines);
        PageLines.Copy(old, bytes, ~alike & ~touched.Lines);
        ref PageHeader header = ref *(PageHeader*)bytes;
        header = new()
        {
            Page = (uint)page, Transaction = meta.Transaction, Free = header.Free,
            RecordId = meta.RecordId, RecordVersion = meta.RecordVersion, RecordBytes = meta.RecordBytes, FixedBytes = meta.FixedBytes,
            Records = (ushort)Math.Min(state.RecordsPerPage, (int)meta.RecordCount - page * state.RecordsPerPage),
        };
        // From the active copy's checksum and what changed, never from the bytes alone: lines that nobody touched may have rotted since
        // the page was checked, and must not get a right checksum.
        header.Checksum = old == null ? PageHeader.ChecksumOf(new(bytes, PageHeader.PageBytes), (uint)page)
            : before ^ PageDifference.Of(old, bytes, touched.Lines);
        long offset = PageHeader.OffsetOf(file.SlotBytes, page, copy);
        if (carries) Unsynced.Add(page, copy, bytes, map.Copy(page, copy));
        for (ulong lines = touched.Lines | ~alike; lines != 0;)
        {
            (int start, int length) = PageLines.TakeRun(ref lines);
            _storage.Write(offset + start, new(bytes + start, length));
        }
        return (ulong)header.Checksum - before;
    }

    private void Prepare(Meta winner)
    {
        ulong other = winner.Header.Transaction ^ 1;
        try
        {
            if (file.MetaFor(other) is null)
            {
                Array.Clear(_metaBytes);
                _storage.Write((long)(other & 1) * file.SlotBytes, _metaBytes);
                Sync();
            }
            // What a small commit wrote may have been lost with the power. Its meta carries it.
            ReadOnlySpan<byte> writes = winner.Redo;
            while (Redo.TryTake(ref writes, out long place, out ReadOnlySpan<byte> lines)) _storage.Write(place, lines);
            WriteMeta(winner, synced: false);
            Sync();
        }
        catch (IOException e)
        {
            // Kept as a poisoned writer: the next BeginWrite must not try the sync again.
            _poison ??= e;
        }
    }

    private void CommitWithoutPages()
    {
        FileState last = file.Current;
        if (last.Transaction >= MetaHeader.LastTransaction) return;
        MetaHeader header = last.Meta.Header.Next(file.Path);
        LockByte parity = ParityOf(header);
        if (!_storage.TryLock(parity, exclusive: true)) return;
        // The new meta carries nothing.
        if (_unsynced is { IsEmpty: false }) Sync();
        WriteMeta(new(header, last.Meta.Active, default), synced: false);
        Sync();
        _storage.Unlock(parity);
    }

    private void WriteMeta(Meta meta, bool synced)
    {
        // What lies after the last block of the bitmap is never read: a large slot need not be written in full.
        int bytes = (int)Math.Min((meta.Bytes + MetaHeader.MinSlotBytes - 1) & -MetaHeader.MinSlotBytes, _metaBytes.Length);
        Span<byte> slot = _metaBytes.AsSpan(0, bytes);
        meta.WriteTo(slot);
        try
        {
            long offset = (long)(meta.Header.Transaction & 1) * file.SlotBytes;
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
        if (!file.Syncs) return;
        EndSyncBeside(waits: true);
        try
        {
            _storage.Sync();
            _unsynced?.Clear();
        }
        catch (IOException e)
        {
            throw Poison(e, "A sync failed");
        }
    }

    // What was written up to here is on the disk when that sync has ended; what later commits write, their metas carry as well.
    private void SyncBeside()
    {
        if (_syncBeside is not null) return;
        _unsynced?.BeginSync();
        try
        {
            _syncBeside = _storage.BeginSyncBeside();
        }
        catch (IOException e)
        {
            // Not told by this commit, which is on the disk.
            _poison = e;
        }
    }

    private void EndSyncBeside(bool waits)
    {
        if (_syncBeside is not { } sync || (!waits && !sync.HasEnded)) return;
        _syncBeside = null;
        try
        {
            sync.Wait();
            _unsynced?.EndSync();
        }
        catch (IOException e)
        {
            throw Poison(e, "A sync failed");
        }
    }

    // A group of commits brings several pages. With 4 KiB more for each of them the whole file is synced less often: eight threads take
    // 69 µs a commit in place of 77. A small slot leaves room for what is written while the sync runs.
    private long MostCarriedBy(int pages) => Math.Min(MostCarriedOn, file.SlotBytes / 4) + (pages - 1) * PageHeader.PageBytes;

    // Grows by an eighth, so that a file that is appended to record by record is not extended and mapped each time.
    private PageMap GrowTo(int pages, PageMap map)
    {
        if (pages <= map.Pages) return map;
        long length = PageHeader.FileBytes(file.SlotBytes, PageMap.WithRoom(pages, map.Pages));
        // What somebody made longer than it was.
        _storage.FillHoles(PageHeader.FileBytes(file.SlotBytes, map.Pages), length);
        _storage.Extend(length);
        return map.Covering(pages, _storage);
    }

    private LockByte TakeFromPins(in MetaHeader header, IReadOnlyList<object> waiting)
    {
        LockByte parity = ParityOf(header);
        Deadline deadline = Deadline.After(file.Options.PinTimeout);
        while (!_storage.TryLock(parity, exclusive: true))
        {
            Holder? own = HeldLocks.OfCode(header.FileId, parity, waiting);
            if ((own is not null || deadline.HasPassed) && TakeFromLostPins(header.FileId, parity)) break;
            if (own is not null)
                throw new MappedFileException(MappedFileReason.Pinned, file.Path,
                    $"A pin of this process, of the code that commits itself, holds the pages that the commit would overwrite (taken "
                        + $"by {own}): dispose it, then commit again.");
            if (deadline.HasPassed)
                throw new MappedFileException(MappedFileReason.Pinned, file.Path,
                    $"A pin held the pages that the commit would overwrite for {file.Options.PinTimeout}; it was taken "
                        + $"{HeldLocks.Describe(header.FileId, parity) ?? "by another process"}: commit again when it is disposed, or "
                        + "wait longer (PinTimeout).");
            if (Environment.TickCount64 >= Volatile.Read(ref _waitsUntil)) throw file.Closed();
            Uninterrupted.Run(1, Thread.Sleep);
        }
        return parity;
    }

    // A pin that nobody refers to any more holds its pages until a collection finds it, which may never come by itself. It is not waited
    // for finalizers as such: one of the program's may want a lock that the caller holds.
    private bool TakeFromLostPins(ulong fileId, LockByte parity)
    {
        const int mostLooks = 1000;
        GC.Collect();
        for (int look = 0; look < mostLooks; look++)
        {
            bool hasLost = HeldLocks.HasLost(fileId, parity);
            if (_storage.TryLock(parity, exclusive: true)) return true;
            if (!hasLost) return false;
            Uninterrupted.Run(1, Thread.Sleep);
        }
        return false;
    }

    private static LockByte ParityOf(in MetaHeader header) => (LockByte)(header.Transaction & 1);

    private MappedFileException Poison(Exception e, string what)
    {
        _poison = e;
        return new(MappedFileReason.Poisoned, file.Path,
            $"{what}: whether the last commit is on the disk is unknown. This writer writes no more; readers go on. Close the file, "
                + $"find out what ails the disk, open it again ({e.Message})", inner: e);
    }
}

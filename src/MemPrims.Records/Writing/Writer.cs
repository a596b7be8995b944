using System.Diagnostics;
using MemPrims.Records.Format;
using MemPrims.Records.Reading;
using MemPrims.Records.Storage;

namespace MemPrims.Records.Writing;

/// <summary>
/// The one writer, and the order of its writes, on which everything rests.
/// On opening: zero an invalid meta slot, sync (a later torn meta could complete an earlier torn one); write the winning meta again into its own
/// slot, sync (what the page cache shows may not be on the disk, and the first commit overwrites what the older meta points to).
/// A commit: pages into their inactive copies, sync, meta into the other slot, sync. On closing: one more commit without pages, so that both slots
/// hold the state. Durability.ProcessCrash does the same without the syncs, and PageWriter then leaves out what a copy holds already.
/// </summary>
internal sealed class Writer
{
    // The disk works while the next pages are sealed: 900 scattered pages on the disk take 7.9 ms in place of 10.3, with 128 or more pages at a
    // time nothing is gained ("batch of 1000 random updates, PowerLoss").
    private const int PagesBeforeSyncBegins = 64;

    private readonly RecordFile _file;
    private readonly MetaSlots _slots;
    private readonly IStorage _storage;
    private readonly byte[] _metaBytes;
    private FileState _state;
    private TouchedPage[] _pages = [];
    private WriteBatch? _open;
    private IOException? _poison;
    private bool _committed;

    private Writer(RecordFile file, MetaSlots slots, FileState state)
    {
        _file = file;
        _slots = slots;
        _storage = file.Storage;
        _state = state;
        _metaBytes = new byte[slots.SlotBytes];
        Pages = new(file.Storage, file.Options.Durability, slots.SlotBytes);
    }

    /// <summary>Memory for what a transaction touches.</summary>
    public PageArena Arena { get; } = new();

    /// <summary>What writes the pages of a commit.</summary>
    public PageWriter Pages { get; }

    public static Writer Open(RecordFile file, MetaSlots slots)
    {
        if (!file.Storage.TryLock(LockByte.Writer, exclusive: true))
            throw new MappedFileException(MappedFileReason.Locked, file.Storage.Path, "Another MappedFile, in this process or another, is the file's writer until it is disposed.");
        try
        {
            // An upgrade renames a new file over the old one: what is committed into the old one from then on, nobody would ever see.
            if (!file.Storage.IsStillThere()) throw Replaced(file.Storage.Path);
            Meta meta = file.Newest();
            RefuseOtherVersions(file, meta.Header);
            Writer writer = new(file, slots, file.Publish(meta, file.Current.Map.Covering((int)meta.Header.PageCount, file.Storage)));
            writer.Prepare(meta);
            return writer;
        }
        catch
        {
            file.Storage.Unlock(LockByte.Writer);
            throw;
        }
    }

    public static MappedFileException Replaced(string path) =>
        new(MappedFileReason.Locked, path, "The path names another file by now, or none: this one was upgraded, replaced or deleted. Open it again.");

    public WriteBatch Begin()
    {
        ThrowIfPoisoned();
        if (_pages.Length < _state.PageCount) Array.Resize(ref _pages, _state.PageCount);
        return _open = new(this, _file.Layout, _state, _pages);
    }

    /// <summary>Room for more pages than there were.</summary>
    public TouchedPage[] Room(int pages)
    {
        if (pages > _pages.Length) Array.Resize(ref _pages, Math.Max(pages, _pages.Length + (_pages.Length >> 1) + 16));
        return _pages;
    }

    public void Commit(WriteBatch batch)
    {
        ThrowIfPoisoned();
        MetaHeader header = _state.Meta.Header;
        header.Transaction++;
        header.RecordCount = (uint)batch.Count;
        header.PageCount = (uint)((batch.Count + (long)_state.RecordsPerPage - 1) / _state.RecordsPerPage);
        ulong[] active = new ulong[MetaHeader.BitmapWords(header.PageCount)];
        _state.Meta.Active.CopyTo(active, 0);
        LockByte parity = TakeFromPins(header.Transaction);
        try
        {
            PageMap map = GrowTo((int)header.PageCount);
            // In the order of the file: the disk is asked for fewer and longer writes.
            batch.Touched.Sort();
            int written = 0;
            foreach (int page in batch.Touched)
            {
                header.PageSum += Pages.Write(page, batch, header, active, _state, map);
                if (++written % PagesBeforeSyncBegins == 0 && _file.Options.Durability == Durability.PowerLoss) _storage.BeginSync();
            }
            Sync();
            Meta meta = new(header, active);
            WriteMeta(meta);
            Sync();
            _committed = true;
            FileState before = _state;
            _state = _file.Publish(meta, map);
            _state.Follow(before, batch.Touched);
            foreach (int page in batch.Touched) Pages.Committed(page, _pages[page].Lines);
        }
        catch (IOException e) when (e is not MappedFileException && IsFull(e))
        {
            throw new MappedFileException(MappedFileReason.Full, _storage.Path, "The disk is full. Nothing was committed, and the transaction may be committed again when there is room.", inner: e);
        }
        finally
        {
            _storage.Unlock(parity);
        }
    }

    public void Return(WriteBatch batch)
    {
        foreach (int page in batch.Touched) _pages[page] = default;
        Arena.Reset();
        _open = null;
        _file.EndWrite();
    }

    /// <summary>Leaves the state in both slots, as well as may be: a failure here loses nothing.</summary>
    public void Close()
    {
        _open?.Dispose();
        if (_poison is not null || !_committed) return;
        MetaHeader header = _state.Meta.Header;
        header.Transaction++;
        LockByte parity = ParityOf(header.Transaction);
        try
        {
            if (!_storage.TryLock(parity, exclusive: true)) return;
            WriteMeta(new(header, _state.Meta.Active));
            Sync();
            _storage.Unlock(parity);
        }
        catch (IOException)
        {
            // Not said: the last commit was acknowledged and is whole.
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
            WriteMeta(winner);
            Sync();
        }
        catch (IOException e)
        {
            // Kept as a poisoned writer: the next BeginWrite must not try the sync again.
            _poison ??= e;
        }
    }

    private static void RefuseOtherVersions(RecordFile file, in MetaHeader header)
    {
        if (header.RecordVersion < file.Layout.Version)
            throw new MappedFileException(MappedFileReason.Older, file.Storage.Path, $"The file holds version {header.RecordVersion} of {file.Layout.Name}: it can be read, and written after Upgrade", null, (ulong)file.Layout.Version, header.RecordVersion);
        if (header.RecordVersion > file.Layout.Version)
            throw new MappedFileException(MappedFileReason.Newer, file.Storage.Path, $"The file holds a newer version of {file.Layout.Name}: it can be read, but only a program that knows its newer fields may write it", null, (ulong)file.Layout.Version, header.RecordVersion);
    }

    private void WriteMeta(Meta meta)
    {
        // What lies behind the last block of the bitmap is never read: a large slot need not be written in full.
        int bytes = (int)Math.Min((meta.Bytes + MetaHeader.MinSlotBytes - 1) & -MetaHeader.MinSlotBytes, _metaBytes.Length);
        Span<byte> slot = _metaBytes.AsSpan(0, bytes);
        meta.WriteTo(slot);
        try
        {
            _storage.Write((long)(meta.Header.Transaction & 1) * _slots.SlotBytes, slot);
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

    // Grows by an eighth, so that a file that is appended to record by record is not extended and mapped each time.
    private PageMap GrowTo(int pages)
    {
        if (pages <= _state.Map.Pages) return _state.Map;
        const int mostAtOnce = 2048;
        int target = Math.Max(pages, _state.Map.Pages + Math.Min(_state.Map.Pages >> 3, mostAtOnce));
        target = (target + PageMap.PagesPerChunk - 1) & -PageMap.PagesPerChunk;
        _storage.Extend(PageHeader.FileBytes(_slots.SlotBytes, target));
        return _state.Map.Covering(pages, _storage);
    }

    private LockByte TakeFromPins(ulong transaction)
    {
        LockByte parity = ParityOf(transaction);
        long start = Stopwatch.GetTimestamp();
        while (!_storage.TryLock(parity, exclusive: true))
        {
            if (OwnPins.Any(_state.Meta.Header.FileId, parity))
                throw new MappedFileException(MappedFileReason.Pinned, _storage.Path, "A pin of this process holds the pages that the commit would overwrite: dispose it, then commit again.");
            if (Stopwatch.GetElapsedTime(start) >= _file.Options.PinTimeout)
                throw new MappedFileException(MappedFileReason.Pinned, _storage.Path, $"Another process's pin held the pages that the commit would overwrite for {_file.Options.PinTimeout}: commit again later, or end that process.");
            Thread.Sleep(1);
        }
        return parity;
    }

    private static LockByte ParityOf(ulong transaction) => (LockByte)(transaction & 1);

    private MappedFileException Poison(IOException e, string what)
    {
        _poison = e;
        return new(MappedFileReason.Poisoned, _storage.Path, $"{what}: whether the last commit is on the disk is unknown. This writer writes no more; readers go on. Close the file, find out what ails the disk, open it again ({e.Message})", inner: e);
    }

    private void ThrowIfPoisoned()
    {
        if (_poison is not null)
            throw new MappedFileException(MappedFileReason.Poisoned, _storage.Path, $"An earlier sync or meta write failed, and this writer writes no more: close the file and open it again ({_poison.Message})", inner: _poison);
    }

    private static bool IsFull(IOException e)
    {
        const int noSpace = 28, tooBig = 27, quota = 122, windowsDiskFull = unchecked((int)0x80070070);
        return e.HResult is noSpace or tooBig or quota or windowsDiskFull;
    }
}

using MemPrims.Records.Format;
using MemPrims.Records.Storage;
using MemPrims.Records.Writing;

namespace MemPrims.Records.Reading;

/// <summary>An open file without its record type: the current state, how it is renewed, and the writer once there is one.</summary>
internal sealed class RecordFile : IDisposable
{
    private readonly Lock _renewing = new();
    // A writer cannot commit so often while a file is opened.
    private const int MostLooks = 1000;

    private MetaSlots? _slots;
    private Overlay? _overlay;
    private FileState? _current;
    private Writer? _writer;
    private WriteBatch? _open;

    private RecordFile(IStorage storage, RecordLayout layout, MappedFileOptions options)
    {
        Storage = storage;
        Path = storage.Path;
        Layout = layout;
        Options = options;
        Turn = new(storage.Path, options);
        _slots = MetaSlots.Find(storage);
        Meta meta = Newest();
        CheckLayout(meta.Header);
        _current = First(meta, PageMap.Empty(_slots.SlotBytes));
    }

    public IStorage Storage { get; }

    public string Path { get; }

    /// <summary>Whose turn it is to write.</summary>
    public WriterTurn Turn { get; }

    public RecordLayout Layout { get; }

    public MappedFileOptions Options { get; }

    public static RecordFile Open(IStorage storage, RecordLayout layout, MappedFileOptions options)
    {
        try
        {
            return new(storage, layout, options);
        }
        catch
        {
            storage.Dispose();
            throw;
        }
    }

    /// <summary>The state as this process last saw it.</summary>
    public FileState Current => Volatile.Read(ref _current) ?? throw Closed();

    /// <summary>The state as of now.</summary>
    public FileState Latest()
    {
        FileState state = Current;
        return state.Stands() ? state : Renew();
    }

    /// <summary>Reads the metas again and publishes what they say.</summary>
    public FileState Renew()
    {
        lock (_renewing)
        {
            FileState state = Current;
            Meta meta = Newest();
            if (meta.Header.Transaction != state.Transaction || !state.Stands())
                Publish(state = StateOf(meta, state.Map.Covering((int)meta.Header.PageCount, Storage), _slots));
            return state;
        }
    }

    /// <summary>The newest state that the lock on its parity lets nobody touch, for a pin.</summary>
    public FileState Frozen(Meta meta)
    {
        lock (_renewing) return StateOf(meta, Current.Map.Covering((int)meta.Header.PageCount, Storage), null);
    }

    public Meta Newest() =>
        (_slots ?? throw Closed()).PatientWinner() ?? throw new MappedFileException(MappedFileReason.DamagedMeta, Storage.Path,
            "Neither meta slot is valid any more: Salvage copies out what is whole.");

    /// <summary>Starts a transaction; the first call makes this the file's one writer.</summary>
    public WriteBatch BeginWrite()
    {
        ThrowIfReadOnly();
        Deadline deadline = new(Options.WriterTimeout);
        Turn.Take(deadline);
        return Begin(deadline);
    }

    /// <summary>The same without a thread that waits, but for the first call, which waits for other writers on a thread of the
    /// pool.</summary>
    public async ValueTask<WriteBatch> BeginWriteAsync(CancellationToken cancellation)
    {
        ThrowIfReadOnly();
        Deadline deadline = new(Options.WriterTimeout);
        await Turn.TakeAsync(deadline, cancellation).ConfigureAwait(false);
        // Not on another thread without need: the turn is held meanwhile, and all threads of the pool may wait for it.
        return _writer is not null || Storage.TryLock(LockByte.Writer, exclusive: true) ? Begin(deadline)
            : await Task.Run(() => Begin(deadline)).ConfigureAwait(false);
    }

    private void ThrowIfReadOnly()
    {
        _ = Current;
        if (!Storage.CanWrite) throw new MappedFileException(MappedFileReason.ReadOnly, Storage.Path,
            "The file was opened by OpenRead: open it by Open to write.");
    }

    private WriteBatch Begin(in Deadline deadline)
    {
        try
        {
            if (_writer is null) OpenWriter(deadline);
            return _open = _writer!.Begin();
        }
        catch
        {
            Turn.Give();
            throw;
        }
    }

    private void OpenWriter(in Deadline deadline)
    {
        lock (Turn.Gate) Turn.BeginCommit();
        try
        {
            _writer = Writer.Open(this, _slots ?? throw Closed(), deadline);
        }
        catch (IOException e) when (IoErrors.Of(e, Path, "become the file's writer") is { } told)
        {
            throw told;
        }
        finally
        {
            Turn.EndCommit();
        }
    }

    /// <summary>The writer tells what it has committed. <paramref name="longer"/>: the map, when the file grew.</summary>
    public FileState Publish(Meta meta, PageMap longer)
    {
        lock (_renewing)
        {
            // The writer has written to the file what the meta carries.
            _overlay = null;
            FileState state = StateOf(meta, longer, _slots);
            if (_current is not null) Publish(state);
            return state;
        }
    }

    public void Dispose()
    {
        // Commits of other threads end first, and what they acknowledged stays. What is open and not being committed ends here.
        Turn.Close();
        _writer?.Queue.LeadGathered();
        Turn.WaitForCommits();
        lock (_renewing)
        {
            if (_current is null) return;
            _current = null;
        }
        if (_open is not null) _open.IsOpen = false;
        _writer?.Queue.Close();
        // Whatever was handed out, and only that, keeps the maps from now on.
        (_writer, _slots, _open) = (null, null, null);
        Storage.Dispose();
    }

    private ObjectDisposedException Closed() => new("MappedFile", $"{Path} was closed.");

    // A file that lost power may lack what its newest meta carries. A difference counts only if no commit came between, whose writes it
    // may be.
    private FileState First(Meta meta, PageMap map)
    {
        for (int look = 1; ; look++, meta = Newest())
        {
            map = map.Covering((int)meta.Header.PageCount, Storage);
            _overlay = Overlay.Of(meta, map);
            FileState state = StateOf(meta, map, _slots);
            if (_overlay is null || state.Stands() || look == MostLooks) return state;
        }
    }

    private FileState StateOf(Meta meta, PageMap map, MetaSlots? slots) =>
        new(Path, meta, map, slots, _overlay?.Transaction == meta.Header.Transaction ? _overlay : null);

    private void Publish(FileState state) => Volatile.Write(ref _current, state);

    private void CheckLayout(in MetaHeader header)
    {
        string path = Storage.Path;
        if (header.RecordId != Layout.Id)
            throw new MappedFileException(MappedFileReason.WrongRecord, path, $"The file holds other records than {Layout.Name}", null,
                Layout.Id, header.RecordId);
        int version = header.RecordVersion;
        if (version > Layout.Version)
        {
            if (header.ReadableFrom == 0) throw new MappedFileException(MappedFileReason.WrongRecord, path,
                "The file says that programs of version 0 may read it, which none has", null, 1, 0);
            if (header.ReadableFrom > Layout.Version)
                throw new MappedFileException(MappedFileReason.Newer, path,
                    $"The file holds a newer version of {Layout.Name} that this program's does not understand", null,
                    (ulong)Layout.Version, header.RecordVersion);
            RequireHash(Layout.Versions[header.ReadableFrom - 1].Hash, header.ReadableHash, header.ReadableFrom);
            return;
        }
        if (version == 0) throw new MappedFileException(MappedFileReason.WrongRecord, path,
            "The file's record version is 0, which none has", null, 1, 0);
        RecordVersion known = Layout.Versions[version - 1];
        RequireHash(known.Hash, header.LayoutHash, version);
        if (known.RecordBytes != header.RecordBytes || known.FixedBytes != header.FixedBytes)
            throw new MappedFileException(MappedFileReason.WrongRecord, path, $"The file's records of {Layout.Name} have another size",
                null, known.RecordBytes, header.RecordBytes);
    }

    private void RequireHash(ulong expected, ulong actual, int version)
    {
        if (expected != actual)
            throw new MappedFileException(MappedFileReason.WrongRecord, Storage.Path,
                $"The fields of {Layout.Name} in version {version} are not those that the file was written with", null, expected, actual);
    }
}

namespace MemPrims.Records.Reading;

// An open file without its record type, and the one owner of what is committed: the newest state, the maps that it lies in, and the pins
// that hold it. Any number of threads may call anything. Dispose takes away the maps from whoever reads beside it; such a read finds that
// its state no longer stands, and ends with an ObjectDisposedException.
internal sealed class RecordFile : IDisposable
{
    // A writer cannot commit so often while a file is opened.
    private const int MostLooks = 1000;

    private readonly OrderedLock _lock = new(LockOrder.State);
    private readonly MetaSlots _slots;
    // What the newest meta carries and the file lacks. It ends with the first commit.
    private Overlay? _overlay;
    private FileState? _current;

    private RecordFile(IStorage storage, RecordLayout layout, MappedFileOptions options)
    {
        (Storage, Layout, Options) = (storage, layout, options);
        _slots = MetaSlots.Find(storage);
        Meta meta = Newest();
        layout.RequireIn(meta.Header, storage.Path);
        _current = First(meta, PageMap.Empty(_slots.SlotBytes));
        Pins = new(this);
    }

    public IStorage Storage { get; }

    public string Path => Storage.Path;

    public RecordLayout Layout { get; }

    public MappedFileOptions Options { get; }

    public bool Syncs => Options.Durability == Durability.PowerLoss;

    public PinLock Pins { get; }

    public static RecordFile Open(IStorage storage, RecordLayout layout, MappedFileOptions options)
    {
        try
        {
            return new(storage, layout, options);
        }
        catch (Exception e)
        {
            storage.Dispose();
            if (IoErrors.Of(e, storage.Path, "read the file") is { } told) throw told;
            throw;
        }
    }

    // The state as this process last saw it.
    public FileState Current => Volatile.Read(ref _current) ?? throw Closed();

    // The state as of now.
    public FileState Latest()
    {
        FileState state = Current;
        return state.Stands() ? state : Renew();
    }

    // Reads the metas again and publishes what they say.
    public FileState Renew()
    {
        using (_lock.Enter())
        {
            FileState state = Current;
            Meta meta = Newest();
            if (meta.Header.Transaction != state.Transaction || !state.Stands())
                Publish(state = StateOf(meta, state.Map.Covering((int)meta.Header.PageCount, Storage)));
            return state;
        }
    }

    // What the file holds, read by its writer, which has written to the file whatever the meta carries.
    public void Adopt()
    {
        using (_lock.Enter())
        {
            _overlay = null;
            Meta meta = Newest();
            Publish(StateOf(meta, Current.Map.Covering((int)meta.Header.PageCount, Storage)));
        }
    }

    // The writer has committed: these pages, after `before`.
    public void Commit(FileState before, Meta meta, PageMap map, List<int> written)
    {
        using (_lock.Enter())
        {
            _overlay = null;
            FileState state = StateOf(meta, map);
            state.Follow(before, written);
            if (_current is not null) Publish(state);
        }
    }

    public Meta Newest() =>
        _slots.PatientWinner() ?? throw new MappedFileException(MappedFileReason.DamagedMeta, Path,
            "Neither meta slot is valid any more: Salvage copies out what is whole.");

    // The slot for a transaction; null when it is not valid.
    public Meta? MetaFor(ulong transaction) => _slots.Read((int)(transaction & 1));

    public uint SlotBytes => _slots.SlotBytes;

    public ObjectDisposedException Closed() => new("MappedFile", $"{Path} was closed.");

    public void Dispose()
    {
        FileState? last;
        using (_lock.Enter())
        {
            last = _current;
            _current = null;
        }
        if (last is null) return;
        Pins.Close(() =>
        {
            // Nobody else maps any more. Who still reads sees zeros, and then that its state does not stand.
            _slots.Unmap();
            last.Map.Unmap();
        });
        Storage.Dispose();
    }

    // A file that lost power may lack what its newest meta carries. A difference counts only where it is no later commit's write.
    private FileState First(Meta meta, PageMap map)
    {
        for (int look = 1; ; look++, meta = Newest())
        {
            map = map.Covering((int)meta.Header.PageCount, Storage);
            _overlay = Overlay.Of(meta, map, Storage);
            FileState state = StateOf(meta, map);
            if (_overlay is null || state.Stands() || look == MostLooks) return state;
        }
    }

    private FileState StateOf(Meta meta, PageMap map) =>
        new(Path, meta, map, _slots, _overlay?.Transaction == meta.Header.Transaction ? _overlay : null);

    private void Publish(FileState state) => Volatile.Write(ref _current, state);
}

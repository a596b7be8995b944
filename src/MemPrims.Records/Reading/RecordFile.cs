using MemPrims.Records.Format;
using MemPrims.Records.Storage;
using MemPrims.Records.Writing;

namespace MemPrims.Records.Reading;

/// <summary>An open file without its record type: the current state, how it is renewed, and the writer once there is one.</summary>
internal sealed class RecordFile : IDisposable
{
    private readonly Lock _renewing = new();
    private readonly MetaSlots _slots;
    private FileState? _current;
    private Writer? _writer;
    private bool _writing;

    private RecordFile(IStorage storage, RecordLayout layout, MappedFileOptions options)
    {
        Storage = storage;
        Layout = layout;
        Options = options;
        _slots = MetaSlots.Find(storage);
        Meta meta = Newest();
        CheckLayout(meta.Header);
        _current = new(storage.Path, meta, PageMap.Empty(_slots.SlotBytes).Covering((int)meta.Header.PageCount, storage), _slots);
    }

    public IStorage Storage { get; }

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
    public FileState Current => Volatile.Read(ref _current) ?? throw new ObjectDisposedException(nameof(RecordFile), $"{Storage.Path} was closed.");

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
                Publish(state = new(Storage.Path, meta, state.Map.Covering((int)meta.Header.PageCount, Storage), _slots));
            return state;
        }
    }

    /// <summary>The newest state that the lock on its parity lets nobody touch, for a pin.</summary>
    public FileState Frozen(Meta meta)
    {
        lock (_renewing) return new(Storage.Path, meta, Current.Map.Covering((int)meta.Header.PageCount, Storage), null);
    }

    public Meta Newest() =>
        _slots.PatientWinner() ?? throw new MappedFileException(MappedFileReason.DamagedMeta, Storage.Path, "Neither meta slot is valid any more: Salvage copies out what is whole.");

    /// <summary>Starts a transaction; the first call makes this the file's one writer.</summary>
    public WriteBatch BeginWrite()
    {
        _ = Current;
        if (!Storage.CanWrite) throw new MappedFileException(MappedFileReason.ReadOnly, Storage.Path, "The file was opened by OpenRead: open it by Open to write.");
        if (Interlocked.Exchange(ref _writing, true))
            throw new MappedFileException(MappedFileReason.Locked, Storage.Path, "A transaction of this MappedFile is still open: dispose it before the next begins.");
        try
        {
            _writer ??= Writer.Open(this, _slots);
            return _writer.Begin();
        }
        catch
        {
            EndWrite();
            throw;
        }
    }

    public void EndWrite() => Volatile.Write(ref _writing, false);

    /// <summary>The writer tells what it has committed. <paramref name="longer"/>: the map, when the file grew.</summary>
    public FileState Publish(Meta meta, PageMap longer)
    {
        lock (_renewing)
        {
            FileState state = new(Storage.Path, meta, longer, _slots);
            if (_current is not null) Publish(state);
            return state;
        }
    }

    public void Dispose()
    {
        if (Interlocked.Exchange(ref _current, null) is null) return;
        _writer?.Close();
        Storage.Dispose();
    }

    private void Publish(FileState state) => Volatile.Write(ref _current, state);

    private void CheckLayout(in MetaHeader header)
    {
        string path = Storage.Path;
        if (header.RecordId != Layout.Id)
            throw new MappedFileException(MappedFileReason.WrongRecord, path, $"The file holds other records than {Layout.Name}", null, Layout.Id, header.RecordId);
        int version = header.RecordVersion;
        if (version > Layout.Version)
        {
            if (header.ReadableFrom > Layout.Version)
                throw new MappedFileException(MappedFileReason.Newer, path, $"The file holds a newer version of {Layout.Name} that this program's does not understand", null, (ulong)Layout.Version, header.RecordVersion);
            RequireHash(Layout.Versions[header.ReadableFrom - 1].Hash, header.ReadableHash, header.ReadableFrom);
            return;
        }
        if (version == 0) throw new MappedFileException(MappedFileReason.WrongRecord, path, "The file's record version is 0, which none has", null, 1, 0);
        RecordVersion known = Layout.Versions[version - 1];
        RequireHash(known.Hash, header.LayoutHash, version);
        if (known.RecordBytes != header.RecordBytes || known.FixedBytes != header.FixedBytes)
            throw new MappedFileException(MappedFileReason.WrongRecord, path, $"The file's records of {Layout.Name} have another size", null, known.RecordBytes, header.RecordBytes);
    }

    private void RequireHash(ulong expected, ulong actual, int version)
    {
        if (expected != actual)
            throw new MappedFileException(MappedFileReason.WrongRecord, Storage.Path, $"The fields of {Layout.Name} in version {version} are not those that the file was written with", null, expected, actual);
    }
}

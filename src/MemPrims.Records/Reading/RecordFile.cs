using MemPrims.Records.Format;
using MemPrims.Records.Storage;
using MemPrims.Records.Waiting;

namespace MemPrims.Records.Reading;

/// <summary>
/// An open file without its record type, and the one owner of what is committed: the newest state, the maps that it lies in, and the
/// pins that hold it. Any number of threads may call anything. Dispose takes away the maps from whoever reads beside it; such a read finds
/// that its state no longer stands, and ends with an <see cref="ObjectDisposedException"/>.
/// </summary>
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
        Storage = storage;
        Layout = layout;
        Options = options;
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

    /// <summary>The lock that all pins of this open file share.</summary>
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
        using (_lock.Enter())
        {
            FileState state = Current;
            Meta meta = Newest();
            if (meta.Header.Transaction != state.Transaction || !state.Stands())
                Publish(state = StateOf(meta, state.Map.Covering((int)meta.Header.PageCount, Storage)));
            return state;
        }
    }

    /// <summary>What the file holds, read by its writer, which has written to the file whatever the meta carries.</summary>
    public void Adopt()
    {
        using (_lock.Enter())
        {
            _overlay = null;
            Meta meta = Newest();
            Publish(StateOf(meta, Current.Map.Covering((int)meta.Header.PageCount, Storage)));
        }
    }

    /// <summary>The writer has committed: these pages, after <paramref name="before"/>.</summary>
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

    /// <summary>The slot for a transaction; null when it is not valid.</summary>
    public Meta? MetaFor(ulong transaction) => _slots.Read((int)(transaction & 1), out _);

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

    // A file that lost power may lack what its newest meta carries. A difference counts only if no commit came between, whose writes it
    // may be.
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

/// <summary>
/// What a reader sees of a small commit whose page writes were lost with the power: the meta carries them, and until a writer opens the
/// file and writes them once more, they are applied to a copy in memory.
/// </summary>
internal sealed unsafe class Overlay
{
    private readonly Dictionary<int, byte[]> _copies = [];

    private Overlay(Meta meta, PageMap map)
    {
        Transaction = meta.Header.Transaction;
        Chunks = [.. map.Chunks];
    }

    /// <summary>The commit.</summary>
    public ulong Transaction { get; }

    /// <summary>As the map's, with copies in place of the chunks that lack something.</summary>
    public ulong[] Chunks { get; }

    /// <summary>Null when the file has all that the meta carries, as it has unless power was lost.</summary>
    public static Overlay? Of(Meta meta, PageMap map, IStorage storage)
    {
        Overlay? overlay = null;
        ReadOnlySpan<byte> writes = meta.Redo;
        Span<byte> there = stackalloc byte[PageHeader.PageBytes];
        while (Redo.TryTake(ref writes, out long place, out ReadOnlySpan<byte> lines))
        {
            if (TryRead(storage, place, there[..lines.Length]) && lines.SequenceEqual(there[..lines.Length])) continue;
            overlay ??= new(meta, map);
            overlay.Copy((int)(Within(place, map) / PageMap.ChunkBytes), map, storage);
            lines.CopyTo(new(At(overlay.Chunks, place, map), lines.Length));
        }
        return overlay;
    }

    private static long Within(long place, PageMap map) => place - 2L * map.SlotBytes;

    private static byte* At(ulong[] chunks, long place, PageMap map) =>
        (byte*)chunks[Within(place, map) / PageMap.ChunkBytes] + Within(place, map) % PageMap.ChunkBytes;

    private void Copy(int chunk, PageMap map, IStorage storage)
    {
        if (_copies.ContainsKey(chunk)) return;
        int pages = Math.Min(PageMap.PagesPerChunk, map.Pages - chunk * PageMap.PagesPerChunk), bytes = pages * 2 * PageHeader.PageBytes;
        byte[] memory = GC.AllocateUninitializedArray<byte>(bytes + PageHeader.PageBytes, pinned: true);
        fixed (byte* start = memory)
        {
            byte* aligned = (byte*)(((nint)start + PageHeader.PageBytes - 1) & -PageHeader.PageBytes);
            new Span<byte>(aligned, bytes).Clear();
            long offset = PageHeader.OffsetOf(map.SlotBytes, chunk * PageMap.PagesPerChunk, 0);
            for (int at = 0; at < bytes; at += PageHeader.PageBytes)
                TryRead(storage, offset + at, new(aligned + at, PageHeader.PageBytes));
            Chunks[chunk] = (ulong)aligned;
        }
        _copies.Add(chunk, memory);
    }

    // By calls of the system, since a damaged file is opened to be checked. What cannot be read has none of the lines, and is not zeros
    // either: with the lines of the meta zeros could make a page that is whole, of which the file has nothing.
    private static bool TryRead(IStorage storage, long offset, Span<byte> to)
    {
        try
        {
            return storage.Read(offset, to) == to.Length;
        }
        catch (IOException)
        {
            to.Fill(0xFF);
            return false;
        }
    }
}

/// <summary>
/// Ends a read that commits overtake again and again. Every state that no longer stands was followed by a commit, so the next state has a
/// higher number. If the number stays the same, the meta slots contradict each other, which our writer never causes. If it rises until the
/// time is up, commits come faster than the read gets done.
/// </summary>
internal struct Patience(RecordFile file)
{
    // A meta half written may be looked at twice; what is still so after this many looks stays so.
    private const int MostLooks = 100;

    // The first try after a state became old is always allowed: commits of long ago are no hurry.
    private const int FreeTries = 2;

    private readonly Deadline _deadline = new(file.Options.PinTimeout);
    private ulong _transaction;
    private int _looks, _tries;

    /// <summary>The newest state, for one more try.</summary>
    public FileState Renew()
    {
        FileState state = file.Renew();
        if (state.Transaction != _transaction) (_transaction, _looks) = (state.Transaction, 0);
        else if (++_looks >= MostLooks) throw Contradiction(state);
        if (++_tries > FreeTries && _deadline.HasPassed) throw Overtaken();
        return state;
    }

    private readonly MappedFileException Contradiction(FileState state) => new(MappedFileReason.DamagedMeta, state.Path,
        $"Transaction {state.Transaction} is the newest in the meta slots, and yet they keep changing: another program writes to them. "
            + "Open the file again, or Salvage it");

    private readonly MappedFileException Overtaken() => new(MappedFileReason.Locked, file.Path,
        $"The writer committed during every try of a read for {file.Options.PinTimeout}, so that none of them was valid: read from a "
            + "Pin, or by a shorter function.");
}

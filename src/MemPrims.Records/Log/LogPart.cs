using MemPrims.Records.Storage;

namespace MemPrims.Records.Log;

/// <summary>
/// One file of a log, mapped as long as it may become. Its byte n is the log's byte <see cref="First"/> + n.
/// </summary>
internal sealed unsafe class LogPart : IDisposable
{
    private readonly long _most;
    private readonly List<MappedRegion> _outgrown = [];
    private MappedRegion _map;
    private nint _start;

    public LogPart(IStorage storage, long first, long most)
    {
        (Storage, First, _most) = (storage, first, most);
        _map = Map(storage.Length);
        _start = (nint)_map.Start;
    }

    public IStorage Storage { get; }

    public long First { get; }

    public long FirstFrame => First + LogFileHeader.Bytes;

    /// <summary>Where the bytes of the file end. What lies after may be mapped and must not be read.</summary>
    public long FileEnd => First + Storage.Length;

    /// <summary>Where the next file begins; the largest number while there is none.</summary>
    public long End
    {
        get => Volatile.Read(ref field);
        set => Volatile.Write(ref field, value);
    } = long.MaxValue;

    public byte* At(long position) => (byte*)Volatile.Read(ref _start) + (position - First);

    public ReadOnlySpan<byte> Header => new(At(First), (int)Math.Min(LogFileHeader.Bytes, Storage.Length));

    /// <summary>Maps the file up to there, if it is not. What was mapped stays so: callers have spans of it.</summary>
    public void Reach(long end)
    {
        if (end - First <= _map.Length) return;
        _outgrown.Add(_map);
        _map = Map(end - First);
        Volatile.Write(ref _start, (nint)_map.Start);
    }

    public void Close() => Storage.Dispose();

    /// <summary>Closes the file and gives its memory back. Spans of it read zeros from now on.</summary>
    public void Dispose()
    {
        Storage.Dispose();
        foreach (MappedRegion map in (ReadOnlySpan<MappedRegion>)[.. _outgrown, _map]) (map.Owner as IDisposable)?.Dispose();
    }

    // Linux maps what a file does not have yet; elsewhere a map ends with its file.
    private MappedRegion Map(long length) =>
        OperatingSystem.IsLinux() ? Storage.Map(0, Math.Max(length, _most))
        : length > 0 ? Storage.Map(0, length) : new(null, 0, this);
}

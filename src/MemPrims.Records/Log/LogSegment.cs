namespace MemPrims.Records.Log;

// One file of a log, mapped as long as it may become. Its byte n is the log's byte First + n.
internal sealed unsafe class LogSegment : IDisposable
{
    private readonly long _most;
    private readonly List<MappedRegion> _outgrown = [];
    private MappedRegion _map;
    private nint _start;
    private readonly Lock _mapping = new();
    private bool _isGone;

    public LogSegment(IStorage storage, long first, long most)
    {
        (Storage, First, _most) = (storage, first, most);
        _map = Map(storage.Length);
        _start = (nint)_map.Start;
    }

    public IStorage Storage { get; }

    public long First { get; }

    public long FirstFrame => First + LogFileHeader.Bytes;

    // Where the bytes of the file end; its begin once it was cut. What lies after may be mapped and must not be read.
    public long FileEnd
    {
        get
        {
            try
            {
                return First + Storage.Length;
            }
            catch (ObjectDisposedException) when (Volatile.Read(ref _isGone))
            {
                return First;
            }
        }
    }

    // Where the next file begins; the largest number while there is none.
    public long End
    {
        get => Volatile.Read(ref field);
        set => Volatile.Write(ref field, value);
    } = long.MaxValue;

    public byte* At(long position) => (byte*)Volatile.Read(ref _start) + (position - First);

    // Maps the file up to there, if it is not, and returns that place; where the file was cut, it is the end of what is mapped. What was
    // mapped stays so: callers have spans of it. The writer comes here, and who reads all beside it.
    public long Reach(long end)
    {
        if (end - First <= Volatile.Read(ref _map).Length) return end;
        lock (_mapping)
        {
            if (end - First <= _map.Length) return end;
            if (_isGone) return First + _map.Length;
            MappedRegion map = MapUpTo(end - First);
            _outgrown.Add(_map);
            // The addresses first: whoever sees the new length reads there.
            Volatile.Write(ref _start, (nint)map.Start);
            Volatile.Write(ref _map, map);
            return end;
        }
    }

    public void Close() => Storage.Dispose();

    // Closes the file. On Linux spans of it read zeros from now on; elsewhere it stays mapped while something refers to it.
    public void Dispose()
    {
        using (_mapping.EnterUninterrupted()) Volatile.Write(ref _isGone, true);
        Storage.Dispose();
        // A loop that stands in this file goes on reading there, until it sees that the file was cut.
        foreach (MappedRegion map in (ReadOnlySpan<MappedRegion>)[.. _outgrown, _map]) map.Unmap();
    }

    // Where a map ends with its file, the file is made longer first, so that each map is twice as long as the one before: all of them take
    // no more than twice the addresses of the last. Who reads beside the writer maps what there is.
    private MappedRegion MapUpTo(long length)
    {
        if (SystemFile.Here.MapsBeyondEnd) return Map(length);
        try
        {
            if (Storage.CanWrite) Storage.Extend(Math.Max(length, Math.Min(2 * length, _most)));
        }
        catch (IOException)
        {
            // A full disk: the next append tells.
        }
        return Map(Math.Max(length, Storage.Length));
    }

    private MappedRegion Map(long length) =>
        SystemFile.Here.MapsBeyondEnd ? Storage.Map(0, Math.Max(length, _most))
        : length > 0 ? Storage.Map(0, length) : new(null, 0, this);
}

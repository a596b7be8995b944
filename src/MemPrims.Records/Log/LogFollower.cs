namespace MemPrims.Records.Log;

/// <summary>
/// Reads a log that another <see cref="LogFile"/> writes, mostly in another process. What is not whole yet is the end, for now. It is
/// damage only where a later frame testifies that it was whole once, and where it is still not whole after that frame was seen.
/// </summary>
internal sealed class LogFollower
{
    private readonly LogRow _row;
    private readonly LogScan _scan;
    private readonly Lock _gate = new();
    private long _written, _end, _syncedEnd;

    public LogFollower(LogRow row)
    {
        _row = row;
        _scan = LogScan.Of(row);
        Pass();
        ThrowIfRotten();
        Publish();
    }

    public LogRecovery Found => new(_scan.Frames, 0, _scan.EndsClosed, null);

    public long Written => Volatile.Read(ref _written);

    /// <summary>The end of the last frame, or of the last one of which a mark says that it is on the disk.</summary>
    public long EndOf(bool onlySynced) => onlySynced ? Volatile.Read(ref _syncedEnd) : Volatile.Read(ref _end);

    /// <summary>Looks for what was written since.</summary>
    public void Advance()
    {
        lock (_gate)
        {
            Pass();
            // Zeros are what a writer puts ahead of its frames; anything else is looked at, and so is what follows in a later file.
            if (_row.Find(_scan.End) != _row.Last || _scan.IsBegun) ThrowIfRotten();
            Publish();
        }
    }

    private void Pass()
    {
        _scan.Run();
        for (; _scan.End > _row.Last.First && _row.Folder.Has(_scan.End); _scan.Run()) _row.Add(_scan.End, writes: false);
    }

    private void ThrowIfRotten()
    {
        // In this order: the next file has its name before that is said, and a cut takes the earlier file first.
        if (_scan.IsContinued && !_row.Folder.Has(_scan.End) && _row.Folder.Has(_row.Last.First))
            throw LogErrors.FileGone(_row.Folder.Path, _scan.End);
        while (_scan.HasRotted())
        {
            long end = _scan.End;
            Pass();
            if (_scan.End == end) throw LogErrors.Rotten(_row.Folder.Path, end);
        }
    }

    private void Publish()
    {
        Volatile.Write(ref _written, _scan.End);
        Volatile.Write(ref _end, _scan.EndOfPayloads);
        Volatile.Write(ref _syncedEnd, EndOfSynced());
    }

    // A mark may be where a frame without payload ended, and one that is too low may lie in a frame. A loop that goes on there must not be
    // told of a frame that is none.
    private long EndOfSynced()
    {
        if (_scan.OnDisk >= _scan.EndOfPayloads) return _scan.EndOfPayloads;
        long end = Math.Max(_syncedEnd, _row.Start);
        LogEntries.Enumerator frames = new(_row, end, _scan.EndOfPayloads);
        while (end < _scan.OnDisk && frames.MoveNext() && frames.Current.Next <= _scan.OnDisk) end = frames.Current.Next;
        return end;
    }
}

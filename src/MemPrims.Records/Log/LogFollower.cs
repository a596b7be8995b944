namespace MemPrims.Records.Log;

// Reads a log that another LogFile writes, mostly in another process. What is not whole yet is the end, for now. It is damage only where a
// later frame testifies that it was whole once, and where it is still not whole after that frame was seen.
internal sealed class LogFollower : LogEnd
{
    private const int MillisecondsBetweenLooks = 10;

    private readonly LogSegments _log;
    private readonly LogScan _scan;
    private readonly Lock _gate = new();
    private readonly CancellationTokenSource _closing = new();

    public LogFollower(LogSegments log)
    {
        _log = log;
        _scan = LogScan.Of(log);
        Pass();
        ThrowIfRotten();
        Publish();
    }

    public LogRecovery Found => new(_scan.Frames, 0, _scan.EndsClosed, null);

    public override void Advance()
    {
        lock (_gate)
        {
            Pass();
            // Zeros are what a writer puts ahead of its frames; anything else is looked at, and so is what follows in a later file.
            if (_log.Find(_scan.End) != _log.Last || _scan.IsBegun) ThrowIfRotten();
            Publish();
        }
    }

    public override long Reach(bool onlySynced, out LogWaiting? waiting)
    {
        waiting = null;
        Advance();
        return EndOf(onlySynced);
    }

    public override void Close() => _closing.Cancel();

    protected override Task? MoreThan(long position, bool onlySynced)
    {
        ObjectDisposedException.ThrowIf(_closing.IsCancellationRequested, typeof(LogFile));
        // A delay that the close ends is no error: the next look tells.
        return EndOf(onlySynced) > position || Reach(onlySynced, out _) > position ? null
            : Task.WhenAny(Task.Delay(MillisecondsBetweenLooks, _closing.Token));
    }

    private void Pass()
    {
        _scan.Run();
        for (; _scan.End > _log.Last.First && _log.Folder.Has(_scan.End); _scan.Run()) _log.Add(_scan.End, writes: false);
    }

    private void ThrowIfRotten()
    {
        // In this order: the next file has its name before that is said, and a cut takes the earlier file first.
        if (_scan.IsContinued && !_log.Folder.Has(_scan.End) && _log.Folder.Has(_log.Last.First))
            throw LogErrors.FileGone(_log.Folder.Path, _scan.End);
        while (_scan.HasRotted())
        {
            long end = _scan.End;
            Pass();
            if (_scan.End == end) throw LogErrors.Rotten(_log.Folder.Path, end);
        }
    }

    private void Publish()
    {
        Volatile.Write(ref _written, _scan.End);
        Volatile.Write(ref _endOfPayloads, _scan.EndOfPayloads);
        Volatile.Write(ref _syncedEnd, EndOfSynced());
    }

    // A mark may be where a frame without payload ended, and one that is too low may lie in a frame, where a loop must not go on.
    private long EndOfSynced()
    {
        if (_scan.OnDisk >= _scan.EndOfPayloads) return _scan.EndOfPayloads;
        long end = Math.Max(_syncedEnd, _log.Start);
        LogEntries.Enumerator frames = new(_log, end, _scan.EndOfPayloads);
        while (end < _scan.OnDisk && frames.MoveNext() && frames.Current.Next <= _scan.OnDisk) end = frames.Current.Next;
        return end;
    }
}

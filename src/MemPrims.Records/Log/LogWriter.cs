namespace MemPrims.Records.Log;

// The one writer of a log. Frames are collected in memory and handed to the system 128 KiB at a time, at a sync, and when a reader in this
// process wants one. Any number of threads append, each under the gate. A sync hands over what was collected and lets the disk work
// without the gate, one sync at a time: meanwhile frames go into a second buffer.
internal sealed unsafe class LogWriter : LogEnd
{
    // "append of 100 B": a system call for every 4 KiB took 40 ns a frame, for every 128 KiB it takes 14.
    private const int BufferBytes = 1 << 17;

    // Zeros are written ahead of the frames, so that a sync has blocks to write and no length: a journal's commit less.
    private const int AheadBytes = 1 << 20;

    private readonly LogSegments _log;
    private readonly bool _syncs;
    private readonly SyncRounds _rounds;
    private readonly Lock _cutting = new();
    private readonly byte[] _buffers = GC.AllocateUninitializedArray<byte>(2 * BufferBytes, pinned: true);

    // Whoever hands bytes to the system has this one. It is entered under the gate, and the gate not under it. "8 threads, each append
    // with its own sync, tmpfs": with the calls of the system under the gate, appends waited for them.
    private readonly Lock _handing = new();

    // What is collected, and what is handed over: the bytes from _written on are those of _outgoing, then those of _bytes.
    private byte* _bytes, _outgoing;
    private int _used, _outgoingUsed;

    private LogSegment _last;
    private long _end, _room, _fileEnd, _onDisk;
    private bool _endsClosed, _isClosing, _isClosed;

    private Exception? _failure;
    private TaskCompletionSource? _more, _moreSynced;

    public LogWriter(LogSegments log, LogScan found, Durability durability)
    {
        (_log, _syncs, _last) = (log, durability == Durability.PowerLoss, log.Last);
        _bytes = (byte*)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(_buffers));
        _outgoing = _bytes + BufferBytes;
        _end = _written = found.End;
        _endOfPayloads = _syncedEnd = found.EndOfPayloads;
        _onDisk = _syncs ? found.End : found.OnDisk;
        _endsClosed = found.EndsClosed;
        (_room, _fileEnd) = (_last.First + log.FileBytes, _last.FileEnd);
        _rounds = new(Sync);
        // Opening has synced what no mark covers. Readers of other processes learn it by this one.
        if (found.Frames > 0 && found.OnDisk < Math.Min(_onDisk, found.EndOfPayloads)) Leave(LogFrame.Mark);
    }

    public Lock Gate { get; } = new();

    public long Append(ReadOnlySpan<byte> payload)
    {
        if (payload.Length > LogFrame.MaxPayload) LogErrors.ThrowTooLong(payload.Length);
        long size = LogFrame.SizeOf(payload.Length), position;
        TaskCompletionSource? more;
        lock (Gate)
        {
            if (_used + size > BufferBytes || _end + size > _room || _failure is not null || _isClosing) MakeRoom(size);
            position = _end;
            if (size > BufferBytes) WriteLarge(payload);
            else Buffer(payload, (int)size);
            _endsClosed = false;
            Volatile.Write(ref _endOfPayloads, _end);
            (more, _more) = (_more, null);
        }
        Completion.End(more);
        return position;
    }

    public override long Reach(bool onlySynced, out LogWaiting? waiting)
    {
        waiting = null;
        if (onlySynced) return SyncedEnd;
        if (Written < End && !TryFlush() && (waiting = CopyWaiting()) is not null) return waiting.From;
        // Another thread may append at once: what it has in its buffer cannot be read yet.
        return Math.Min(Written, End);
    }

    // Reading does not fail because writing can't: the next append or sync tells of it.
    private bool TryFlush()
    {
        try
        {
            lock (Gate)
            {
                // Not where another writer may be at work.
                if (_failure is not MappedFileException { Reason: MappedFileReason.Locked }) FlushBuffer();
            }
            return Written >= End;
        }
        catch (IOException)
        {
            return false;
        }
    }

    public void SyncAll()
    {
        if (!IsSynced()) _rounds.Join();
    }

    public Task SyncAllAsync() => IsSynced() ? Task.CompletedTask : _rounds.JoinAsync();

    // A copy of the frames that the system does not have yet; null where it has all.
    private LogWaiting? CopyWaiting()
    {
        lock (Gate)
        {
            using UninterruptedLock.Held handing = _handing.EnterUninterrupted();
            if (_outgoingUsed + _used == 0) return null;
            byte[] copy = GC.AllocateUninitializedArray<byte>(_outgoingUsed + _used, pinned: true);
            new ReadOnlySpan<byte>(_outgoing, _outgoingUsed).CopyTo(copy);
            new ReadOnlySpan<byte>(_bytes, _used).CopyTo(copy.AsSpan(_outgoingUsed));
            return new(copy, _written, _log.Seed);
        }
    }

    protected override Task? MoreThan(long position, bool onlySynced)
    {
        lock (Gate)
        {
            ObjectDisposedException.ThrowIf(_isClosed, typeof(LogFile));
            if (EndOf(onlySynced) > position) return null;
            ref TaskCompletionSource? more = ref onlySynced ? ref _moreSynced : ref _more;
            return (more ??= new(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
        }
    }

    public void CutBefore(long position)
    {
        if (position > End) LogErrors.ThrowBehindTheEnd(position, End);
        // What stays must be on the disk first. A loss of power would otherwise leave a log that ends before the place it was cut at.
        if (SyncedEnd < position) SyncAll();
        lock (_cutting)
        {
            while (true)
            {
                ObjectDisposedException.ThrowIf(Volatile.Read(ref _isClosed), typeof(LogFile));
                if (_log.All is not [_, var next, ..] || next.First > position) return;
                lock (Gate) RequireLock();
                try
                {
                    _log.DropFirst(Gate);
                }
                catch (Exception e) when (e is IOException or UnauthorizedAccessException)
                {
                    throw IoErrors.Of(e, _log.Folder.Path, "delete a file") ?? e;
                }
            }
        }
    }

    // Takes no more, syncs what was appended, and leaves the mark of a close. Where that fails nobody is told: it was not promised.
    public override void Close()
    {
        // First: what is appended after the sync would be neither synced nor refused.
        using (Gate.EnterUninterrupted()) _isClosing = true;
        try
        {
            SyncAll();
        }
        catch (Exception e) when (e is IOException or ObjectDisposedException) { }
        TaskCompletionSource? more, moreSynced;
        using (_cutting.EnterUninterrupted())
        using (Gate.EnterUninterrupted())
        {
            // A close that is not clean leaves no mark.
            if (!_isClosed && !_endsClosed && _failure is null && _syncedEnd == _endOfPayloads) Leave(LogFrame.Closed);
            _isClosed = true;
            (more, moreSynced, _more, _moreSynced) = (_more, _moreSynced, null, null);
        }
        Completion.End(more);
        Completion.End(moreSynced);
        // A sync that another thread began meanwhile has the files in its hands.
        _rounds.Close();
    }

    // Under the gate. What another writer may have made its own is not touched any more.
    private void RequireLock() => RequireLock(_log.Folder.IsStillLocked());

    private void RequireLock(bool isHeld)
    {
        if (_failure is null && !isHeld) Volatile.Write(ref _failure, LogErrors.Replaced(_log.Folder.Path));
        if (_failure is not null) throw LogErrors.Failed(_log.Folder.Path, _failure);
    }

    private bool IsSynced()
    {
        if (Volatile.Read(ref _failure) is { } failure) throw LogErrors.Failed(_log.Folder.Path, failure);
        return SyncedEnd >= End;
    }

    private void Buffer(ReadOnlySpan<byte> payload, int size)
    {
        byte* at = _bytes + _used;
        // Zeros first, up to the next word; the payload then leaves those after it.
        if (size > LogFrame.HeaderBytes) *(ulong*)(at + size - sizeof(ulong)) = 0;
        payload.CopyTo(new(at + LogFrame.HeaderBytes, payload.Length));
        // The copy is summed: another thread may change the source meanwhile.
        PayloadSum sum = LogFrame.PayloadCheck(default, at + LogFrame.HeaderBytes, size - LogFrame.HeaderBytes);
        LogFrame.WriteHeader(at, payload.Length, _end, _onDisk, _log.Seed, sum);
        _used += size;
        _end += size;
    }

    // Through the buffer and past it. The header is written last, so that a reader elsewhere finds no frame before there is one.
    private void WriteLarge(ReadOnlySpan<byte> payload)
    {
        PayloadSum sum = default;
        long at = _end - _last.First + LogFrame.HeaderBytes;
        for (int done = 0; done < payload.Length;)
        {
            int part = Math.Min(BufferBytes, payload.Length - done), words = part + (LogFrame.Alignment - 1) & -LogFrame.Alignment;
            *(ulong*)(_bytes + words - sizeof(ulong)) = 0;
            payload.Slice(done, part).CopyTo(new(_bytes, part));
            sum = LogFrame.PayloadCheck(sum, _bytes, words);
            Write(at + done, new(_bytes, words));
            done += part;
        }
        LogFrame.WriteHeader(_bytes, payload.Length, _end, _onDisk, _log.Seed, sum);
        Write(at - LogFrame.HeaderBytes, new(_bytes, LogFrame.HeaderBytes));
        _last.Reach(_end + LogFrame.SizeOf(payload.Length));
        _end += LogFrame.SizeOf(payload.Length);
        Volatile.Write(ref _written, _end);
    }

    // Under the gate, as all that follows but Sync.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void MakeRoom(long size)
    {
        ObjectDisposedException.ThrowIf(_isClosing, typeof(LogFile));
        RequireLock();
        FlushBuffer();
        if (_end + size <= _room || _end == _last.FirstFrame) return;
        if (_end > LogFileHeader.LastFirst) throw LogErrors.AtTheLastPosition(_log.Folder.Path);
        try
        {
            _log.Prepare(_end, _log.Id);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            RequireLock();
            throw IoErrors.Of(e, _log.Folder.Path, "make the log's next file") ?? e;
        }
        LogSegment before = _last;
        try
        {
            _last = _log.Publish(_end);
        }
        catch (Exception e)
        {
            Volatile.Write(ref _failure, e);
            throw LogErrors.Poisoned(_log.Folder.Path, e);
        }
        TellContinuation(before);
        (_room, _fileEnd) = (_end + _log.FileBytes, _last.FileEnd);
        _end = _last.FirstFrame;
        Volatile.Write(ref _written, _end);
    }

    // Behind the frames of the file before, so that the loss of the next one is told. It is on the disk with the next sync of that file.
    // Where it cannot be written, the log is whole without it.
    private void TellContinuation(LogSegment before)
    {
        byte* header = stackalloc byte[LogFrame.HeaderBytes];
        LogFrame.WriteHeader(header, LogFrame.Continued, _end, _onDisk, _log.Seed, default);
        try
        {
            before.Storage.Write(_end - before.First, new(header, LogFrame.HeaderBytes));
        }
        catch (IOException) { }
    }

    private void FlushBuffer()
    {
        using (_handing.EnterUninterrupted())
        {
            TurnBuffers();
            HandOver();
        }
    }

    // What an earlier attempt could not write goes first. After a failure all is where it was.
    private void TurnBuffers()
    {
        HandOver();
        byte* collected = _bytes;
        _bytes = _outgoing;
        _outgoing = collected;
        (_outgoingUsed, _used) = (_used, 0);
    }

    private void HandOver()
    {
        if (_outgoingUsed == 0) return;
        Write(_written - _last.First, new(_outgoing, _outgoingUsed));
        long end = _written + _outgoingUsed;
        _last.Reach(end);
        _outgoingUsed = 0;
        Volatile.Write(ref _written, end);
    }

    private void Write(long at, ReadOnlySpan<byte> bytes)
    {
        try
        {
            _last.Storage.Write(at, bytes);
        }
        catch (Exception e) when (IoErrors.Of(e, _last.Storage.Path, "write to the log") is { } told)
        {
            throw told;
        }
    }

    // One at a time, by the thread that leads a round.
    private void Sync()
    {
        long written, endOfPayloads;
        // A call of the system, which the appends need not wait for.
        bool isHeld = !_syncs || _log.Folder.IsStillLocked();
        using (Gate.EnterUninterrupted())
        {
            if (_failure is not null) throw LogErrors.Failed(_log.Folder.Path, _failure);
            if (_syncedEnd == _endOfPayloads) return;
            ObjectDisposedException.ThrowIf(_isClosed, typeof(LogFile));
            RequireLock(isHeld);
            _ = _handing.EnterUninterrupted();
            (written, endOfPayloads) = (_end, _endOfPayloads);
            try
            {
                TurnBuffers();
            }
            catch
            {
                _handing.Exit();
                throw;
            }
        }
        try
        {
            HandOver();
            if (_syncs && !_isClosing) WriteAhead();
        }
        finally
        {
            _handing.Exit();
        }
        if (_syncs)
        {
            try
            {
                foreach (LogSegment segment in _log.All)
                {
                    if (segment.End < _onDisk || segment.First >= written) continue;
                    segment.Storage.Sync();
                    if (!segment.Storage.HasName) throw LogErrors.Replaced(_log.Folder.Path);
                }
            }
            catch (Exception e)
            {
                using (Gate.EnterUninterrupted()) Volatile.Write(ref _failure, e);
                throw LogErrors.Failed(_log.Folder.Path, e);
            }
        }
        TaskCompletionSource? more;
        using (Gate.EnterUninterrupted())
        {
            Volatile.Write(ref _syncedEnd, endOfPayloads);
            (more, _moreSynced) = (_moreSynced, null);
            if (_syncs)
            {
                _onDisk = written;
                Leave(LogFrame.Mark);
            }
        }
        Completion.End(more);
    }

    private void WriteAhead()
    {
        long wanted = Math.Min(_room, _written + AheadBytes);
        if (_fileEnd >= Math.Min(wanted, _written + LogFrame.HeaderBytes)) return;
        try
        {
            LogOpening.WriteZeros(_last.Storage, Math.Max(_fileEnd, _written) - _last.First, wanted - _last.First);
            _fileEnd = wanted;
        }
        catch (IOException)
        {
            // It would have saved time, no more: the frames are written, and the sync tells whether they last.
        }
    }

    // It testifies to what is on the disk now, even if nothing follows. Where it cannot be written, the next frame will. Where others have
    // appended since the sync, the next write has it with their frames: one call of the system less for each of many syncs at once.
    private void Leave(int kind)
    {
        if (_used + LogFrame.HeaderBytes > BufferBytes) return;
        bool isAlone = _used == 0;
        _endsClosed = kind == LogFrame.Closed;
        LogFrame.WriteHeader(_bytes + _used, kind, _end, _onDisk, _log.Seed, default);
        _used += LogFrame.HeaderBytes;
        _end += LogFrame.HeaderBytes;
        if (!isAlone) return;
        try
        {
            FlushBuffer();
        }
        catch (IOException) { }
    }
}

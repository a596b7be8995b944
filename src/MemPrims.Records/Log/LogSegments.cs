namespace MemPrims.Records.Log;

// The files of a log, in order. Readers take no lock: All is replaced, never changed, under the lock of the log's writer or follower.
internal sealed unsafe class LogSegments(ILogFolder folder, long fileBytes)
{
    // After the size of a file there is room for what a sync and a close leave.
    private const int RoomForMarks = 4096;

    private LogSegment[] _segments = [];

    public ILogFolder Folder => folder;

    public long FileBytes => fileBytes;

    public uint Seed { get; private set; }

    public ulong Id { get; private set; }

    public LogSegment[] All => Volatile.Read(ref _segments);

    public LogSegment Last => All[^1];

    public long Start => All[0].FirstFrame;

    // The file with this position; the first one where it is before all.
    public LogSegment Find(long position)
    {
        LogSegment[] segments = All;
        int low = 0;
        for (int count = segments.Length; count > 1;)
        {
            int half = count >> 1;
            low += segments[low + half].First <= position ? half : 0;
            count -= half;
        }
        return segments[low];
    }

    public void Load(bool writes)
    {
        try
        {
            foreach (long first in folder.List()) Add(first, writes);
        }
        catch
        {
            Close();
            _segments = [];
            throw;
        }
    }

    // Opens all files of a damaged log, if one of them says which log it is.
    public void LoadDamaged()
    {
        Exception? refused = null;
        long[] firsts = Array.FindAll(folder.List(), first => LogFileHeader.IsPlace(first) && folder.Has(first));
        foreach (long first in firsts)
        {
            try
            {
                if (All.Length == 0) Add(first, writes: false);
            }
            catch (Exception e) when (e is DamagedDataException or MappedFileException)
            {
                refused ??= e;
            }
        }
        if (All.Length == 0) throw refused ?? LogErrors.NoLog(folder.Path);
        Close();
        _segments = [];
        foreach (long first in firsts) Add(first, writes: false, checks: false);
    }

    // Opens the file that begins there, after all others.
    public LogSegment Add(long first, bool writes, bool checks = true)
    {
        IStorage storage = folder.Open(first, writes);
        try
        {
            LogSegment segment = new(storage, first, fileBytes + RoomForMarks);
            ulong id = checks ? LogFileHeader.Check(HeaderOf(storage, first), first, storage.Path) : Id;
            if (All.Length == 0) (Id, Seed) = (id, LogFileHeader.SeedOf(id));
            else if (id != Id)
                throw new MappedFileException(MappedFileReason.NotThisFormat, storage.Path, "The file is one of another log. Move it back "
                    + "to its own folder", expected: Id, actual: id);
            if (checks && All is [.., var before] && first < before.FirstFrame)
                throw new DamagedDataException($"{storage.Path}: the file begins within the header of the one before it, where none of a "
                    + "log can. Move one of them away, or Salvage the log.", first);
            LogSegment[] segments = [.. All, segment];
            if (segments.Length > 1) segments[^2].End = first;
            Volatile.Write(ref _segments, segments);
            return segment;
        }
        catch
        {
            storage.Dispose();
            throw;
        }
    }

    // Whether a file still begins as it was made.
    public bool HasHeader(LogSegment segment)
    {
        try
        {
            IStorage storage = segment.Storage;
            return LogFileHeader.Check(HeaderOf(storage, segment.First), segment.First, storage.Path) == Id;
        }
        catch (Exception e) when (e is DamagedDataException or MappedFileException)
        {
            return false;
        }
    }

    private static byte[] HeaderOf(IStorage storage, long first)
    {
        byte[] header = new byte[LogFileHeader.Bytes];
        try
        {
            return header[..storage.Read(0, header)];
        }
        catch (IOException e)
        {
            throw new DamagedDataException($"{storage.Path}: the header of the file cannot be read ({e.Message}). Restore a copy of the "
                + "log, or Salvage it.", first);
        }
    }

    // Makes the next file, whole and on the disk, without its name. A failure leaves nothing that matters.
    public void Prepare(long first, ulong id)
    {
        using IStorage beside = folder.CreateBeside(All.Length > 0 ? Last.Storage.Rights : null);
        beside.Write(0, LogFileHeader.Of(id, first));
        beside.Sync();
    }

    // Gives the next file its name, which is on the disk before anything is written there. After a failure nobody knows whether it has the
    // name; a writer that went on in the file before would write what a file hides.
    public LogSegment Publish(long first)
    {
        folder.Publish(first);
        folder.Sync();
        return Add(first, writes: true);
    }

    // Deletes the last file, of which nothing was acknowledged.
    public void DropLast()
    {
        LogSegment last = Last;
        folder.Delete(last.First);
        folder.Sync();
        Volatile.Write(ref _segments, All[..^1]);
        Last.End = long.MaxValue;
        last.Dispose();
    }

    // Deletes the first file. Its name is gone for good before the next one goes: a gap in the row would look like a loss.
    public void DropFirst(Lock gate)
    {
        LogSegment first = All[0];
        folder.Delete(first.First);
        folder.Sync();
        using (gate.EnterUninterrupted()) Volatile.Write(ref _segments, All[1..]);
        first.Dispose();
    }

    // Closes the files. Spans of them stay readable as long as something refers to the log.
    public void Close()
    {
        foreach (LogSegment segment in All) segment.Close();
    }

    private bool TryRead(LogSegment segment, long position, long limit, out LogFrame frame)
    {
        frame = default;
        if (limit - position < LogFrame.HeaderBytes) return false;
        byte* at = segment.At(position);
        bool isSound = LogFrame.TryReadHeader(at, position, Seed, out frame) && frame.Size <= limit - position
            && frame.HasSoundPayload(at);
        // The map lives as long as its file's object, even where the file is cut meanwhile.
        GC.KeepAlive(segment);
        return isSound;
    }

    // The frame at a place in a file; false where no sound one is. The payload is valid as long as the log is open and not cut there.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryRead(LogSegment segment, long position, long limit, out LogFrame frame, out ReadOnlySpan<byte> payload)
    {
        limit = Math.Min(limit, segment.End);
        if (position < segment.FirstFrame || (position & (LogFrame.Alignment - 1)) != 0 || !TryRead(segment, position, limit, out frame))
        {
            frame = default;
            payload = default;
            return false;
        }
        payload = new(segment.At(position) + LogFrame.HeaderBytes, Math.Max(frame.Length, 0));
        return true;
    }
}

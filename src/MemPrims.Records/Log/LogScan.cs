namespace MemPrims.Records.Log;

// Reads a log from its start to the first place without a sound frame, and tells what that place is. Bytes below the mark of any frame
// were on the disk once. So an unsound place below a mark has rotted, and one above all marks was never acknowledged.
internal sealed class LogScan
{
    private readonly LogSegments _log;
    private readonly LogWindow _window = new();

    private LogScan(LogSegments log, long start) => (_log, End, EndOfPayloads) = (log, start, start);

    // The end of the sound frames.
    public long End { get; private set; }

    public long EndOfPayloads { get; private set; }

    public long Frames { get; private set; }

    // The highest mark: what lies below was on the disk.
    public long OnDisk { get; private set; }

    // Whether the last frame is what a close leaves.
    public bool EndsClosed { get; private set; }

    // Whether the log went on in a file that is not among these: the one before says so where it ends.
    public bool IsContinued => _log.Find(End) is var file && End > file.First && _window.Continues(_log, file, End);

    // Whether anything but zeros stands at the end, in the last file.
    public unsafe bool IsBegun => End > _log.Last.First
        && _window.Read(_log.Last, End, sizeof(ulong), out byte* at) >= sizeof(ulong) && *(ulong*)at != 0;

    public static LogScan Of(LogSegments log)
    {
        LogScan scan = new(log, log.Start);
        scan.Run();
        return scan;
    }

    // Reads on, after more was written or another file came.
    public void Run()
    {
        _window.Forget();
        while (true)
        {
            LogSegment segment = _log.Find(End);
            End = Math.Max(End, segment.FirstFrame);
            long limit = segment.Reach(Math.Min(segment.End, segment.FileEnd));
            while (_window.TryRead(_log, segment, End, limit, out LogFrame frame)) Pass(frame);
            if (End != segment.End) return;
        }
    }

    // Whether a frame proves that the unsound bytes at End were on the disk.
    public bool HasRotted()
    {
        if (OnDisk > End) return true;
        bool found = false;
        FindHeaders(_log, End + LogFrame.Alignment, frame => found |= frame.OnDisk > End);
        return found;
    }

    // Finds the sound headers after a place, wherever they begin. A header is proof enough: its mark was true when it was written.
    public static unsafe void FindHeaders(LogSegments log, long from, Action<LogFrame> found)
    {
        LogWindow window = new();
        foreach (LogSegment segment in log.All)
        {
            long limit = Math.Min(segment.End, segment.FileEnd);
            // Past the holes: a sparse file can be of any length.
            foreach ((long start, long end) in segment.Storage.DataParts())
            {
                long at = Math.Max(from, Math.Max(segment.FirstFrame, segment.First + start));
                long last = Math.Min(limit, segment.First + end) - LogFrame.HeaderBytes;
                while (at <= last)
                {
                    int there = window.Read(segment, at, LogFrame.HeaderBytes, out byte* bytes);
                    if (there < LogFrame.HeaderBytes) at = LogWindow.NextPage(segment, at);
                    for (; there >= LogFrame.HeaderBytes && at <= last; at += LogFrame.Alignment, bytes += LogFrame.Alignment,
                        there -= LogFrame.Alignment)
                        if (*(long*)(bytes + 8) == at && LogFrame.TryReadHeader(bytes, at, log.Seed, out LogFrame frame)) found(frame);
                }
            }
        }
    }

    private void Pass(in LogFrame frame)
    {
        End += frame.Size;
        OnDisk = Math.Max(OnDisk, frame.OnDisk);
        EndsClosed = frame.Length == LogFrame.Closed;
        if (frame.Length < 0) return;
        EndOfPayloads = End;
        Frames++;
    }
}

namespace MemPrims.Records.Log;

// Copies the sound frames of a damaged log into a new one. Below the highest mark, a place without a sound frame has lost one, and what
// follows is searched byte by byte. Above it nothing was acknowledged: the first such place is the end.
internal static unsafe class LogSalvager
{
    // create: makes the new one. Not called where there is nothing to save.
    public static LogSalvage Run(ILogFolder folder, Func<LogFile> create)
    {
        LogSegments log = new(folder, LogFileOptions.Default.FileBytes);
        try
        {
            log.LoadDamaged();
            using LogFile to = create();
            return Copy(log, to);
        }
        finally
        {
            log.Close();
        }
    }

    private static LogSalvage Copy(LogSegments log, LogFile to)
    {
        LogWindow window = new();
        long onDisk = 0, frames = 0, lostFrom = -1;
        LogScan.FindHeaders(log, log.Start, frame => onDisk = Math.Max(onDisk, frame.OnDisk));
        List<LogRange> lost = [];
        LogSegment? lastFound = null;
        long at = log.Start;
        foreach (LogSegment segment in log.All)
        {
            // A file that is missing between two others.
            if (segment.First > at && lostFrom < 0) lostFrom = at;
            long limit = Math.Min(segment.End, segment.FileEnd);
            for (at = lostFrom < 0 ? at : segment.First; at + LogFrame.HeaderBytes <= limit; at += LogFrame.Alignment)
            {
                at = Math.Max(at, segment.FirstFrame);
                for (; window.TryRead(log, segment, at, limit, out LogFrame frame, out ReadOnlySpan<byte> payload); at += frame.Size)
                {
                    if (lostFrom >= 0) lost.Add(new(lostFrom, at));
                    lostFrom = -1;
                    lastFound = segment;
                    if (frame.Length < 0) continue;
                    to.Append(payload);
                    frames++;
                }
                if (at == segment.End) break;
                if (lostFrom < 0) lostFrom = at;
                if (lostFrom >= onDisk)
                {
                    // Nobody knows how long the next file was, where it is gone or empty. It had its header.
                    if (segment == log.Last && window.Continues(log, segment, at)) onDisk = at + LogFileHeader.Bytes;
                    return Finish();
                }
                if (window.Read(segment, at, LogFrame.HeaderBytes, out _) < LogFrame.HeaderBytes)
                    at = LogWindow.NextPage(segment, at) - LogFrame.Alignment;
            }
        }
        return Finish();

        LogSalvage Finish()
        {
            to.Sync();
            if (lostFrom >= 0 && lostFrom < onDisk) lost.Add(new(lostFrom, onDisk));
            else if (log.All is [.., var before, var last] && last != lastFound && window.Continues(log, before, last.First)
                && !log.HasHeader(last))
                lost.Add(new(last.First, last.FirstFrame));
            return new(frames, lost);
        }
    }
}

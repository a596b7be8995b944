namespace MemPrims.Records.Log;

/// <summary>
/// Copies the sound frames of a damaged log into a new one. Below the highest mark, a place without a sound frame has lost one, and what
/// follows is searched byte by byte. Above it nothing was acknowledged: the first such place is the end.
/// </summary>
internal static unsafe class LogSalvager
{
    public static LogSalvage Run(ILogFolder folder, LogFile to)
    {
        LogRow row = new(folder, LogFileOptions.Default.FileBytes);
        try
        {
            row.LoadDamaged();
            return Copy(row, to);
        }
        finally
        {
            row.Close();
        }
    }

    private static LogSalvage Copy(LogRow row, LogFile to)
    {
        LogWindow window = new();
        long onDisk = 0, frames = 0, lostFrom = -1;
        LogScan.Headers(row, row.Start, (_, frame) => onDisk = Math.Max(onDisk, frame.OnDisk));
        List<LogRange> lost = [];
        long at = row.Start;
        foreach (LogPart part in row.Parts)
        {
            // A file that is missing between two others.
            if (part.First > at && lostFrom < 0) lostFrom = at;
            long limit = Math.Min(part.End, part.FileEnd);
            for (at = lostFrom < 0 ? at : part.First; at + LogFrame.HeaderBytes <= limit; at += LogFrame.Alignment)
            {
                at = Math.Max(at, part.FirstFrame);
                for (; window.TryRead(row, part, at, limit, out LogFrame frame, out ReadOnlySpan<byte> payload); at += frame.Size)
                {
                    if (lostFrom >= 0) lost.Add(new(lostFrom, at));
                    lostFrom = -1;
                    if (frame.Length < 0) continue;
                    to.Append(payload);
                    frames++;
                }
                if (at == part.End) break;
                if (lostFrom < 0) lostFrom = at;
                if (lostFrom >= onDisk)
                {
                    // How long the file was that followed nobody knows. It had its header.
                    if (part == row.Last && window.Read(part, at, LogFrame.HeaderBytes, out byte* bytes) >= LogFrame.HeaderBytes
                        && LogFrame.IsContinuation(bytes, at, row.Seed)) onDisk = at + LogFileHeader.Bytes;
                    return Finish();
                }
                if (window.Read(part, at, LogFrame.HeaderBytes, out _) < LogFrame.HeaderBytes)
                    at = LogWindow.NextPage(part, at) - LogFrame.Alignment;
            }
        }
        return Finish();

        LogSalvage Finish()
        {
            to.Sync();
            if (lostFrom >= 0 && lostFrom < onDisk) lost.Add(new(lostFrom, onDisk));
            return new(frames, lost);
        }
    }
}

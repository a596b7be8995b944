namespace MemPrims.Records.Log;

// What a writer does with a log before it goes on. Rot is told, and nothing is changed then. Else what was never acknowledged is cut off:
// later files are deleted, the rest of the last one is zeroed, so that no frame of this life comes back in the next. What no mark covers
// is written again, because a kernel whose sync failed takes pages for clean that never reached the disk. Then all is synced.
internal static class LogOpening
{
    public static LogScan Run(LogSegments log, Durability durability, out LogRecovery recovery)
    {
        LogScan scan = LogScan.Of(log);
        if (scan.IsContinued) throw LogErrors.FileGone(log.Folder.Path, scan.End);
        if (scan.HasRotted()) throw LogErrors.Rotten(log.Folder.Path, scan.End);
        // A file that was made before a crash may have its name in memory only.
        log.Folder.Sync();
        long cut = DropLaterFiles(log, scan.End) + ZeroTheRest(log.Last, scan.End);
        if (durability == Durability.PowerLoss) WriteAgain(log, scan.OnDisk, scan.End);
        // Frames of a copy may lie in holes. They are read through maps from now on.
        foreach (LogSegment segment in log.All) segment.Storage.FillHoles(0, Math.Min(segment.End, scan.End) - segment.First);
        recovery = new(scan.Frames, cut, cut == 0 && scan.EndsClosed,
            cut == 0 ? null : $"no whole frame begins at {scan.End}, and no mark says that anything from there on was acknowledged");
        return scan;
    }

    private static long DropLaterFiles(LogSegments log, long end)
    {
        long cut = 0;
        for (; log.Last.First > end; log.DropLast()) cut += log.Last.Storage.Length;
        return cut;
    }

    private static unsafe long ZeroTheRest(LogSegment segment, long end)
    {
        long dirtyEnd = end;
        LogWindow window = new();
        foreach ((long start, long until) in segment.Storage.DataParts())
        {
            long from = Math.Max(end, segment.First + start), to = segment.First + until;
            for (long at = from, next; at < to; at = next)
            {
                int there = window.Read(segment, at, 1, out byte* bytes);
                next = Math.Min(there > 0 ? at + there : LogWindow.NextPage(segment, at), to);
                int last = new ReadOnlySpan<byte>(bytes, there > 0 ? (int)(next - at) : 0).LastIndexOfAnyExcept((byte)0);
                if (there == 0) dirtyEnd = next;
                else if (last >= 0) dirtyEnd = at + last + 1;
            }
            // Over what reads as zeros too: where an earlier opening's sync failed, the disk may still have what they were to replace.
            WriteZeros(segment.Storage, from - segment.First, until);
        }
        return dirtyEnd - end;
    }

    public static void WriteZeros(IStorage storage, long from, long to)
    {
        if (from >= to) return;
        byte[] zeros = new byte[Math.Min(to - from, 1 << 16)];
        for (; from < to; from += zeros.Length) storage.Write(from, zeros.AsSpan(0, (int)Math.Min(zeros.Length, to - from)));
    }

    private static unsafe void WriteAgain(LogSegments log, long onDisk, long end)
    {
        LogWindow window = new();
        foreach (LogSegment segment in log.All)
        {
            long until = Math.Min(segment.End, end);
            // The last one has its zeros to sync, even where there is nothing to write again.
            if (until <= onDisk && segment != log.Last) continue;
            for (long at = Math.Max(onDisk, segment.FirstFrame); at < until;)
            {
                int there = (int)Math.Min(window.Read(segment, at, 1, out byte* bytes), until - at);
                if (there == 0)
                    throw new IOException($"{segment.Storage.Path} could be read a moment ago, and cannot at {at - segment.First}.");
                segment.Storage.Write(at - segment.First, new(bytes, there));
                at += there;
            }
            segment.Storage.Sync();
        }
    }
}

using MemPrims.Records.Storage;

namespace MemPrims.Records.Log;

/// <summary>
/// What a writer does with a log before it goes on. Rot is told, and nothing is changed then. Else what was never acknowledged is cut off:
/// later files are deleted, the rest of the last one is zeroed, so that no frame of this life comes back in the next. What no mark
/// covers is written again, because a kernel whose sync failed takes pages for clean that never reached the disk. Then all is synced.
/// </summary>
internal static class LogOpening
{
    public static LogScan Run(LogRow row, Durability durability, out LogRecovery recovery)
    {
        LogScan scan = LogScan.Of(row);
        if (scan.HasRotted()) throw LogErrors.Rotten(row.Folder.Path, scan.End);
        if (scan.IsContinued) throw LogErrors.FileGone(row.Folder.Path, scan.End);
        // A file that was made before a crash may have its name in memory only.
        row.Folder.Sync();
        long cut = DropLaterFiles(row, scan.End) + ZeroTheRest(row.Last, scan.End);
        if (durability == Durability.PowerLoss) WriteAgain(row, scan.OnDisk, scan.End);
        // Frames of a copy may lie in holes. They are read through maps from now on.
        foreach (LogPart part in row.Parts) part.Storage.FillHoles(0, Math.Min(part.End, scan.End) - part.First);
        recovery = new(scan.Frames, cut, cut == 0 && scan.EndsClosed,
            cut == 0 ? null : $"no whole frame begins at {scan.End}, and nothing from there on was acknowledged");
        return scan;
    }

    private static long DropLaterFiles(LogRow row, long end)
    {
        long cut = 0;
        for (; row.Last.First > end; row.DropLast()) cut += row.Last.Storage.Length;
        return cut;
    }

    private static unsafe long ZeroTheRest(LogPart part, long end)
    {
        long dirtyEnd = end;
        LogWindow window = new();
        foreach ((long start, long until) in part.Storage.DataParts())
        {
            long from = Math.Max(end, part.First + start), to = part.First + until;
            for (long at = from, next; at < to; at = next)
            {
                int there = window.Read(part, at, 1, out byte* bytes);
                next = Math.Min(there > 0 ? at + there : LogWindow.NextPage(part, at), to);
                int last = new ReadOnlySpan<byte>(bytes, there > 0 ? (int)(next - at) : 0).LastIndexOfAnyExcept((byte)0);
                if (there == 0) dirtyEnd = next;
                else if (last >= 0) dirtyEnd = at + last + 1;
            }
            // Over what reads as zeros too: where an earlier opening's sync failed, the disk may still have what they were to replace.
            WriteZeros(part.Storage, from - part.First, until);
        }
        return dirtyEnd - end;
    }

    public static void WriteZeros(IStorage storage, long from, long to)
    {
        if (from >= to) return;
        byte[] zeros = new byte[Math.Min(to - from, 1 << 16)];
        for (; from < to; from += zeros.Length) storage.Write(from, zeros.AsSpan(0, (int)Math.Min(zeros.Length, to - from)));
    }

    private static unsafe void WriteAgain(LogRow row, long onDisk, long end)
    {
        LogWindow window = new();
        foreach (LogPart part in row.Parts)
        {
            long until = Math.Min(part.End, end);
            // The last one has its zeros to sync, even where there is nothing to write again.
            if (until <= onDisk && part != row.Last) continue;
            for (long at = Math.Max(onDisk, part.FirstFrame); at < until;)
            {
                int there = (int)Math.Min(window.Read(part, at, 1, out byte* bytes), until - at);
                if (there == 0) throw new IOException($"{part.Storage.Path} could be read a moment ago, and cannot at {at - part.First}.");
                part.Storage.Write(at - part.First, new(bytes, there));
                at += there;
            }
            part.Storage.Sync();
        }
    }
}

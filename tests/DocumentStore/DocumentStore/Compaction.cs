using System.Globalization;
using Marks = DocumentStore.DocumentFrame.Marks;

namespace DocumentStore;

/// <summary>
/// Drops what is superseded: the documents that live in the older files of the log are written again at its end, and then these files go.
/// A crash in between leaves some documents twice, of which the later one counts. Threads: one.
/// </summary>
internal sealed class Compaction(LogFile log, KeyIndex keys, Changes changes, Worker worker, Pins pins, TimeSpan timeout)
{
    // Other changes wait for one slice at a time.
    private const int SliceBytes = 1 << 20, SliceFrames = 4096;

    // See the packages' LOG-FORMAT.md.
    private const int DigitsOfFile = 19;

    public void Run()
    {
        long before = FilesOf(log.FolderPath)[^1], position = log.Start;
        if (position >= before) return;
        while (position < before) changes.Make(() => position = Move(position, before));
        long end = log.SyncedEnd;
        // A worker whose saved indexes were older than the cut would look for what is gone. So one of them says that it has saved its own,
        // and the files go while no other one is started. Answers from before may lead to them: whoever has one has a pin.
        IpcChannel saved;
        do
        {
            saved = worker.Save(end, timeout);
            pins.Drain(timeout);
        }
        while (!worker.TryDo(saved, () => log.CutBefore(before)));
        worker.Feed();
    }

    /// <summary>Where the files of a log begin: their names tell.</summary>
    public static long[] FilesOf(string folder) => [.. Directory.GetFiles(folder, new string('?', DigitsOfFile) + ".log")
        .Select(static path => long.TryParse(Path.GetFileNameWithoutExtension(path), NumberStyles.None, null, out long first) ? first : -1)
        .Where(static first => first >= 0).Order()];

    /// <summary>Writes the living documents of a slice again.</summary>
    /// <returns>Where to go on.</returns>
    private long Move(long position, long before)
    {
        int bytes = 0, frames = 0;
        foreach (LogEntry entry in log.ReadFrom(position))
        {
            if (entry.Position >= before) return before;
            DocumentFrame frame = DocumentFrame.Decode(entry.Payload);
            if (keys.Find(frame.Key).Place == entry.Position)
            {
                DocumentFrame moved = new()
                {
                    Mark = Marks.First | Marks.Last | Marks.Moved, Id = frame.Id, Previous = entry.Position, Key = frame.Key,
                    Content = frame.Content,
                };
                log.Append(in moved);
                bytes += entry.Payload.Length;
            }
            if (bytes >= SliceBytes || ++frames == SliceFrames) return entry.Next;
        }
        return before;
    }
}

using MemPrims.Records;

namespace MemPrims.Guard;

/// <summary>A log of payloads of 100 bytes, in memory; the peer is a stream without checksums.</summary>
internal sealed class LogRows : IRows
{
    private const int Count = 4096, Synced = 64, Long = 64 << 20;
    private static readonly byte[] s_payload = new byte[100];

    public IEnumerable<Row> All =>
    [
        Of("append", Count, static log =>
        {
            for (int i = 0; i < Count; i++) log.Append(s_payload);
            return log.End;
        }),
        Of("append and sync", Synced, static log =>
        {
            for (int i = 0; i < Synced; i++)
            {
                log.Append(s_payload);
                log.Sync();
            }
            return log.SyncedEnd;
        }),
        Of("read all", Count, static log =>
        {
            if (log.End == log.Start) for (int i = 0; i < Count; i++) log.Append(s_payload);
            long sum = 0;
            foreach (LogEntry entry in log.ReadFrom(log.Start)) sum += entry.Payload.Length;
            return sum;
        }),
    ];

    private static Row Of(string name, int operations, Func<LogFile, long> batch) => new($"log: {name}", () =>
    {
        string folder = Places.NewFolder();
        LogFile log = LogFile.Create(folder);
        return new(operations, () => batch(log))
        {
            Redraw = () =>
            {
                Random.Shared.NextBytes(s_payload);
                if (log.End - log.Start > Long) log.CutBefore(log.End);
            },
            Close = () =>
            {
                log.Dispose();
                Directory.Delete(folder, recursive: true);
            },
        };
    });
}

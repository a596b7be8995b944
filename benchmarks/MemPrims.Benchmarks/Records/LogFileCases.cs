using System.Buffers.Binary;
using MemPrims.Benchmarks.Ratio;
using MemPrims.Benchmarks.Workloads;
using MemPrims.Records;

namespace MemPrims.Benchmarks.Records;

/// <summary>
/// <see cref="LogFile"/> against a log by hand, SQLite and LMDB, on the disk and in tmpfs. Payloads have 100 bytes. Logs that became
/// long are cut between the timed batches.
/// </summary>
public sealed class LogFileCases : IRatioCases
{
    private const int PayloadBytes = 100, Unsynced = 10_000, Synced = 100, Threads = 8, SyncsOfEach = 100;
    private const long Long = 256 << 20, Recovered = 1L << 30;

    private static readonly byte[] s_payload = [.. Enumerable.Range(1, PayloadBytes).Select(i => (byte)i)];

    public static IEnumerable<RatioCase> Cases()
    {
        foreach ((string place, string root) in Places.All)
        {
            yield return new("Records", $"log: append of {PayloadBytes} B without sync, {place}", () => Append(root));
            yield return new("Records", $"log: {Synced} appends and a sync, {place}", () => AppendAndSync(root));
            // In memory a sync costs nothing, and there is nothing to share.
            yield return new("Records", $"log: {Threads} threads, each append with its own sync, {place}", () =>
                Together(root, place == "disk" ? 3 : 0));
        }
        yield return new("Records", "log: read at a place, 10000 frames", () => Read(10_000));
        yield return new("Records", "log: read at a place, 100000 frames", () => Read(100_000));
        yield return new("Records", "log: recovery of 1 GiB, per KiB (954 ns are 1 GB/s)", Recover);
    }

    private static Contest Append(string root)
    {
        LogFile log = LogFile.Create(Places.NewFolder(root));
        StreamLog stream = new(Path.Combine(Places.NewFolder(root), "log"));
        return new(Unsynced, new("LogFile", () =>
        {
            for (int i = 0; i < Unsynced; i++) log.Append(s_payload);
            return log.End;
        }), new Contender("FileStream and a CRC loop", () =>
        {
            for (int i = 0; i < Unsynced; i++) stream.Append(s_payload);
            return stream.Length;
        }, 0.9))
        { Redraw = () => Cut(log, stream), Close = log.Dispose };
    }

    private static Contest AppendAndSync(string root)
    {
        LogFile log = LogFile.Create(Places.NewFolder(root));
        StreamLog stream = new(Path.Combine(Places.NewFolder(root), "log"));
        Sqlite sqlite = new(Path.Combine(Places.NewFolder(root), "log"), "WAL", "FULL");
        long id = 0;
        ulong key = 0;
        List<Contender> peers = [new("SQLite, blobs, WAL, FULL", () =>
        {
            sqlite.Begin();
            for (int i = 0; i < Synced; i++) sqlite.Put(++id, s_payload);
            sqlite.Commit();
            return id;
        }, 1.5), new("FileStream and fsync", () =>
        {
            for (int i = 0; i < Synced; i++) stream.Append(s_payload);
            stream.Sync();
            return stream.Length;
        }, 1)];
        if (LmdbLibrary.IsAvailable)
        {
            Lmdb lmdb = new(Path.Combine(Places.NewFolder(root), "log"), sync: true);
            peers.Add(new("LMDB, sync", () =>
            {
                lmdb.Write(transaction =>
                {
                    for (int i = 0; i < Synced; i++) lmdb.Put(transaction, ++key, s_payload);
                });
                return (long)key;
            }));
        }
        return new(1, new("LogFile", () =>
        {
            for (int i = 0; i < Synced; i++) log.Append(s_payload);
            log.Sync();
            return log.SyncedEnd;
        }), [.. peers])
        { Redraw = () => Cut(log, stream), Close = log.Dispose };
    }

    // The threads live on, so that none is started in the batch.
    private static Contest Together(string root, double atLeast)
    {
        LogFile shared = LogFile.Create(Places.NewFolder(root)), alone = LogFile.Create(Places.NewFolder(root));
        Barrier start = new(Threads + 1), end = new(Threads + 1);
        for (int thread = 0; thread < Threads; thread++)
        {
            new Thread(() =>
            {
                for (; ; end.SignalAndWait())
                {
                    start.SignalAndWait();
                    AppendEachWithSync(shared, SyncsOfEach);
                }
            })
            { IsBackground = true }.Start();
        }
        return new(Threads * SyncsOfEach, new($"{Threads} threads", () =>
        {
            start.SignalAndWait();
            end.SignalAndWait();
            return shared.SyncedEnd;
        }), new Contender("1 thread", () => AppendEachWithSync(alone, Threads * SyncsOfEach), atLeast));
    }

    private static Contest Read(int frames)
    {
        LogFile log = LogFile.Create(Places.NewFolder(Path.GetTempPath()));
        long[] places = [.. Enumerable.Range(0, frames).Select(_ => log.Append(s_payload))];
        log.Sync();
        const int stride = 8 + PayloadBytes;
        byte[] array = new byte[frames * stride];
        for (int i = 0; i < frames; i++)
        {
            BinaryPrimitives.WriteInt32LittleEndian(array.AsSpan(i * stride), PayloadBytes);
            BinaryPrimitives.WriteUInt32LittleEndian(array.AsSpan(i * stride + 4), StreamLog.Crc(s_payload));
            s_payload.CopyTo(array, i * stride + 8);
        }
        int[] ids = Places.RandomIds(frames), offsets = [.. Enumerable.Range(0, frames).Select(i => i * stride)];
        return new(ids.Length, new("LogFile", () =>
        {
            long sum = 0;
            foreach (int id in ids) sum += log.Read(places[id])[7];
            return sum;
        }), new Contender("span over an array, with its CRC loop", () =>
        {
            long sum = 0;
            foreach (int id in ids)
            {
                ReadOnlySpan<byte> frame = array.AsSpan(offsets[id]);
                ReadOnlySpan<byte> payload = frame.Slice(8, BinaryPrimitives.ReadInt32LittleEndian(frame));
                if (StreamLog.Crc(payload) != BinaryPrimitives.ReadUInt32LittleEndian(frame[4..])) throw new InvalidDataException();
                sum += payload[7];
            }
            return sum;
        }, 0.8), new Contender("span over an array, unchecked", () =>
        {
            long sum = 0;
            foreach (int id in ids)
            {
                ReadOnlySpan<byte> frame = array.AsSpan(offsets[id]);
                sum += frame.Slice(8, BinaryPrimitives.ReadInt32LittleEndian(frame))[7];
            }
            return sum;
        }))
        { Redraw = () => Random.Shared.Shuffle(ids), Close = log.Dispose };
    }

    private static Contest Recover()
    {
        string folder = Places.NewFolder(Path.GetTempPath()), file = Path.Combine(Places.NewFolder(Path.GetTempPath()), "log");
        using (LogFile log = LogFile.Create(folder))
            while (log.End < Recovered) log.Append(s_payload);
        using (StreamLog stream = new(file))
            while (stream.Length < Recovered) stream.Append(s_payload);
        return new(Recovered >> 10, new("LogFile, open", () =>
        {
            using LogFile log = LogFile.Open(folder);
            return log.Recovery.Frames;
        }), new Contender("FileStream and a CRC loop", () => StreamLog.ReadAll(file)))
        { Rounds = 3 };
    }

    private static long AppendEachWithSync(LogFile log, int count)
    {
        for (int i = 0; i < count; i++)
        {
            log.Append(s_payload);
            log.Sync();
        }
        return log.SyncedEnd;
    }

    private static void Cut(LogFile log, StreamLog stream)
    {
        if (log.End - log.Start > Long) log.CutBefore(log.End);
        if (stream.Length > Long) stream.Clear();
    }
}

namespace MemPrims.Records.Tests.Log;

// Lives of a log on one disk, each ended by a crash, and the claims that hold at every opening: what was acknowledged is there, what is
// there is a prefix of what was appended, nothing is called damage, and the model of LOG-FORMAT.md says the same.
internal sealed class LogHistory(int seed)
{
    private const int MostFrames = 30;

    private static readonly LogFileOptions s_options = new() { FileBytes = 4096, WriterTimeout = TimeSpan.Zero };

    private readonly Random _random = new(seed);
    private List<(long Position, byte[] Payload)> _appended = [];
    private byte[]? _inFlight;
    private int _acknowledged, _serial;
    private long _cut, _cutDone;

    public LogDisk Disk { get; } = new();

    // What a rule that is left out takes away.
    public Func<DiskOperation, bool> Drops { get; init; } = static _ => false;

    // How often an operation fails, of a thousand.
    public int Failures { get; init; }

    public static LogFile Open(LogDisk disk)
    {
        disk.Opens = true;
        LogFile log = new(new DiskFolder(disk), s_options, creates: true, opens: true);
        disk.Opens = false;
        return log;
    }

    // Opens, checks, and works until the operation with the number, which crashes. Null, or the claim that was broken. The answer in
    // `crashed`: whether there was such an operation.
    public string? Live(int crashAt, Fate how, out bool crashed)
    {
        Disk.Fate = operation =>
            operation.Number == crashAt ? how
            : Drops(operation) ? Fate.Dropped
            : _random.Next(1000) >= Failures ? Fate.Done
            : operation.Call == DiskCall.Write ? Fate.FailFull : Fate.Fail;
        crashed = false;
        try
        {
            LogModel.Outcome? model = Disk.Image() is { Count: > 0 } image ? LogModel.Recover(image) : null;
            LogFile log;
            try
            {
                log = Open(Disk);
            }
            catch (DamagedDataException e)
            {
                return $"told damage where there was none: {e.Message}";
            }
            if (Check(log, model) is { } broken) return broken;
            Work(log);
            if (_random.Next(3) == 0)
            {
                log.Dispose();
                if (!Disk.IsDead && log.SyncedEnd == log.End) _acknowledged = _appended.Count;
            }
        }
        catch (Exception) when (Disk.IsDead)
        {
            crashed = true;
        }
        catch (MappedFileException e) when (Failures > 0 && e.Reason is MappedFileReason.Full or MappedFileReason.IoError
            or MappedFileReason.Poisoned)
        { }
        catch (Exception e)
        {
            return $"an error that nothing calls for: {e}";
        }
        return null;
    }

    private string? Check(LogFile log, LogModel.Outcome? model)
    {
        List<(long Position, byte[] Payload)> found = [];
        foreach (LogEntry entry in log.ReadFrom()) found.Add((entry.Position, entry.Payload.ToArray()));
        if (model is { IsDamaged: true }) return "the model tells damage";
        if (model is not null && !Same(model.Frames, found)) return "the model has other frames";
        List<(long Position, byte[] Payload)> expected = [.. _appended.Where(f => f.Position >= log.Start)];
        if (_inFlight is not null && found.Count == expected.Count + 1 && found[^1].Payload.AsSpan().SequenceEqual(_inFlight))
            expected.Add(found[^1]);
        if (_appended.Take(_acknowledged).Any(f => f.Position >= _cut && f.Position < log.Start))
            return "a cut took what stands behind it";
        if (_cutDone > log.End) return "the log ends before the place where it was cut";
        if (found.Count < _appended.Take(_acknowledged).Count(f => f.Position >= log.Start)) return "acknowledged frames are lost";
        if (found.Count > expected.Count || !Same(expected[..found.Count], found)) return "no prefix of what was appended";
        foreach ((long position, byte[] payload) in found)
            if (!log.Read(position).SequenceEqual(payload)) return "a frame reads otherwise at its place";
        (_appended, _acknowledged, _inFlight) = (found, found.Count, null);
        _cut = _cutDone = log.Start;
        return null;
    }

    private void Work(LogFile log)
    {
        for (int left = _random.Next(1, MostFrames); left > 0; left--)
        {
            try
            {
                switch (_random.Next(20))
                {
                    case < 13:
                        Append(log);
                        break;
                    case < 19:
                        log.Sync();
                        _acknowledged = _appended.Count;
                        break;
                    default:
                        if (_appended.Count == 0) break;
                        long place = _appended[_random.Next(_appended.Count)].Position;
                        _cut = Math.Max(_cut, place);
                        log.CutBefore(place);
                        _cutDone = Math.Max(_cutDone, place);
                        break;
                }
            }
            catch (MappedFileException e) when (Failures > 0 && e.Reason is MappedFileReason.Full or MappedFileReason.IoError) { }
        }
    }

    private void Append(LogFile log)
    {
        int length = _random.Next(12) switch { 0 => 0, < 4 => 5, < 8 => 40, < 11 => 700, _ => 6000 };
        byte[] payload = new byte[length];
        Array.Fill(payload, (byte)++_serial);
        _inFlight = payload;
        long position = log.Append(payload);
        _inFlight = null;
        _appended.Add((position, payload));
    }

    private static bool Same(IReadOnlyList<(long Position, byte[] Payload)> a, IReadOnlyList<(long Position, byte[] Payload)> b) =>
        a.Count == b.Count && a.Zip(b).All(p => p.First.Position == p.Second.Position
            && p.First.Payload.AsSpan().SequenceEqual(p.Second.Payload));
}

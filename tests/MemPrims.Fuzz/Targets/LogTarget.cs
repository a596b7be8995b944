using MemPrims.Records;
using MemPrims.Records.Tests.Log;
using static MemPrims.Fuzz.WrongAnswerException;

namespace MemPrims.Fuzz;

/// <summary>
/// The folder of a log. An input is a row of steps that write its files: frames under right checksums, whose lengths and marks may lie,
/// and bytes of any kind. The head says where the log begins. The model is a reader that was written from LOG-FORMAT.md.
/// </summary>
internal sealed class LogTarget : Target
{
    private const int MostFiles = 6, MostBytes = 1 << 16;

    private static readonly byte[] s_id = [1, 2, 3, 4, 5, 6, 7, 8];

    private static readonly LogFileOptions s_options = new() { FileBytes = 4096, Durability = Durability.ProcessCrash };

    private readonly string _folder = Ram.Path("log"), _salvaged = Ram.Path("salvaged-log");

    public override string Name => "log";

    public override int Rounds => 1_200;

    public override bool BeginsSettled => true;

    private static long FirstOf(byte head) => (head % 6) switch
    {
        0 => 0,
        1 => 4096,
        2 => (1L << 31) - 64,
        3 => 1L << 40,
        4 => 72,
        _ => (1L << 61) - 4096,
    };

    public override IEnumerable<byte[]> Seeds()
    {
        byte[] frames = [0, 5, 0, 0, 200, 255, 1, 255, 0, 0, 255], closed = [2, 255];
        yield return [0];
        for (byte first = 0; first < 6; first++) yield return [first, .. frames, .. closed];
        yield return [0, .. frames, 5, .. frames, 5, .. frames, .. closed];
        yield return [0, .. frames, 3, 9, .. frames, .. closed];
        yield return [0, .. frames, 4, 3, 9, 9, 9, 0, 7, 10];
        yield return [0, .. frames, 7, 40, 1, .. frames];
        yield return [0, .. frames, 6, 1, .. frames];
        yield return [0, .. frames, 8, 255, 255, 255, 127, 0, .. frames];
    }

    public override void Run(ReadOnlySpan<byte> head, GuardedInput input)
    {
        List<(long First, byte[] Bytes)> files = Made(FirstOf(head[0]), input.Span);
        Write(files);
        // Of a file whose header is damaged the model makes nothing.
        bool hasHeaders = files.All(static file => file.Bytes.AsSpan().StartsWith(Header(file.First)));
        LogModel.Outcome? model = hasHeaders ? LogModel.Recover(files) : null;
        (long, byte[])[]? beside = Read(() => LogFile.OpenRead(_folder, s_options), out string? whyBeside);
        Salvage(model);
        (long, byte[])[]? read = Read(() => LogFile.Open(_folder, s_options), out string? why);
        if (model is null) return;
        Unless(model.IsDamaged == (read is null) && model.IsDamaged == (beside is null),
            $"damaged: {model.IsDamaged}, at {model.End}; to who writes: {why}; to who reads: {whyBeside}");
        if (read is null) return;
        Unless(Same(read, model.Frames) && Same(beside!, model.Frames), "other frames than there are");
        Unless(Read(() => LogFile.Open(_folder, s_options), out _) is { } again && Same(again, model.Frames),
            "other frames after an opening");
    }

    // Steps: 0 a frame: its length, its mark. 1, 2 a frame of a sync or a close: its mark. 3 zeros. 4 bytes. 5 a file that goes on,
    // 6 one that leaves a gap. 7 a bit of what was written. 8 a frame that lies about its length: the length, its mark.
    private static List<(long First, byte[] Bytes)> Made(long first, ReadOnlySpan<byte> steps)
    {
        List<(long, List<byte>)> files = [];
        long begun = first;
        int total = 0;
        Begin(first);
        while (Next(ref steps) is { } step && total < MostBytes)
        {
            (long at, List<byte> file) = files[^1];
            long place = at + file.Count;
            int before = file.Count;
            switch (step % 9)
            {
                case 0:
                    byte[] payload = new byte[Next(ref steps) ?? 0];
                    payload.AsSpan().Fill((byte)payload.Length);
                    file.AddRange(LogModel.Frame(s_id, place, Mark(ref steps), payload));
                    break;
                case 1:
                case 2:
                    file.AddRange(LogModel.Frame(s_id, place, Mark(ref steps), [], step % 9 == 1 ? -1 : -2));
                    break;
                case 3:
                    file.AddRange(new byte[8 * (Next(ref steps) ?? 1)]);
                    break;
                case 4:
                    for (int bytes = Next(ref steps) ?? 0; bytes > 0; bytes--) file.Add(Next(ref steps) ?? 0);
                    break;
                case 5:
                case 6:
                    if (files.Count < MostFiles) Begin(place + (step % 9 == 5 ? 0 : 8 * (Next(ref steps) ?? 0)));
                    break;
                case 7:
                    int back = (Next(ref steps) ?? 0) + 256 * ((Next(ref steps) ?? 0) % 4);
                    if (back < file.Count) file[^(back + 1)] ^= 1;
                    break;
                case 8:
                    int length = 0;
                    for (int shift = 0; shift < 32; shift += 8) length |= (Next(ref steps) ?? 0) << shift;
                    file.AddRange(LogModel.Frame(s_id, place, Mark(ref steps), [], length));
                    break;
            }
            total += Math.Max(0, file.Count - before);

            // From the log's first byte to this place; the greatest byte is the place itself, and the one before it beyond.
            long Mark(ref ReadOnlySpan<byte> from) => (Next(ref from) ?? 0) switch
            {
                255 => place,
                254 => place + 64,
                byte part => begun + (place - begun) / 256 * part,
            };
        }
        return [.. files.Select(static file => (file.Item1, file.Item2.ToArray()))];

        void Begin(long position) => files.Add((position, [.. Header(position)]));

        static byte? Next(ref ReadOnlySpan<byte> from)
        {
            if (from.IsEmpty) return null;
            byte next = from[0];
            from = from[1..];
            return next;
        }
    }

    private static byte[] Header(long first)
    {
        byte[] header = [0x89, .. "MPLOG01"u8, .. s_id, .. BitConverter.GetBytes(first), 1, 0, 0, 0];
        return [.. header, .. BitConverter.GetBytes(Checksum.Crc32C(header)), .. new byte[32]];
    }

    private void Write(List<(long First, byte[] Bytes)> files)
    {
        foreach (string folder in (string[])[_folder, _salvaged])
            if (Directory.Exists(folder)) Directory.Delete(folder, recursive: true);
        Directory.CreateDirectory(_folder);
        foreach ((long first, byte[] bytes) in files) File.WriteAllBytes(Path.Combine(_folder, $"{first:D19}.log"), bytes);
    }

    private static (long, byte[])[]? Read(Func<LogFile> open, out string? why)
    {
        why = null;
        try
        {
            using LogFile log = open();
            log.Verify();
            List<(long, byte[])> frames = [];
            foreach (LogEntry entry in log.ReadFrom()) frames.Add((entry.Position, entry.Payload.ToArray()));
            foreach ((long position, byte[] payload) in frames) Unless(log.Read(position).SequenceEqual(payload), "a frame at its place");
            return [.. frames];
        }
        catch (Exception e) when (e is DamagedDataException or MappedFileException)
        {
            why = e.Message;
            return null;
        }
    }

    private void Salvage(LogModel.Outcome? model)
    {
        try
        {
            LogSalvage report = LogFile.Salvage(_folder, _salvaged, s_options);
            using LogFile saved = LogFile.OpenRead(_salvaged, s_options);
            long frames = 0;
            foreach (LogEntry _ in saved.ReadFrom()) frames++;
            Unless(frames == report.Frames, $"{report.Frames} frames were saved, and {frames} are there");
            if (model is { IsDamaged: false })
                // It takes sound frames behind the log's end, too.
                Unless(frames >= model.Frames.Count, $"{frames} of {model.Frames.Count} were saved");
        }
        catch (Exception e) when (e is DamagedDataException or MappedFileException)
        {
            Unless(model is null or { IsDamaged: true }, "a sound log cannot be salvaged");
        }
    }

    private static bool Same((long, byte[])[] read, IReadOnlyList<(long Position, byte[] Payload)> frames) =>
        read.Length == frames.Count && read.Zip(frames).All(static pair =>
            pair.First.Item1 == pair.Second.Position && pair.First.Item2.AsSpan().SequenceEqual(pair.Second.Payload));
}

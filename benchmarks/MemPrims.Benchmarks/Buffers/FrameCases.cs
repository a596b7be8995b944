using System.Buffers;
using MemPrims.Benchmarks.Ratio;
using MemPrims.Buffers;

namespace MemPrims.Benchmarks.Buffers;

/// <summary>
/// Frames of 4 KiB, 256 of them: written and read, against a copy of the same bytes and a CRC-32C of them, which no log can do without.
/// </summary>
public sealed class FrameCases : IRatioCases
{
    public static IEnumerable<RatioCase> Cases()
    {
        const string group = "Frames of 4 KiB";
        yield return new(group, "write", () => Of(w => new("Frame.Write", w.Write), w => new("memcpy and CRC", w.CopyAndSum, 0.8)));
        yield return new(group, "write by appender", () => Of(w => new("Appender.WriteFrame", w.Append), w => new("memcpy and CRC",
            w.CopyAndSum, 0.8)));
        yield return new(group, "read where it lies", () => Of(w => new("Frame.Read", w.Read), w => new("memcpy and CRC", w.CopyAndSum,
            0.8)));
        yield return new(group, "read from a stream", () => Of(w => new("FrameReader", w.ReadStream), w => new("memcpy and CRC",
            w.CopyAndSum, 0.8)));
    }

    private static Contest Of(Func<FrameWork, Contender> ours, Func<FrameWork, Contender> peer)
    {
        FrameWork work = new();
        return new(FrameWork.Count, ours(work), peer(work));
    }
}

public sealed class FrameWork
{
    public const int Count = 256;
    private const int Payload = 4096, Size = Frame.HeaderSize + Payload;

    private readonly byte[] _source = new byte[Count * Payload], _log = new byte[Count * Size], _written = new byte[Count * Size];
    private readonly SegmentList _list = new();
    private readonly MemoryStream _stream;

    public FrameWork()
    {
        new Random(5).NextBytes(_source);
        Write();
        _written.CopyTo(_log, 0);
        _stream = new(_log);
    }

    public long Write()
    {
        int at = 0;
        for (int i = 0; i < Count; i++) at += Frame.Write(_written.AsSpan(at), _source.AsSpan(i * Payload, Payload), at);
        return at;
    }

    public long Append()
    {
        _list.Clear();
        using Appender to = new(_list);
        for (int i = 0; i < Count; i++) to.WriteFrame(_source.AsSpan(i * Payload, Payload), to.Position);
        to.Commit();
        return _list.Length;
    }

    public long Read()
    {
        int at = 0;
        long sum = 0;
        for (int i = 0; i < Count; i++)
        {
            if (Frame.Read(_log.AsSpan(at), at, out ReadOnlySpan<byte> payload, out int consumed) != OperationStatus.Done)
                throw new InvalidOperationException();
            sum += payload[^1];
            at += consumed;
        }
        return sum;
    }

    public long ReadStream()
    {
        _stream.Position = 0;
        using FrameReader log = new(_stream);
        long sum = 0;
        while (log.Read(out ReadOnlySpan<byte> payload) == FrameStatus.Frame) sum += payload[^1];
        return sum;
    }

    public long CopyAndSum()
    {
        long sum = 0;
        for (int i = 0; i < Count; i++)
        {
            ReadOnlySpan<byte> source = _source.AsSpan(i * Payload, Payload);
            Span<byte> copy = _written.AsSpan(i * Size, Payload);
            Block.Copy(copy, source);
            sum += Checksum.Crc32C(copy);
        }
        return sum;
    }
}

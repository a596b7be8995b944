using System.Buffers;
using MemPrims.Benchmarks.Ratio;
using MemPrims.Buffers;

namespace MemPrims.Benchmarks.Buffers;

/// <summary>
/// Frames of 4 KiB and of about 100 bytes, drawn anew before every timed batch: written and read, against a copy of the same bytes and a
/// CRC-32C of them, which no log can do without. All of it lies in the second cache. A frame that is read where it lies needs no copy, so
/// its peer is the CRC alone.
/// </summary>
public sealed class FrameCases : IRatioCases
{
    public static IEnumerable<RatioCase> Cases()
    {
        foreach ((string group, int payload, int count) in new[] { ("Frames of 4 KiB", 4096, 64), ("Frames of 60 to 140 bytes", 0, 1024) })
        {
            double bound = payload == 4096 ? 0.8 : 0;
            Contest Of(Func<FrameWork, Contender> ours, Func<FrameWork, Contender[]> peers)
            {
                FrameWork work = new(count, payload);
                return new(count, ours(work), peers(work)) { Redraw = work.Redraw };
            }

            Contender[] CopyAndSum(FrameWork w) => [new("memcpy and CRC", w.CopyAndSum, bound), new("the header too, by hand", w.ByHand)];
            yield return new(group, "write", () => Of(w => new("Frame.Write", w.Write), CopyAndSum));
            yield return new(group, "write by appender", () => Of(w => new("Appender.WriteFrame", w.Append), CopyAndSum));
            yield return new(group, "read where it lies", () => Of(w => new("Frame.Read", w.Read), w => [new("CRC alone", w.Sum, bound)]));
            yield return new(group, "read from an array", () => Of(w => new("FrameReader", w.ReadMemory), w =>
                [new("CRC alone", w.Sum), new("Frame.Read", w.Read)]));
            yield return new(group, "read from a stream", () => Of(w => new("FrameReader", w.ReadStream), w =>
                [new("memcpy and CRC", w.CopyAndSum, bound)]));
        }
    }
}

public sealed class FrameWork
{
    private readonly int _payload;
    private readonly int[] _lengths;
    private readonly byte[] _source, _log, _written;
    private readonly SegmentList _list = new();
    private readonly Random _random = new(5);
    private MemoryStream _stream = new();
    private int _total;

    public FrameWork(int count, int payload)
    {
        _payload = payload;
        _lengths = new int[count];
        int most = count * (payload == 0 ? 140 : payload);
        _source = new byte[most];
        _log = new byte[most + count * Frame.HeaderSize];
        _written = new byte[_log.Length];
        Redraw();
    }

    public void Redraw()
    {
        _random.NextBytes(_source);
        foreach (ref int length in _lengths.AsSpan()) length = _payload == 0 ? _random.Next(60, 141) : _payload;
        _total = (int)Write();
        _written.AsSpan(0, _total).CopyTo(_log);
        _stream = new(_log, 0, _total);
    }

    public long Write()
    {
        int at = 0, from = 0;
        foreach (int length in _lengths)
        {
            at += Frame.Write(_written.AsSpan(at), _source.AsSpan(from, length), at);
            from += length;
        }
        return at;
    }

    public long Append()
    {
        _list.Clear();
        using Appender to = new(_list);
        int from = 0;
        long at = 0;
        foreach (int length in _lengths)
        {
            at += to.WriteFrame(_source.AsSpan(from, length), at);
            from += length;
        }
        to.Commit();
        return _list.Length;
    }

    public long Read()
    {
        int at = 0;
        long sum = 0;
        while (at < _total)
        {
            if (Frame.Read(_log.AsSpan(at, _total - at), at, out ReadOnlySpan<byte> payload, out int consumed) != OperationStatus.Done)
                throw new InvalidOperationException();
            sum += payload[^1];
            at += consumed;
        }
        return sum;
    }

    public long ReadMemory()
    {
        using FrameReader log = new(_log.AsMemory(0, _total));
        return Drain(log);
    }

    public long ReadStream()
    {
        _stream.Position = 0;
        using FrameReader log = new(_stream);
        return Drain(log);
    }

    public long Sum()
    {
        int at = 0;
        long sum = 0;
        foreach (int length in _lengths)
        {
            sum += Checksum.Crc32C(_log.AsSpan(at + Frame.HeaderSize, length));
            at += Frame.HeaderSize + length;
        }
        return sum;
    }

    public long CopyAndSum()
    {
        long sum = 0;
        int at = 0, from = 0;
        foreach (int length in _lengths)
        {
            Span<byte> copy = _written.AsSpan(at, length);
            Block.Copy(copy, _source.AsSpan(from, length));
            sum += Checksum.Crc32C(copy);
            at += Frame.HeaderSize + length;
            from += length;
        }
        return sum;
    }

    // What an engineer writes who has only the checksum.
    public long ByHand()
    {
        int at = 0, from = 0;
        foreach (int length in _lengths)
        {
            Span<byte> frame = _written.AsSpan(at, Frame.HeaderSize + length);
            _source.AsSpan(from, length).CopyTo(frame[Frame.HeaderSize..]);
            System.Buffers.Binary.BinaryPrimitives.WriteInt32LittleEndian(frame, length);
            System.Buffers.Binary.BinaryPrimitives.WriteInt64LittleEndian(frame[8..], at);
            uint sum = Checksum.Crc32C(Checksum.Crc32C(frame[..4]), frame[8..]);
            System.Buffers.Binary.BinaryPrimitives.WriteUInt32LittleEndian(frame[4..], sum);
            at += frame.Length;
            from += length;
        }
        return at;
    }

    private static long Drain(FrameReader log)
    {
        long sum = 0;
        while (log.Read(out ReadOnlySpan<byte> payload) == FrameStatus.Frame) sum += payload[^1];
        return sum;
    }
}

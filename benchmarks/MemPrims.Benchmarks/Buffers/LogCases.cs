using System.Buffers;
using System.Text;
using MemPrims.Benchmarks.Ratio;
using MemPrims.Buffers;
using MemPrims.Codecs;

namespace MemPrims.Benchmarks.Buffers;

/// <summary>
/// A log of mixed records, drawn anew before every timed batch: written, and its texts read. The strong peers are by
/// hand: one span for each record, from an ArrayBufferWriter or a pooled array.
/// </summary>
public sealed class LogCases : IRatioCases
{
    public static IEnumerable<RatioCase> Cases()
    {
        const string records = "Records of ten mixed fields, a text among them", texts = "Texts";
        Contender[] ByHand(LogWork w) => [new("one GetSpan a record", w.ByOneSpan), new("pooled array", w.ByPooledArray),
            new("BinaryWriter", w.ByBinaryWriter)];
        yield return new(records, "Appender", () => Of(w => new("Appender", w.ByAppender), ByHand));
        yield return new(records, "ReservedAppender", () => Of(w => new("ReservedAppender", w.ByReserved), ByHand));
        yield return new(records, "SegmentList.Append", () => Of(w => new("SegmentList.Append", w.ByAppend), ByHand));
        yield return new(records, "an appender a record", () => Of(w => new("Appender", w.ByAppenderEach), ByHand));
        yield return new(texts, "WriteText", () => Of(w => new("Appender", w.Texts), w => [new("Encoding.GetBytes", w.TextsByHand)]));
        yield return new(texts, "ReadText", () => Of(w => new("SpanReader", w.ReadTexts), w =>
            [new("Encoding.GetString, which accepts anything", w.ReadTextsByHand), new("one that throws", w.ReadTextsStrictly)]));
    }

    private static Contest Of(Func<LogWork, Contender> ours, Func<LogWork, Contender[]> peers)
    {
        LogWork work = new();
        return new(LogWork.Count, ours(work), peers(work)) { Redraw = work.Redraw };
    }
}

public sealed class LogWork
{
    public const int Count = 4096;
    private const int MostBytes = 256;

    private static readonly UTF8Encoding s_throwing = new(false, true);

    private readonly LogEntry[] _entries = new LogEntry[Count];
    private readonly Random _random = new(17);
    private readonly SegmentList _list = new();
    private readonly ArrayBufferWriter<byte> _writer = new(Count * MostBytes);
    private readonly byte[] _array = ArrayPool<byte>.Shared.Rent(Count * MostBytes);
    private readonly MemoryStream _stream = new(Count * MostBytes);
    private readonly BinaryWriter _binary;
    private byte[] _texts = [];

    public LogWork()
    {
        _binary = new(_stream, Encoding.UTF8);
        Redraw();
        ByPooledArray();
        foreach (Func<long> way in new Func<long>[] { ByAppender, ByReserved, ByAppend, ByAppenderEach })
            if (way() is var length && !_list.ToArray().AsSpan().SequenceEqual(_array.AsSpan(0, (int)length)))
                throw new InvalidOperationException("The writers disagree.");
    }

    public void Redraw()
    {
        foreach (ref LogEntry entry in _entries.AsSpan()) entry = LogEntry.Draw(_random);
        Texts();
        _texts = _list.ToArray();
    }

    public long ByAppender()
    {
        _list.Clear();
        using Appender to = new(_list);
        foreach (ref readonly LogEntry entry in _entries.AsSpan())
        {
            to.Write(entry.Time);
            to.Write(entry.Id);
            to.Write(entry.Shard);
            to.WriteVarint(entry.Delta);
            to.WriteVarint(entry.Table);
            to.WriteZigZag(entry.Balance);
            to.Write(entry.Value);
            to.Write(entry.Flags);
            to.WriteText(entry.Key);
            to.Write(entry.Operation);
        }
        to.Commit();
        return _list.Length;
    }

    public long ByReserved()
    {
        _list.Clear();
        using ReservedAppender to = new(_list, Count * MostBytes);
        foreach (ref readonly LogEntry entry in _entries.AsSpan())
        {
            to.Write(entry.Time);
            to.Write(entry.Id);
            to.Write(entry.Shard);
            to.WriteVarint(entry.Delta);
            to.WriteVarint(entry.Table);
            to.WriteZigZag(entry.Balance);
            to.Write(entry.Value);
            to.Write(entry.Flags);
            to.WriteText(entry.Key);
            to.Write(entry.Operation);
        }
        to.Commit();
        return _list.Length;
    }

    public long ByAppend()
    {
        _list.Clear();
        foreach (ref readonly LogEntry entry in _entries.AsSpan()) _list.Append(in entry);
        return _list.Length;
    }

    public long ByAppenderEach()
    {
        _list.Clear();
        foreach (ref readonly LogEntry entry in _entries.AsSpan())
        {
            using Appender to = new(_list);
            to.Append(in entry);
            to.Commit();
        }
        return _list.Length;
    }

    public long ByOneSpan()
    {
        _writer.ResetWrittenCount();
        foreach (ref readonly LogEntry entry in _entries.AsSpan()) _writer.Advance(entry.WriteTo(_writer.GetSpan(LogEntry.Bound(entry))));
        return _writer.WrittenCount;
    }

    public long ByPooledArray()
    {
        int at = 0;
        foreach (ref readonly LogEntry entry in _entries.AsSpan())
        {
            if (_array.Length - at < LogEntry.Bound(entry)) throw new InvalidOperationException();
            at += entry.WriteTo(_array.AsSpan(at));
        }
        return at;
    }

    public long ByBinaryWriter()
    {
        _stream.Position = 0;
        Span<byte> id = stackalloc byte[16];
        foreach (ref readonly LogEntry entry in _entries.AsSpan())
        {
            _binary.Write(entry.Time);
            entry.Id.TryWriteBytes(id);
            _binary.Write(id);
            _binary.Write(entry.Shard);
            _binary.Write7BitEncodedInt64((long)entry.Delta);
            _binary.Write7BitEncodedInt64((long)entry.Table);
            _binary.Write7BitEncodedInt64((long)Varint.ZigZag(entry.Balance));
            _binary.Write(entry.Value);
            _binary.Write(entry.Flags);
            _binary.Write(entry.Key);
            _binary.Write(entry.Operation);
        }
        return _stream.Position;
    }

    public long Texts()
    {
        _list.Clear();
        using Appender to = new(_list);
        foreach (ref readonly LogEntry entry in _entries.AsSpan()) to.WriteText(entry.Key);
        to.Commit();
        return _list.Length;
    }

    public long TextsByHand()
    {
        int at = 0;
        foreach (ref readonly LogEntry entry in _entries.AsSpan())
        {
            int size = Encoding.UTF8.GetBytes(entry.Key, _array.AsSpan(at + 1));
            _array[at] = (byte)size;
            at += 1 + size;
        }
        return at;
    }

    public long ReadTexts()
    {
        SpanReader from = new(_texts);
        long sum = 0;
        while (from.Remaining > 0) sum += from.ReadText().Length;
        return sum;
    }

    public long ReadTextsByHand() => ReadTexts(Encoding.UTF8);

    public long ReadTextsStrictly() => ReadTexts(s_throwing);

    private long ReadTexts(Encoding encoding)
    {
        long sum = 0;
        for (int at = 0; at < _texts.Length; at += 1 + _texts[at]) sum += encoding.GetString(_texts, at + 1, _texts[at]).Length;
        return sum;
    }
}

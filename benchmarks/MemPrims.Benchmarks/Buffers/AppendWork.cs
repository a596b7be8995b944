using System.Buffers.Binary;
using CommunityToolkit.HighPerformance.Buffers;
using MemPrims.Buffers;

namespace MemPrims.Benchmarks.Buffers;

/// <summary>
/// The batches: each appends 32,768 numbers or messages to a writer that was filled before, so that no memory is new. A case
/// draws the first number, or all messages, anew before every timed batch.
/// </summary>
public sealed unsafe class AppendWork
{
    public const int Count = 32_768;
    private const int Bytes = Count * sizeof(ulong);

    private readonly byte[] _memory = GC.AllocateArray<byte>(Bytes, pinned: true);
    private readonly SegmentList _list = new();
    private readonly ArrayPoolBufferWriter<byte> _pooled = new(Bytes);
    private readonly MemoryStream _stream = new(Bytes);
    private readonly BinaryWriter _writer;
    private readonly Reading[] _readings = new Reading[Count];
    private readonly Order[] _orders = new Order[Count];
    private readonly Random _random = new(11);
    private ulong _first;

    public AppendWork()
    {
        _writer = new(_stream);
        RedrawMessages();
    }

    public void RedrawNumbers() => _first = (ulong)_random.NextInt64(1L << 62);

    public void RedrawMessages()
    {
        foreach (ref Reading reading in _readings.AsSpan()) reading = new(_random.Next());
        foreach (ref Order order in _orders.AsSpan()) order = new(_random.Next(), _random.Next(6, 41));
    }

    public long Appender()
    {
        _list.Clear();
        Appender to = new(_list);
        for (ulong i = _first, end = i + Count; i < end; i++) to.Write(i);
        to.Commit();
        return _list.Length;
    }

    public long AppenderByUsing()
    {
        _list.Clear();
        using (Appender to = new(_list))
        {
            for (ulong i = _first, end = i + Count; i < end; i++) to.Write(i);
            to.Commit();
        }
        return _list.Length;
    }

    public long Reserved()
    {
        _list.Clear();
        ReservedAppender to = new(_list, Bytes);
        for (ulong i = _first, end = i + Count; i < end; i++) to.Write(i);
        to.Commit();
        return _list.Length;
    }

    public long ReservedByUsing()
    {
        _list.Clear();
        using (ReservedAppender to = new(_list, Bytes))
        {
            for (ulong i = _first, end = i + Count; i < end; i++) to.Write(i);
            to.Commit();
        }
        return _list.Length;
    }

    public long Unsafe()
    {
        _list.Clear();
        UnsafeAppender to = new(_list, Bytes);
        for (ulong i = _first, end = i + Count; i < end; i++) to.Write(i);
        to.Commit();
        return _list.Length;
    }

    public long UnsafeByUsing()
    {
        _list.Clear();
        using (UnsafeAppender to = new(_list, Bytes))
        {
            for (ulong i = _first, end = i + Count; i < end; i++) to.Write(i);
            to.Commit();
        }
        return _list.Length;
    }

    public long RawStore()
    {
        byte* at = (byte*)System.Runtime.CompilerServices.Unsafe.AsPointer(ref _memory[0]);
        byte* start = at;
        for (ulong i = _first, end = i + Count; i < end; i++)
        {
            *(ulong*)at = i;
            at += sizeof(ulong);
        }
        return at - start;
    }

    public long ArrayPoolBufferWriter()
    {
        ArrayPoolBufferWriter<byte> to = _pooled;
        to.Clear();
        for (ulong i = _first, end = i + Count; i < end; i++)
        {
            BinaryPrimitives.WriteUInt64LittleEndian(to.GetSpan(sizeof(ulong)), i);
            to.Advance(sizeof(ulong));
        }
        return to.WrittenCount;
    }

    public long ListAsBufferWriter()
    {
        SegmentList to = _list;
        to.Clear();
        for (ulong i = _first, end = i + Count; i < end; i++)
        {
            BinaryPrimitives.WriteUInt64LittleEndian(to.GetSpan(sizeof(ulong)), i);
            to.Advance(sizeof(ulong));
        }
        return to.Length;
    }

    public long BinaryWriter()
    {
        _stream.Position = 0;
        for (ulong i = _first, end = i + Count; i < end; i++) _writer.Write(i);
        return _stream.Position;
    }

    public long Readings()
    {
        _list.Clear();
        foreach (ref readonly Reading reading in _readings.AsSpan()) _list.Append(in reading);
        return _list.Length;
    }

    public long ReadingsByBufferWriter()
    {
        ArrayPoolBufferWriter<byte> to = _pooled;
        to.Clear();
        foreach (ref readonly Reading reading in _readings.AsSpan()) reading.WriteTo(to);
        return to.WrittenCount;
    }

    public long ReadingsByOneSpan()
    {
        ArrayPoolBufferWriter<byte> to = _pooled;
        to.Clear();
        foreach (ref readonly Reading reading in _readings.AsSpan()) to.Advance(reading.WriteTo(to.GetSpan(Reading.Bound(reading))));
        return to.WrittenCount;
    }

    public long Orders()
    {
        _list.Clear();
        foreach (ref readonly Order order in _orders.AsSpan()) _list.Append(in order);
        return _list.Length;
    }

    public long OrdersByBufferWriter()
    {
        ArrayPoolBufferWriter<byte> to = _pooled;
        to.Clear();
        foreach (ref readonly Order order in _orders.AsSpan()) order.WriteTo(to);
        return to.WrittenCount;
    }

    public long OrdersByOneSpan()
    {
        ArrayPoolBufferWriter<byte> to = _pooled;
        to.Clear();
        foreach (ref readonly Order order in _orders.AsSpan()) to.Advance(order.WriteTo(to.GetSpan(Order.Bound(order))));
        return to.WrittenCount;
    }
}

using System.Buffers;
using System.Buffers.Binary;
using MemPrims.Buffers;

namespace MemPrims.Benchmarks.Buffers;

/// <summary>A message of ten fields of fixed size: encoded in one go, and field by field as with any buffer writer.</summary>
public readonly struct Reading(int number) : IEncodable<Reading>
{
    private readonly long _time = number * 1000L, _sensor = number * 3L;
    private readonly double _value = number * 0.5, _least = number * 0.25, _most = number * 0.75;
    private readonly int _count = number & 15, _zone = number & 7;
    private readonly ushort _state = (ushort)number;
    private readonly byte _quality = (byte)number, _flags = (byte)(number >> 3);

    public static int Bound(in Reading reading) => 5 * sizeof(long) + 2 * sizeof(int) + sizeof(ushort) + 2;

    public static void Encode(in Reading reading, ref UnsafeAppender to)
    {
        UnsafeAppender local = to;
        local.Write(reading._time);
        local.Write(reading._sensor);
        local.Write(reading._value);
        local.Write(reading._least);
        local.Write(reading._most);
        local.Write(reading._count);
        local.Write(reading._zone);
        local.Write(reading._state);
        local.Write(reading._quality);
        local.Write(reading._flags);
        to = local;
    }

    /// <summary>By hand: the caller asked for one span.</summary>
    public int WriteTo(Span<byte> to)
    {
        BinaryPrimitives.WriteInt64LittleEndian(to, _time);
        BinaryPrimitives.WriteInt64LittleEndian(to[8..], _sensor);
        BinaryPrimitives.WriteDoubleLittleEndian(to[16..], _value);
        BinaryPrimitives.WriteDoubleLittleEndian(to[24..], _least);
        BinaryPrimitives.WriteDoubleLittleEndian(to[32..], _most);
        BinaryPrimitives.WriteInt32LittleEndian(to[40..], _count);
        BinaryPrimitives.WriteInt32LittleEndian(to[44..], _zone);
        BinaryPrimitives.WriteUInt16LittleEndian(to[48..], _state);
        to[50] = _quality;
        to[51] = _flags;
        return 52;
    }

    public void WriteTo(IBufferWriter<byte> to)
    {
        BinaryPrimitives.WriteInt64LittleEndian(to.GetSpan(sizeof(long)), _time);
        to.Advance(sizeof(long));
        BinaryPrimitives.WriteInt64LittleEndian(to.GetSpan(sizeof(long)), _sensor);
        to.Advance(sizeof(long));
        BinaryPrimitives.WriteDoubleLittleEndian(to.GetSpan(sizeof(double)), _value);
        to.Advance(sizeof(double));
        BinaryPrimitives.WriteDoubleLittleEndian(to.GetSpan(sizeof(double)), _least);
        to.Advance(sizeof(double));
        BinaryPrimitives.WriteDoubleLittleEndian(to.GetSpan(sizeof(double)), _most);
        to.Advance(sizeof(double));
        BinaryPrimitives.WriteInt32LittleEndian(to.GetSpan(sizeof(int)), _count);
        to.Advance(sizeof(int));
        BinaryPrimitives.WriteInt32LittleEndian(to.GetSpan(sizeof(int)), _zone);
        to.Advance(sizeof(int));
        BinaryPrimitives.WriteUInt16LittleEndian(to.GetSpan(sizeof(ushort)), _state);
        to.Advance(sizeof(ushort));
        to.GetSpan(1)[0] = _quality;
        to.Advance(1);
        to.GetSpan(1)[0] = _flags;
        to.Advance(1);
    }
}

using System.Buffers;
using System.Buffers.Binary;
using MemPrims.Buffers;

namespace MemPrims.Benchmarks.Buffers;

/// <summary>
/// A message of nine fields of fixed size and a name after its length: encoded in one go, and field by field as with any buffer writer.
/// </summary>
public readonly struct Order(int number, int nameLength) : IEncodable<Order>
{
    // One for each length.
    private static readonly byte[][] s_names = [.. Enumerable.Range(0, 64).Select(i => new byte[i])];

    private readonly Guid _id = new(number, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
    private readonly long _customer = number * 3L, _placed = number * 1000L, _total = number * 7L;
    private readonly int _lines = number & 15, _warehouse = number & 7;
    private readonly ushort _state = (ushort)number;
    private readonly byte _priority = (byte)number;
    private readonly bool _paid = (number & 1) != 0;
    private readonly byte[] _name = s_names[nameLength];

    public static int Bound(in Order order) => 16 + 3 * sizeof(long) + 2 * sizeof(int) + sizeof(ushort) + 2 + sizeof(int)
        + order._name.Length;

    public static void Encode(in Order order, ref UnsafeAppender to)
    {
        UnsafeAppender local = to;
        local.Write(order._id);
        local.Write(order._customer);
        local.Write(order._placed);
        local.Write(order._total);
        local.Write(order._lines);
        local.Write(order._warehouse);
        local.Write(order._state);
        local.Write(order._priority);
        local.Write(order._paid);
        local.Write(order._name.Length);
        local.Write(order._name);
        to = local;
    }

    /// <summary>By hand: the caller asked for one span.</summary>
    public int WriteTo(Span<byte> to)
    {
        _id.TryWriteBytes(to);
        BinaryPrimitives.WriteInt64LittleEndian(to[16..], _customer);
        BinaryPrimitives.WriteInt64LittleEndian(to[24..], _placed);
        BinaryPrimitives.WriteInt64LittleEndian(to[32..], _total);
        BinaryPrimitives.WriteInt32LittleEndian(to[40..], _lines);
        BinaryPrimitives.WriteInt32LittleEndian(to[44..], _warehouse);
        BinaryPrimitives.WriteUInt16LittleEndian(to[48..], _state);
        to[50] = _priority;
        to[51] = _paid ? (byte)1 : (byte)0;
        BinaryPrimitives.WriteInt32LittleEndian(to[52..], _name.Length);
        _name.CopyTo(to[56..]);
        return 56 + _name.Length;
    }

    public void WriteTo(IBufferWriter<byte> to)
    {
        _id.TryWriteBytes(to.GetSpan(16));
        to.Advance(16);
        BinaryPrimitives.WriteInt64LittleEndian(to.GetSpan(sizeof(long)), _customer);
        to.Advance(sizeof(long));
        BinaryPrimitives.WriteInt64LittleEndian(to.GetSpan(sizeof(long)), _placed);
        to.Advance(sizeof(long));
        BinaryPrimitives.WriteInt64LittleEndian(to.GetSpan(sizeof(long)), _total);
        to.Advance(sizeof(long));
        BinaryPrimitives.WriteInt32LittleEndian(to.GetSpan(sizeof(int)), _lines);
        to.Advance(sizeof(int));
        BinaryPrimitives.WriteInt32LittleEndian(to.GetSpan(sizeof(int)), _warehouse);
        to.Advance(sizeof(int));
        BinaryPrimitives.WriteUInt16LittleEndian(to.GetSpan(sizeof(ushort)), _state);
        to.Advance(sizeof(ushort));
        to.GetSpan(1)[0] = _priority;
        to.Advance(1);
        to.GetSpan(1)[0] = _paid ? (byte)1 : (byte)0;
        to.Advance(1);
        BinaryPrimitives.WriteInt32LittleEndian(to.GetSpan(sizeof(int)), _name.Length);
        to.Advance(sizeof(int));
        to.Write(_name);
    }
}

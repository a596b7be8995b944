using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Text;
using MemPrims.Buffers;
using MemPrims.Codecs;

namespace MemPrims.Benchmarks.Buffers;

/// <summary>
/// A record as engines log it: ten mixed fields, among them a Guid, three varints and a text of 6 to 40 characters, one in ten of which is
/// not ASCII. Written by the library, and by hand as an engineer does who knows the formats.
/// </summary>
public struct LogEntry : IEncodable<LogEntry>
{
    public long Time, Balance;
    public Guid Id;
    public int Shard;
    public ulong Delta, Table;
    public double Value;
    public ushort Flags;
    public string Key;
    public byte Operation;

    public static LogEntry Draw(Random random)
    {
        bool isAscii = random.Next(10) != 0;
        return new()
        {
            Time = random.NextInt64(),
            Id = new(random.Next(), 2, 3, 4, 5, 6, 7, 8, 9, 10, 11),
            Shard = random.Next(),
            Delta = (ulong)(random.Next(100) < 70 ? random.Next(128) : random.Next(2_000_000)),
            Table = (ulong)random.Next(300),
            Balance = random.Next(-2000, 2000),
            Value = random.NextDouble(),
            Flags = (ushort)random.Next(),
            Key = string.Create(random.Next(6, 41), random, (chars, from) =>
            {
                foreach (ref char c in chars) c = !isAscii && from.Next(4) == 0 ? 'ä' : (char)from.Next('a', 'z' + 1);
            }),
            Operation = (byte)random.Next(5),
        };
    }

    public static int Bound(in LogEntry entry) =>
        8 + 16 + 4 + 3 * Varint.MaxSize + 8 + 2 + PackedLength.MaxSize + 3 * entry.Key.Length + 1;

    public static void Encode(in LogEntry entry, ref UnsafeAppender to)
    {
        UnsafeAppender local = to;
        local.Write(entry.Time);
        local.Write(entry.Id);
        local.Write(entry.Shard);
        local.WriteVarint(entry.Delta);
        local.WriteVarint(entry.Table);
        local.WriteZigZag(entry.Balance);
        local.Write(entry.Value);
        local.Write(entry.Flags);
        local.WriteText(entry.Key);
        local.Write(entry.Operation);
        to = local;
    }

    /// <summary>By hand, into one span of <see cref="Bound"/> bytes; returns how many it took.</summary>
    public readonly int WriteTo(Span<byte> to)
    {
        BinaryPrimitives.WriteInt64LittleEndian(to, Time);
        Id.TryWriteBytes(to[8..]);
        BinaryPrimitives.WriteInt32LittleEndian(to[24..], Shard);
        int at = Number(to, 28, Delta);
        at = Number(to, at, Table);
        at = Number(to, at, (ulong)(Balance << 1 ^ Balance >> 63));
        BinaryPrimitives.WriteDoubleLittleEndian(to[at..], Value);
        BinaryPrimitives.WriteUInt16LittleEndian(to[(at + 8)..], Flags);
        at += 10;
        // At most 40 characters, so at most 120 bytes, and the length takes one.
        int size = Encoding.UTF8.GetBytes(Key, to[(at + 1)..]);
        to[at] = (byte)size;
        at += 1 + size;
        to[at] = Operation;
        return at + 1;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Number(Span<byte> to, int at, ulong value)
    {
        for (; value >= 0x80; value >>= 7) to[at++] = (byte)(value | 0x80);
        to[at++] = (byte)value;
        return at;
    }
}

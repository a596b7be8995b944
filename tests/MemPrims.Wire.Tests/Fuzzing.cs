using System.Diagnostics;

namespace MemPrims.Wire.Tests;

// Runs a target over inputs drawn anew each time: for a second, or a minute with MEMPRIMS_LONG=1. A failure tells its seed:
// MEMPRIMS_FUZZ_SEED begins with it again.
internal static class Fuzzing
{
    public static void Run(Action<Random> target)
    {
        int first = int.TryParse(Environment.GetEnvironmentVariable("MEMPRIMS_FUZZ_SEED"), out int given) ? given
            : Random.Shared.Next(1 << 30);
        long start = Stopwatch.GetTimestamp();
        TimeSpan time = TimeSpan.FromSeconds(LongRuns.Of(1, 60));
        int seed = first;
        for (; Stopwatch.GetElapsedTime(start) < time; seed++)
            try
            {
                target(new(seed));
            }
            catch (Exception e)
            {
                throw new InvalidOperationException($"MEMPRIMS_FUZZ_SEED={seed}: {e.Message}", e);
            }
        Assert.True(seed > first, "nothing was run");
    }

    // The bytes with one to four changes: bits, cuts, repeated pieces, pieces of another input, numbers at limits.
    public static byte[] Mutate(Random random, byte[] bytes, byte[] other)
    {
        for (int changes = random.Next(1, 5); changes > 0; changes--)
        {
            int at = random.Next(bytes.Length + 1), length = Math.Min(random.Next(1, 20), bytes.Length - at);
            ReadOnlySpan<byte> before = bytes.AsSpan(0, at), behind = bytes.AsSpan(at), rest = bytes.AsSpan(at + length);
            int from = random.Next(other.Length + 1);
            bytes = random.Next(7) switch
            {
                0 when at < bytes.Length => [.. before, (byte)(bytes[at] ^ 1 << random.Next(8)), .. behind[1..]],
                1 => [.. before, .. rest],
                2 => [.. before, .. bytes.AsSpan(at, length), .. behind],
                3 => [.. before, .. other.AsSpan(from, Math.Min(random.Next(30), other.Length - from)), .. behind],
                4 => [.. before, 0xFF, 0xFF, 0xFF, 0xFF, (byte)random.Next(256), .. rest],
                5 when length > 0 => [.. before, (byte)random.Next(256), .. behind[1..]],
                _ => [.. before, .. s_short[random.Next(s_short.Length)], .. rest],
            };
        }
        return bytes;
    }

    // A message of a type: its fields in any order and number, mostly with wire types that they have.
    public static byte[] Message(Random random, MessageType type, int depth = 3)
    {
        List<byte> bytes = [];
        for (int fields = random.Next(1, 8); fields > 0 && type.Fields.Count > 0; fields--)
        {
            MessageField field = type.Fields[random.Next(type.Fields.Count)];
            WireType wire = random.Next(12) == 0 ? (WireType)random.Next(6) : field.Kind switch
            {
                _ when field.IsRepeated && random.Next(2) == 0 && field.Kind != FieldKind.Group => WireType.Bytes,
                _ => Scalars.WireTypeOf(field.Kind),
            };
            Tag(wire);
            byte[] inner = depth > 0 && field.MessageType is { } held ? Message(random, held, depth - 1) : new byte[random.Next(5)];
            if (field.MessageType is null && field.Kind != FieldKind.String) random.NextBytes(inner);
            switch (wire)
            {
                case WireType.Varint:
                    Varint(field.EnumType is null ? (ulong)random.NextInt64() >> random.Next(63) : (ulong)random.Next(-1, 7));
                    break;
                case WireType.Fixed32: bytes.AddRange(BitConverter.GetBytes(random.Next())); break;
                case WireType.Fixed64: bytes.AddRange(BitConverter.GetBytes(random.NextInt64())); break;
                case WireType.Bytes:
                    Varint((ulong)inner.Length);
                    bytes.AddRange(inner);
                    break;
                case WireType.StartGroup:
                    bytes.AddRange(inner);
                    Tag(WireType.EndGroup);
                    break;
            }

            void Tag(WireType wireType)
            {
                Varint((ulong)(uint)field.Number << 3 | (uint)wireType);
                // A tag may be longer than it has to be.
                if (random.Next(10) > 0 || field.Number >= 1 << 22) return;
                bytes[^1] |= 0x80;
                bytes.Add(0);
            }
        }
        return [.. bytes];

        void Varint(ulong value)
        {
            byte[] room = new byte[10];
            bytes.AddRange(room.AsSpan(0, Codecs.Varint.Write(room, value)));
        }
    }

    // Goes into every sub-message; null if the bytes are refused there.
    public static Message? Try(Func<Message> make)
    {
        try
        {
            return Visit(make());
        }
        catch (WireException)
        {
            return null;
        }
    }

    public static Message Visit(Message message)
    {
        foreach (MessageField field in message.SetFields)
        {
            if (field.MessageType is null) continue;
            if (!field.IsRepeated) Visit(message.Get<Message>(field.Name)!);
            else
            {
                Assert.NotEqual(0, message.CountOf(field.Name));
                for (int i = 0; i < message.CountOf(field.Name); i++) Visit(message.GetAt<Message>(field.Name, i));
            }
        }
        return message;
    }

    private static readonly byte[][] s_short = [[0], [0x80, 0x00], [0x0A, 0x00], [0x7F], [0x80, 0x80, 0x80, 0x80, 0x08], [0x0B, 0x0C],
        "\"\\u0000\""u8.ToArray(), "{}"u8.ToArray(), "[0]"u8.ToArray(), "[*]"u8.ToArray(), "1e400"u8.ToArray(), "null"u8.ToArray()];
}

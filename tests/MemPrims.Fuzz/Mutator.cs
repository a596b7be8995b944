using System.Buffers.Binary;
using System.Text;

namespace MemPrims.Fuzz;

/// <summary>Changes inputs: bits, numbers at their limits, pieces that go, come twice, or come from another input.</summary>
internal static class Mutator
{
    private static readonly ulong[] s_limits = [0, 1, 2, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFF, 0x10000,
        0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 1ul << 32, 1ul << 62, long.MaxValue, 1ul << 63, ulong.MaxValue - 1, ulong.MaxValue];

    private static readonly byte[][] s_pieces = [.. ((string[])["{}", "[]", "null", "\"\\u0000\"", "\"\\ud800\"", "1e400", "-0",
        "NaN", "{\"", "\":", "\"@type\":", "\"value\":", "\"type.googleapis.com/memprims.test.Known\"",
        "\"1970-01-01T00:00:00Z\"", "\"1.5s\""])
        .Select(Encoding.UTF8.GetBytes), [0x80, 0], [0xFF, 0xFF, 0xFF, 0xFF, 0x0F], [0x0A, 0], [0x0B, 0x0C], new byte[64]];

    /// <summary>One of the inputs, changed in one place to eight.</summary>
    public static byte[] Mutate(Random random, IReadOnlyList<byte[]> inputs)
    {
        byte[] bytes = Drawn(random, inputs);
        for (int changes = 1 << random.Next(4); changes > 0; changes--) bytes = Changed(random, bytes, Drawn(random, inputs));
        return bytes.Length <= GuardedInput.MostBytes ? bytes : bytes[..GuardedInput.MostBytes];
    }

    private static byte[] Drawn(Random random, IReadOnlyList<byte[]> inputs) => inputs[random.Next(inputs.Count)];

    private static byte[] Changed(Random random, byte[] bytes, byte[] other)
    {
        // A quarter of the changes is to the beginning, where headers are.
        int at = random.Next(random.Next(4) == 0 ? Math.Min(bytes.Length, 64) + 1 : bytes.Length + 1);
        int length = Math.Min(1 << random.Next(8), bytes.Length - at), from = random.Next(other.Length + 1);
        ReadOnlySpan<byte> before = bytes.AsSpan(0, at), rest = bytes.AsSpan(at + length);
        switch (random.Next(9))
        {
            case 0: return [.. before, .. rest];
            case 1: return [.. before, .. bytes.AsSpan(at, length), .. bytes.AsSpan(at)];
            case 2: return [.. before, .. other.AsSpan(from, Math.Min(length, other.Length - from)), .. rest];
            case 3: return [.. before, .. s_pieces[random.Next(s_pieces.Length)], .. bytes.AsSpan(at)];
            case 4: return [.. before, .. other.AsSpan(from)];
        }
        byte[] changed = [.. bytes];
        Span<byte> there = changed.AsSpan(at);
        if (there.IsEmpty) return changed;
        switch (random.Next(4))
        {
            case 0:
                there[0] ^= (byte)(1 << random.Next(8));
                break;
            case 1:
                there[0] = (byte)random.Next(256);
                break;
            case 2:
                there[0] += (byte)random.Next(-4, 5);
                break;
            default:
                byte[] number = new byte[8];
                BinaryPrimitives.WriteUInt64LittleEndian(number, s_limits[random.Next(s_limits.Length)] + (ulong)random.Next(-1, 2));
                number.AsSpan(0, Math.Min(1 << random.Next(4), there.Length)).CopyTo(there);
                break;
        }
        return changed;
    }
}

using MemPrims.Codecs;

namespace MemPrims.Tests.Codecs;

// Composite keys of drawn parts, in the order of their bytes and of their values: a million pairs.
public class SortableKeyOracleTests
{
    private static readonly string[] s_letters = ["\0", "\u0001", "\u00FE", "\u00FF", "a", "\uFFFF", "😀"];

    private static readonly double[] s_edges =
        [-0.0, 0.0, double.NaN, double.NegativeInfinity, double.PositiveInfinity, double.Epsilon, -double.Epsilon, double.MinValue,
            double.MaxValue];

    [Fact]
    public void Bytes_order_as_values_do_by_the_million()
    {
        Random random = Seeds.Random();
        const int Keys = 1000;
        for (int round = 0; round < 2 * Seeds.Scale; round++)
        {
            bool[] descending = [random.Next(2) == 0, random.Next(2) == 0, random.Next(2) == 0];
            (string Text, byte[] Utf8, long Number, double Real)[] values = new (string, byte[], long, double)[Keys];
            byte[][] keys = new byte[Keys][];
            byte[] room = new byte[200];
            for (int i = 0; i < Keys; i++)
            {
                string text = string.Concat(Enumerable.Range(0, random.Next(4)).Select(_ => s_letters[random.Next(s_letters.Length)]));
                long number = random.Next(3) == 0 ? random.Next(-3, 3) : (long)random.NextInt64(long.MinValue,
                    long.MaxValue) >> random.Next(64);
                double real = random.Next(2) == 0 ? s_edges[random.Next(s_edges.Length)]
                    : BitConverter.Int64BitsToDouble(random.NextInt64(long.MinValue, long.MaxValue));
                values[i] = (text, System.Text.Encoding.UTF8.GetBytes(text), number, real);
                int size = SortableKey.WriteText(room, text, descending[0]);
                size += SortableKey.WriteInt(room.AsSpan(size), number, descending[1]);
                size += SortableKey.WriteDouble(room.AsSpan(size), real, descending[2]);
                keys[i] = room[..size];
            }
            for (int i = 0; i < Keys; i++)
                for (int j = 0; j < Keys; j++)
                {
                    int expected = Math.Sign(values[i].Utf8.AsSpan().SequenceCompareTo(values[j].Utf8)) * (descending[0] ? -1 : 1);
                    if (expected == 0) expected = values[i].Number.CompareTo(values[j].Number) * (descending[1] ? -1 : 1);
                    if (expected == 0) expected = Order(values[i].Real, values[j].Real) * (descending[2] ? -1 : 1);
                    int order = Math.Sign(keys[i].AsSpan().SequenceCompareTo(keys[j]));
                    if (order != expected) Assert.Fail($"{values[i]} and {values[j]} compare as {order}, not {expected}.");
                }
        }
    }

    // NaN last, where double.CompareTo has it first.
    private static int Order(double left, double right) =>
        double.IsNaN(left) || double.IsNaN(right) ? double.IsNaN(left).CompareTo(double.IsNaN(right)) : left.CompareTo(right);
}

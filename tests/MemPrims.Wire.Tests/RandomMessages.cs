using System.Collections;
using Google.Protobuf;
using Google.Protobuf.Reflection;

namespace MemPrims.Wire.Tests;

// Fills a generated message by its reflection. Keys and values of maps are never zero: the oracle leaves such out, which the specification
// does not.
internal sealed class RandomMessages(int seed)
{
    private readonly Random _random = new(seed);

    public T Fill<T>(T message, double density = 0.3, int depth = 3) where T : IMessage
    {
        foreach (FieldDescriptor field in message.Descriptor.Fields.InFieldNumberOrder())
        {
            bool isNeeded = field.IsRequired;
            if (!isNeeded && (_random.NextDouble() > density || (field.FieldType is FieldType.Message or FieldType.Group && depth == 0)))
                continue;
            if (field.IsMap)
            {
                IDictionary map = (IDictionary)field.Accessor.GetValue(message);
                for (int i = _random.Next(1, 14); i > 0; i--)
                    map[Value(field.MessageType.FindFieldByNumber(1), depth)] = Value(field.MessageType.FindFieldByNumber(2), depth - 1);
            }
            else if (field.IsRepeated)
            {
                IList list = (IList)field.Accessor.GetValue(message);
                for (int i = _random.Next(1, 6); i > 0; i--) list.Add(Value(field, depth - 1));
            }
            else field.Accessor.SetValue(message, Value(field, depth - 1));
        }
        return message;
    }

    private object Value(FieldDescriptor field, int depth) => field.FieldType switch
    {
        FieldType.Double => _random.Next(8) == 0 ? double.NegativeInfinity : Math.Round(_random.NextDouble() * 1e6, 3) + 0.5,
        FieldType.Float => _random.Next(8) == 0 ? float.NaN : MathF.Round(_random.NextSingle() * 1000, 2) + 0.5f,
        FieldType.Int64 or FieldType.SInt64 or FieldType.SFixed64 => Signed() | 1,
        FieldType.UInt64 or FieldType.Fixed64 => (ulong)Signed() | 1,
        FieldType.Int32 or FieldType.SInt32 or FieldType.SFixed32 => (int)Signed() | 1,
        FieldType.UInt32 or FieldType.Fixed32 => (uint)Signed() | 1,
        FieldType.Bool => true,
        FieldType.String => Text(),
        FieldType.Bytes => ByteString.CopyFrom(System.Text.Encoding.UTF8.GetBytes(Text())),
        FieldType.Enum => Drawn(field.EnumType),
        _ => Fill(field.MessageType.Parser.ParseFrom(ByteString.Empty), 0.5, depth) is { } message ? message : null!,
    };

    private int Drawn(EnumDescriptor type)
    {
        int[] numbers = [.. type.Values.Select(value => value.Number).Where(number => number != 0)];
        return numbers[_random.Next(numbers.Length)];
    }

    private long Signed() => _random.NextInt64(long.MinValue, long.MaxValue) >> _random.Next(64);

    private string Text()
    {
        int length = _random.Next(20) == 0 ? _random.Next(100, 400) : _random.Next(1, 20);
        bool isAscii = _random.Next(3) > 0;
        return string.Concat(Enumerable.Range(0, length).Select(_ =>
            isAscii ? ((char)_random.Next(32, 127)).ToString() : _random.Next(4) switch
            {
                0 => "ä",
                1 => "€",
                2 => "😀",
                _ => "x",
            }));
    }
}

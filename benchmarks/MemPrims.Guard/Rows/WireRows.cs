using MemPrims.Buffers;
using MemPrims.Wire;

namespace MemPrims.Guard;

/// <summary>Messages of ten fields, and orders of 30 of them.</summary>
internal sealed class WireRows : IRows
{
    private const int Count = 128;
    private static readonly Random s_random = new(5);
    private static readonly MessageSchema s_schema = MessageSchema.Load(Schema());
    private static readonly MessageType s_line = s_schema["guard.Line"], s_order = s_schema["guard.Order"];
    private static readonly FieldHandle<string>[] s_texts = [.. Enumerable.Range(0, 5).Select(i => s_line.Field<string>($"f{2 * i + 1}"))];
    private static readonly FieldHandle<int>[] s_numbers = [.. Enumerable.Range(0, 5).Select(i => s_line.Field<int>($"f{2 * i + 2}"))];
    private static readonly string[] s_words = ["Paris", "a word", "orders/12345", "something longer than a word", "x"];
    private static readonly Message[] s_lines = [.. Enumerable.Range(0, Count).Select(_ => Line(s_line.New()))];
    private static readonly byte[][] s_encoded = [.. s_lines.Select(line => line.ToByteArray())];
    private static readonly SegmentList s_list = new();

    public IEnumerable<Row> All =>
    [
        Of("encode ten fields", static line =>
        {
            s_list.Clear();
            s_lines[line].WriteTo(s_list);
            return s_list.Length;
        }),
        Of("decode ten fields", static line => s_line.Decode(s_encoded[line]).Has("f1") ? 1 : 0),
        Of("decode ten fields and read them", static line => Read(s_line.Decode(s_encoded[line]))),
        new("wire: decode ten fields into the same message", () =>
        {
            Message message = s_line.New();
            return Batch(line =>
            {
                message.DecodeFrom(s_encoded[line]);
                return Read(message);
            });
        }),
        new("wire: set ten fields and encode", () =>
        {
            Message message = s_line.New();
            return Batch(_ =>
            {
                message.Clear();
                Line(message);
                s_list.Clear();
                message.WriteTo(s_list);
                return s_list.Length;
            });
        }),
        new("wire: encode an order of 30 lines", () =>
        {
            Message order = Order();
            return Batch(_ =>
            {
                s_list.Clear();
                order.WriteTo(s_list);
                return s_list.Length;
            });
        }),
        Path("a text by a path", "note", static (path, bytes) => path.TryRead(bytes, out string text) ? text.Length : 0),
        Path("a number by a path", "lines[25].f2", static (path, bytes) => path.TryRead(bytes, out int number) ? number : 0),
    ];

    private static Row Of(string name, Func<int, long> act) => new($"wire: {name}", () => Batch(act));

    private static Row Path(string name, string path, Func<FieldPath, byte[], long> act) => new($"wire: {name}", () =>
    {
        FieldPath compiled = s_order.Path(path);
        byte[][] orders = [.. Enumerable.Range(0, Count).Select(_ => Order().ToByteArray())];
        return Batch(i => act(compiled, orders[i]));
    });

    private static Work Batch(Func<int, long> act)
    {
        int[] order = [.. Enumerable.Range(0, Count)];
        return new(Count, () =>
        {
            long sum = 0;
            foreach (int i in order) sum += act(i);
            return sum;
        })
        { Redraw = () => s_random.Shuffle(order) };
    }

    private static Message Line(Message line)
    {
        for (int i = 0; i < s_texts.Length; i++)
        {
            line.Set(s_texts[i], s_words[s_random.Next(s_words.Length)]);
            line.Set(s_numbers[i], s_random.Next(1, 1 << (7 * i + 3) % 31));
        }
        return line;
    }

    private static long Read(Message line)
    {
        long sum = 0;
        for (int i = 0; i < s_texts.Length; i++) sum += line.Get(s_texts[i]).Length + line.Get(s_numbers[i]);
        return sum;
    }

    private static Message Order()
    {
        Message order = s_order.New();
        for (int i = 0; i < 30; i++) Line(order.AddNew("lines"));
        order.Set("note", "after the lines");
        return order;
    }

    // A FileDescriptorSet by hand: Line has texts and numbers in turn, f1 to f10; Order has lines and a note.
    private static byte[] Schema()
    {
        byte[] line = [.. Enumerable.Range(1, 10).SelectMany(i => Part(2, Field($"f{i}", (byte)i, 1, (byte)(i % 2 == 1 ? 9 : 5))))];
        byte[] order = [.. Part(2, [.. Field("lines", 1, 3, 11), .. Part(6, Draw.Text(".guard.Line"))]),
            .. Part(2, Field("note", 2, 1, 9))];
        return Part(1, [.. Part(1, Draw.Text("guard.proto")), .. Part(2, Draw.Text("guard")), .. Part(12, Draw.Text("proto3")),
            .. Part(4, [.. Part(1, Draw.Text("Line")), .. line]), .. Part(4, [.. Part(1, Draw.Text("Order")), .. order])]);
    }

    private static byte[] Field(string name, byte number, byte label, byte type) =>
        [.. Part(1, Draw.Text(name)), 3 << 3, number, 4 << 3, label, 5 << 3, type];

    private static byte[] Part(int number, byte[] bytes) =>
        [(byte)(number << 3 | 2), (byte)(bytes.Length & 127 | 128), (byte)(bytes.Length >> 7), .. bytes];
}

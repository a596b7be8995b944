using Google.Protobuf;
using MemPrims.Wire.Tests.Generated;

namespace MemPrims.Wire.Tests;

// A path finds what decoding the whole finds, merged messages and oneofs included.
public class PathTests
{
    [Fact]
    public void Paths_agree_with_whole_messages()
    {
        int found = 0;
        for (int seed = 0; seed < 300; seed++)
        {
            RandomMessages random = new(seed);
            // Two or three encodings one after the other are one message: merged, appended, replaced.
            byte[] bytes = [.. random.Fill(new Order(), 0.6, 4).ToByteArray(), .. random.Fill(new Order(), 0.5, 4).ToByteArray(),
                .. random.Fill(new Order(), 0.1, 2).ToByteArray()];
            Message whole = TestSchemas.Order.Decode(bytes);
            found += Check<string>("id", bytes, whole.Has("id"), whole.Get<string>("id"));
            found += Check<int>("numbers[2]", bytes, whole.CountOf("numbers") > 2, () => whole.GetAt<int>("numbers", 2));
            found += Check<int>("second", bytes, whole.Has("second"), whole.Get<int>("second"));
            Message? line = whole.CountOf("lines") > 3 ? whole.GetAt<Message>("lines", 3) : null;
            found += Check<string>("lines[3].sku", bytes, line is not null && line.Has("sku"), () => line!.Get<string>("sku"));
            found += Check<int>("lines[3].maybe", bytes, line is not null && line.Has("maybe"), () => line!.Get<int>("maybe"));
            Message? parent = whole.Get<Message>("parent"), grand = parent?.Get<Message>("parent");
            found += Check<string>("parent.parent.id", bytes, grand is not null && grand.Has("id"), () => grand!.Get<string>("id"));
            found += Check<double>("parent.lines[1].prices[0]", bytes, parent is not null && parent.CountOf("lines") > 1
                && parent.GetAt<Message>("lines", 1).CountOf("prices") > 0,
                () => parent!.GetAt<Message>("lines", 1).GetAt<double>("prices", 0));
            Message? first = whole.Get<Message>("first");
            found += Check<string>("first.sku", bytes, first is not null && first.Has("sku"), () => first!.Get<string>("sku"));
            found += Check<Message>("first", bytes, first is not null, () => first!);
            found += Check<Message>("parent", bytes, parent is not null, () => parent!);
            if (whole.CountOf("names") > 0)
            {
                int key = whole.GetAt<Message>("names", 0).Get<int>("key");
                found += Check<string>($"names[\"{key}\"]", bytes, true, whole.Map<int, string>("names")[key]);
            }
            if (whole.CountOf("labels") > 0)
            {
                Message entry = whole.GetAt<Message>("labels", 0);
                string key = entry.Get<string>("key");
                Message value = entry.Get<Message>("value");
                string quoted = key.Replace("\\", "\\\\").Replace("\"", "\\\"");
                found += Check<int>($"labels[\"{quoted}\"].count", bytes, value.Has("count"), () => value.Get<int>("count"));
            }
        }
        Assert.True(found > 1000, $"only {found} values were there");
    }

    [Theory]
    [InlineData("nothing")]
    [InlineData("id.x")]
    [InlineData("lines.sku")]
    [InlineData("lines[x]")]
    [InlineData("lines[-1]")]
    [InlineData("id[0]")]
    [InlineData("lines[1")]
    [InlineData("lines[\"a\"]")]
    [InlineData("names[\"a\"]")]
    [InlineData("parent..id")]
    [InlineData("")]
    public void A_path_that_leads_nowhere_is_refused(string path) => Assert.Throws<ArgumentException>(() => TestSchemas.Order.Path(path));

    [Fact]
    public void Faults_on_the_way_are_told_and_types_are_checked()
    {
        FieldPath path = TestSchemas.Order.Path("lines[0].sku");
        WireException e = Assert.Throws<WireException>(() => path.TryRead([0x12, 0x03, 0x0A, 0x05, 0x41], out string _));
        Assert.Equal(("lines[0].sku", 4), (e.Path, e.Offset));
        Assert.Throws<WireException>(() => path.TryRead([0x12, 0x04, 0x0A, 0x02, 0xC3, 0x28], out string _));
        Assert.Throws<ArgumentException>(() => path.TryRead([], out int _));
        Assert.False(path.TryRead([], out string text));
        Assert.Equal("", text);
        Assert.True(TestSchemas.Everything2.Path("[memprims.test2.added_needy].id").TryRead([0xD2, 0x3E, 0x02, 0x08, 0x05], out int id));
        Assert.Equal(5, id);
    }

    [Fact]
    public void The_reader_walks_fields_without_building_them()
    {
        Order order = new() { Id = "a", Lines = { new Line { Sku = "s", Count = 2 }, new Line { Sku = "t" } }, Numbers = { 1, 300 } };
        List<string> seen = [];
        MessageReader reader = new(TestSchemas.Order, [.. order.ToByteArray(), 0x98, 0x06, 0x07]);
        while (reader.Read())
        {
            if (reader.Field is null) seen.Add($"{reader.Number}={reader.Raw}");
            else if (reader.Field.Name == "id") seen.Add(reader.Text);
            else if (reader.Field.Name == "lines")
            {
                for (MessageReader line = reader.Inner(); line.Read();)
                    seen.Add(line.Field!.Name + (line.Field.Kind == FieldKind.String ? line.Text : line.Int32.ToString()));
            }
            else seen.Add($"{reader.Field.Name}:{reader.Bytes.Length}");
        }
        Assert.Equal(["a", "skus", "count2", "skut", "numbers:3", "99=7"], seen);
    }

    private static int Check<T>(string path, byte[] bytes, bool has, T value) => Check(path, bytes, has, () => value);

    private static int Check<T>(string path, byte[] bytes, bool has, Func<T> value)
    {
        Assert.Equal(has, TestSchemas.Order.Path(path).TryRead(bytes, out T read));
        if (has) Assert.Equal(value(), read);
        return has ? 1 : 0;
    }

    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    public void A_reader_walks_numbers_packed_or_not(int syntax)
    {
        MessageType type = syntax == 2 ? TestSchemas.Everything2 : TestSchemas.Everything3;
        int walked = 0;
        foreach (MessageField field in type.Fields.Where(f => f.IsRepeated && Scalars.TypeOf(f.Kind) is not null))
        {
            Message message = type.New();
            ulong[] bits = [0, 1, 300, 1ul << 31, ulong.MaxValue];
            foreach (ulong value in bits)
                message.AddSlot(field,
                    new Slot { Bits = field.EnumType is { } named ? (ulong)named.Values[^1].Number : value });
            byte[] encoded = message.ToByteArray();
            List<object> packed = Walk(encoded), apart = [];
            // The other form: each number behind a tag of its own, or all behind one length.
            byte[] values = [.. Numbers(encoded).SelectMany(n => n)], tag = Wired.Number(field.Number, 0)[..^1];
            WireType wire = Scalars.WireTypeOf(field.Kind);
            byte[] single = [.. tag];
            single[0] |= (byte)wire;
            byte[] other = [.. Numbers(encoded).SelectMany(n => (byte[])[.. single, .. n])];
            Assert.Equal(packed, Walk(other));
            Assert.Equal(packed, Walk(Wired.Inside(field.Number, values)));
            Assert.Equal(message, type.Decode(other, new() { AllowPartial = true }));
            for (int i = 0; i < bits.Length; i++) apart.Add(message.GetAt<object>(field.Name, i));
            Assert.Equal(apart, packed);
            walked++;

            List<object> Walk(byte[] bytes)
            {
                List<object> found = [];
                for (MessageReader reader = new(type, bytes); reader.Read();)
                    for (MessageReader number = reader.Values(); number.Read();)
                    {
                        Assert.Same(field, number.Field);
                        found.Add(field.Kind switch
                        {
                            FieldKind.Bool => number.Bool,
                            FieldKind.Float => number.Float,
                            FieldKind.Double => number.Double,
                            FieldKind.Int64 or FieldKind.SInt64 or FieldKind.SFixed64 => number.Int64,
                            FieldKind.UInt64 or FieldKind.Fixed64 => number.UInt64,
                            FieldKind.UInt32 or FieldKind.Fixed32 => number.UInt32,
                            _ => number.Int32,
                        });
                    }
                return found;
            }

            List<byte[]> Numbers(byte[] bytes)
            {
                List<byte[]> found = [];
                for (MessageReader reader = new(type, bytes); reader.Read();)
                    for (MessageReader number = reader.Values(); ;)
                    {
                        if (!number.Read()) break;
                        MessageReader next = number;
                        int end = next.Read() ? (int)next.Offset : reader.WireType == WireType.Bytes ? bytes.Length : -1;
                        if (end < 0)
                        {
                            MessageReader after = reader;
                            end = after.Read() ? (int)after.Offset : bytes.Length;
                        }
                        found.Add(bytes[(int)number.Offset..end]);
                    }
                return found;
            }
        }
        Assert.True(walked >= 10);
    }

    [Fact]
    public void What_is_no_number_is_not_walked_as_numbers_and_a_cut_list_tells_its_place()
    {
        byte[] bytes = [.. Wired.Inside(1, "id"u8.ToArray()), .. Wired.Number(999, 1), .. Wired.Inside(7, [1, 0x80])];
        MessageReader reader = new(TestSchemas.Order, bytes);
        for (int i = 0; i < 2; i++)
        {
            Assert.True(reader.Read());
            string? told = null;
            try
            {
                reader.Values();
            }
            catch (InvalidOperationException e)
            {
                told = e.Message;
            }
            Assert.Contains("numbers", told!);
        }
        Assert.True(reader.Read());
        MessageReader number = reader.Values();
        Assert.True(number.Read());
        Assert.Equal(1, number.Int32);
        long offset = -1;
        try
        {
            number.Read();
        }
        catch (WireException e)
        {
            offset = e.Offset;
        }
        Assert.Equal(bytes.Length, offset);
    }
}

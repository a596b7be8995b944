using System.Text;

namespace MemPrims.Wire.Tests;

// What errors say to the people who read them: in a log, and in a program that takes the path on.
public class ErrorTests
{
    private static readonly MessageType s_order = TestSchemas.Order, s_known = TestSchemas.Known;

    public static TheoryData<string> Strangers()
    {
        string evil = "a\n2026-11-22 INFO all well \u001b[31m\u2028\u202e\"", json = System.Text.Json.JsonSerializer.Serialize(evil);
        string huge = new('x', 1 << 20);
        return new()
        {
            $"{{{json}:1}}", $"{{\"labels\":{{{json}:1}}}}", $"{{\"names\":{{{json}:\"\"}}}}", $"{{\"{huge}\":1}}",
            $"{{\"labels\":{{\"{huge}\":{{\"count\":\"{huge}\"}}}}}}", $"{{\"second\":\"{huge}\"}}", $"{{\"second\":{json}}}",
        };
    }

    [Theory]
    [MemberData(nameof(Strangers))]
    public void What_a_sender_wrote_is_shortened_and_escaped(string json)
    {
        WireException e = Assert.Throws<WireException>(() => s_order.ParseJson(json));
        IsTame(e.Message);
        IsTame(e.Path);
        Assert.True(e.Offset >= 0, e.Message);
    }

    [Fact]
    public void Names_of_enums_types_and_paths_are_shortened_and_escaped_too()
    {
        foreach (string evil in (string[])["a\n\u001b[31m\ud800", new string('y', 1 << 20), new string('y', 63) + "😀"])
        {
            IsTame(Assert.Throws<ArgumentException>(() => s_order.Path(evil)).Message);
            IsTame(Assert.Throws<ArgumentException>(() => s_order.Path($"names[\"{evil}\"]")).Message);
            IsTame(Assert.Throws<ArgumentException>(() => s_order.New().WhichOf(evil)).Message);
            IsTame(Assert.Throws<KeyNotFoundException>(() => TestSchemas.All[evil]).Message);
            IsTame(Assert.Throws<KeyNotFoundException>(() => s_order.New().Map<string, Message>("labels")[evil]).Message);
            string json = evil.Replace("\n", "\\n").Replace("\u001b", "\\u001b").Replace("\ud800\"", "").TrimEnd('\ud800');
            IsTame(Assert.Throws<WireException>(() => TestSchemas.Everything3.ParseJson($"{{\"mood\":\"{json}\"}}")).Message);
            IsTame(Assert.Throws<WireException>(() => s_known.ParseJson($"{{\"any\":{{\"@type\":\"x/{json}\"}}}}")).Message);
            Google.Protobuf.Reflection.FileDescriptorProto file = new() { Name = "f.proto", Dependency = { evil.TrimEnd('\ud800') } };
            byte[] set = Wired.Bytes(new Google.Protobuf.Reflection.FileDescriptorSet { File = { file } });
            IsTame(Assert.Throws<WireException>(() => MessageSchema.Load(set)).Message);
        }
    }

    [Theory]
    [InlineData("plain")]
    [InlineData("quote\"and\\slash")]
    [InlineData("line\nescape\u001b[31m")]
    [InlineData("")]
    public void The_path_of_an_error_can_be_given_to_Path(string key)
    {
        // A value whose sku is not UTF-8, in a map, behind and before sound ones.
        byte[] Entry(string name, byte[] sku) =>
            Wired.Inside(4, [.. Wired.Inside(1, Encoding.UTF8.GetBytes(name)), .. Wired.Inside(2, Wired.Inside(1, sku))]);
        byte[] bytes = [.. Entry("first", "a"u8.ToArray()), .. Entry(key, [0xFF]), .. Entry("last", "b"u8.ToArray())];
        WireException e = Assert.Throws<WireException>(() => s_order.Decode(bytes));
        Assert.StartsWith("labels[\"", e.Path);
        FieldPath path = s_order.Path(e.Path);
        Assert.Equal(e.Offset, Assert.Throws<WireException>(() => path.TryRead(bytes, out string _)).Offset);
        byte[] sound = [.. Entry("first", "a"u8.ToArray()), .. Entry(key, "found"u8.ToArray())];
        Assert.True(path.TryRead(sound, out string sku));
        Assert.Equal("found", sku);

        // Decoding later and JSON tell the same path.
        Message lazy = s_order.Decode(bytes, new() { Lazy = true });
        WireException late = Assert.Throws<WireException>(() => lazy.Map<string, Message>("labels")[key]);
        Assert.Equal((e.Path, e.Offset), (late.Path, late.Offset));
        string json = $"{{\"labels\":{{{System.Text.Json.JsonSerializer.Serialize(key)}:{{\"sku\":1}}}}}}";
        Assert.Equal(e.Path, Assert.Throws<WireException>(() => s_order.ParseJson(json)).Path);
    }

    [Fact]
    public void Errors_of_ToJson_tell_the_field()
    {
        MessageType type = TestSchemas.Known;
        Message known = type.New();
        known.GetOrNew("time").Set("seconds", long.MaxValue);
        Assert.Equal(("time", -1), Place(known));
        known.Clear();
        Message list = known.GetOrNew("struct");
        Message value = TestSchemas.All["google.protobuf.Value"].New(), number = TestSchemas.All["google.protobuf.Value"].New();
        number.Set("number_value", double.NaN);
        value.GetOrNew("list_value").Add("values", number);
        list.Map<string, Message>("fields")["a\"b"] = value;
        Assert.Equal(("struct.fields[\"a\\\"b\"].list_value.values[0].number_value", -1), Place(known));
        type.Path(Place(known).Path);
        known.Clear();
        known.GetOrNew("any").Set("type_url", "x/no.Such");
        Assert.Equal(("any", -1), Place(known));
        Message order = s_order.New();
        order.AddNew("lines");
        order.AddNew("lines").Set("sku", "half \ud800");
        Assert.Equal(("lines[1].sku", -1), Place(order));

        WireException half = Assert.Throws<WireException>(() => s_order.ParseJson("{\"id\":\"ä😀 \ud800\"}"));
        Assert.Equal(7 + 2 + 4 + 1, half.Offset);

        static (string Path, long Offset) Place(Message message)
        {
            WireException e = Assert.Throws<WireException>(() => message.ToJson());
            return (e.Path, e.Offset);
        }
    }

    [Fact]
    public void Paths_read_every_value()
    {
        Message order = s_order.New();
        foreach (string sku in (string[])["a", "", "c"])
        {
            Message line = order.AddNew("lines");
            if (sku.Length > 0) line.Set("sku", sku);
            line.AddRange("prices", [1.5, 2.5]);
        }
        order.AddRange("numbers", [7, 0, 9]);
        order.Map<int, string>("names")[5] = "five";
        order.Map<int, string>("names")[6] = "six";
        byte[] bytes = order.ToByteArray();
        Assert.Equal(["a", "c"], s_order.Path("lines[*].sku").ReadAll<string>(bytes));
        Assert.Equal([7, 0, 9], s_order.Path("numbers[*]").ReadAll<int>(bytes));
        Assert.Equal(["five", "six"], s_order.Path("names[*].value").ReadAll<string>(bytes));
        Assert.Equal(["six"], s_order.Path("names[\"6\"]").ReadAll<string>(bytes));
        Assert.Empty(s_order.Path("names[\"7\"]").ReadAll<string>(bytes));
        Assert.Equal([2.5, 2.5, 2.5], s_order.Path("lines[*].prices[1]").ReadAll<double>(bytes));
        Assert.Equal(6, s_order.Path("lines[*].prices[*]").ReadAll<object>(bytes).Count);
        Assert.Equal(2, s_order.Path("lines[2].prices[*]").ReadAll<double>(bytes).Count);
        Assert.Empty(s_order.Path("parent.lines[*].sku").ReadAll<string>(bytes));
        Assert.Throws<InvalidOperationException>(() => s_order.Path("lines[*].sku").TryRead(bytes, out string _));
        Assert.Throws<ArgumentException>(() => s_order.Path("lines[*].sku").ReadAll<int>(bytes));
        Assert.Throws<WireException>(() => s_order.Path("lines[*].sku").ReadAll<string>(bytes, new() { MaxBytes = 5 }));
    }

    [Fact]
    public void Hints_name_the_likely_mistake()
    {
        string Told(string path) => Assert.Throws<ArgumentException>(() => s_order.Path(path)).Message;
        Assert.Contains("key in quotes", Told("labels[7].sku"));
        Assert.Contains("key in quotes", Told("labels[priority]"));
        Assert.Contains("'id '", Told("id "));
        Assert.Contains("(at 9)", Told("lines[0]."));
        Assert.Contains("is a oneof", Told("way"));
        Assert.Contains("oneInt32", TestSchemas.Everything3.Fields.First(field => field.Name == "one_int32").JsonName);
        Assert.Contains("JSON name of one_int32", Assert.Throws<ArgumentException>(() =>
            TestSchemas.Everything3.New().Get<int>("oneInt32")).Message);
        Assert.EndsWith("It has none: is it what protoc --descriptor_set_out wrote?",
            Assert.Throws<KeyNotFoundException>(() => MessageSchema.Load([])["a"]).Message);
        Assert.Contains("Did you mean memprims.test.Order?", Assert.Throws<KeyNotFoundException>(() => TestSchemas.All["Order"]).Message);
        MessageType other = MessageSchema.Load(TestSchemas.Set)["memprims.test.Order"];
        Assert.Contains("another schema", Assert.Throws<ArgumentException>(() => s_order.New().MergeFrom(other.New())).Message);
        Assert.Contains("call Read first", Assert.Throws<InvalidOperationException>(() =>
            new MessageReader(s_order, [8, 1]).Bytes.Length).Message);
        Assert.Contains("as int, not as long", Assert.Throws<ArgumentException>(() => s_order.New().Get<long>("second")).Message);
        Assert.Throws<ArgumentOutOfRangeException>(() => new DecodeOptions { MaxDepth = -1 });
        Assert.Throws<ArgumentOutOfRangeException>(() => new DecodeOptions { MaxBytes = -1 });
        foreach (byte[] none in (byte[][])["syntax = \"proto3\";\nmessage M {}\n"u8.ToArray(), Wired.Bytes(new
            Google.Protobuf.Reflection.FileDescriptorProto { Name = "shop.proto", Package = "shop" })])
            Assert.Contains("descriptor_set_out", Assert.Throws<WireException>(() => MessageSchema.Load(none)).Message);
        Assert.Contains("everything", Assert.Throws<WireException>(() => MessageSchema.Load(TestSchemas.Set.AsSpan(0,
            TestSchemas.Set.Length - 3))).Message);
    }

    [Fact]
    public void What_belongs_to_a_schema_loaded_again_is_refused_by_that_name()
    {
        MessageType again = MessageSchema.Load(TestSchemas.Set)["memprims.test.Order"];
        Message message = s_order.New();
        string Told(Action use) => Assert.Throws<ArgumentException>(use).Message;
        Assert.Contains("another schema", Told(() => message.Get(again.Field<string>("id"))));
        Assert.Contains("another schema", Told(() => message.Set(again.Field<string>("id"), "x")));
        Assert.Contains("another schema", Told(() => message.Has(again.Field<string>("id"))));
        Assert.Contains("another schema", Told(() => message.CountOf(again.Field<int>("numbers"))));
        Assert.Contains("another schema", Told(() => message.Set("parent", again.New())));
        Assert.NotEqual(again.New(), message);
        Assert.NotEqual(again.Fields[0], s_order.Fields[0]);
        // Names, numbers and the encoding are what both have.
        message.Set("id", "x");
        Assert.Equal("x", again.Decode(message.ToByteArray()).Get<string>("id"));
    }

    [Fact]
    public void Well_known_messages_are_seen_as_NET_has_them()
    {
        Message known = s_known.ParseJson("""
            {"time":"2026-11-22T05:00:00.5Z","span":"-1.5s","any":{"@type":"x/memprims.test.Order","id":"o"}}
            """);
        Assert.Equal(new DateTimeOffset(2026, 11, 22, 5, 0, 0, 500, TimeSpan.Zero), known.Get<Message>("time").ToDateTimeOffset());
        Assert.Equal(TimeSpan.FromSeconds(-1.5), known.Get<Message>("span").ToTimeSpan());
        Assert.Equal("o", known.Get<Message>("any").Unpack().Get<string>("id"));
        Assert.Throws<InvalidOperationException>(() => known.Unpack());
        Assert.Throws<InvalidOperationException>(() => known.Get<Message>("span").ToDateTimeOffset());
        known.Get<Message>("time").Set("nanos", -1);
        Assert.Throws<WireException>(() => known.Get<Message>("time").ToDateTimeOffset());
        known.Get<Message>("any").Set("type_url", "x/no.Such");
        Assert.Contains("no.Such", Assert.Throws<WireException>(() => known.Get<Message>("any").Unpack()).Message);
    }

    [Fact]
    public void Every_field_is_read_and_set_as_object()
    {
        Message order = s_order.New();
        order.Set<object>("id", "o");
        order.Set<object>("second", 2);
        order.Map<object, object>("names")[1] = "one";
        Assert.Equal(("o", 2, "one"), (order.Get<object>("id"), order.Get<object>("second"), order.Map<object, object>("names")[1]));
        Assert.True(s_order.Path("names[\"1\"]").TryRead(order.ToByteArray(), out object value));
        Assert.Equal("one", value);
    }

    private static void IsTame(string text)
    {
        Assert.InRange(text.Length, 0, 1_500);
        Assert.DoesNotContain(text, c => char.IsControl(c) || c is '\u2028' or '\u202e');
        new UTF8Encoding(false, true).GetBytes(text);
    }
}

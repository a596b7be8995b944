using Google.Protobuf;
using Google.Protobuf.Reflection;

namespace MemPrims.Wire.Tests;

// The edges of the JSON mapping: what is just a number, just base64, just a key, and what is none.
public class JsonEdgeTests
{
    // A schema may have a google.protobuf.NullValue of its own: proto2's enums are closed and need not begin with 0.
    [Theory, InlineData(0, true), InlineData(1, false)]
    public void Null_is_a_value_of_NullValue_only_where_that_declares_it(int number, bool isTaken)
    {
        FileDescriptorProto file = new()
        {
            Name = "null.proto", Package = "google.protobuf", Syntax = "proto2",
            EnumType = { new EnumDescriptorProto { Name = "NullValue",
                Value = { new EnumValueDescriptorProto { Name = "NULL_VALUE", Number = number } } } },
            MessageType = { new DescriptorProto { Name = "Holder", Field = { new FieldDescriptorProto
            {
                Name = "nothing", Number = 1, Type = FieldDescriptorProto.Types.Type.Enum, TypeName = ".google.protobuf.NullValue",
                Label = FieldDescriptorProto.Types.Label.Optional,
            } } } },
        };
        FileDescriptorProto known = Google.Protobuf.WellKnownTypes.StructReflection.Descriptor.ToProto();
        known.Syntax = "proto2";
        known.EnumType[0].Value[0].Number = number;
        foreach ((FileDescriptorProto of, string name, string json) in (ReadOnlySpan<(FileDescriptorProto, string, string)>)
            [(file, "Holder", "{\"nothing\":null}"), (known, "Value", "null")])
        {
            MessageType type = MessageSchema.Load(new FileDescriptorSet { File = { of } }.ToByteArray())[$"google.protobuf.{name}"];
            if (isTaken) Assert.Equal(json, type.ParseJson(json).ToJson());
            else Assert.Contains("has no value 0", Assert.Throws<WireException>(() => type.ParseJson(json)).Message);
        }
    }

    [Fact]
    public void A_wrapper_is_its_value()
    {
        const string json = """{"int32":-5,"text":"t","bytes":"AQI=","number":0.5,"large":"18446744073709551615","flag":true}""";
        Message message = TestSchemas.Known.ParseJson(json);
        Assert.Equal(-5, message.Get<Message>("int32").Get<int>("value"));
        Assert.Equal(json, message.ToJson());
        Assert.Equal("""{"int32":0,"text":"","flag":false}""",
            TestSchemas.Known.ParseJson("""{"int32":0,"text":"","flag":false}""").ToJson());
    }

    [Theory]
    [InlineData("0", 0L)]
    [InlineData("-0", 0L)]
    [InlineData("0.000", 0L)]
    [InlineData("0e-400", 0L)]
    [InlineData("1.0", 1L)]
    [InlineData("1e2", 100L)]
    [InlineData("1.25e2", 125L)]
    [InlineData("12500e-2", 125L)]
    [InlineData("100000000000000000000000000000000000e-30", 100000L)]
    [InlineData("-9223372036854775808", long.MinValue)]
    [InlineData("-9.223372036854775808E+18", long.MinValue)]
    [InlineData("9223372036854775807.000", long.MaxValue)]
    public void Whole_numbers_in_any_form_are_integers(string json, long expected)
    {
        foreach (string form in (string[])[json, $"\"{json}\""])
            Assert.Equal(expected, TestSchemas.Everything3.ParseJson($"{{\"oneInt64\":{form}}}").Get<long>("one_int64"));
    }

    [Theory]
    [InlineData("1e-400")]
    [InlineData("1e-99999999999999999999999")]
    [InlineData("1e-1")]
    [InlineData("1.5")]
    [InlineData("9223372036854775808")]
    [InlineData("1e19")]
    [InlineData("1e400")]
    [InlineData("1e99999999999999999999999")]
    [InlineData("-9223372036854775809")]
    [InlineData("18446744073709551616")]
    [InlineData("100000000000000000000000000000000000001e-30")]
    public void What_is_not_whole_or_too_large_is_no_integer(string json)
    {
        foreach (string form in (string[])[json, $"\"{json}\""])
        {
            WireException e = Assert.Throws<WireException>(() => TestSchemas.Everything3.ParseJson($"{{\"oneInt64\":{form}}}"));
            Assert.Equal("one_int64", e.Path);
        }
    }

    [Fact]
    public void A_float_is_rounded_once()
    {
        // Just above the middle between two floats. As a double it would be the middle, and then the lower one.
        Message message = TestSchemas.Everything3.ParseJson("""{"oneFloat":1.00000005960464477539062500000000001}""");
        Assert.Equal(1.0000001f, message.Get<float>("one_float"));
    }

    [Fact]
    public void Limits_of_every_integral_kind()
    {
        foreach ((string field, string most, string above) in ((string, string, string)[])
            [("oneUint64", "18446744073709551615", "18446744073709551616"), ("oneUint32", "4294967295", "4294967296"),
             ("oneInt32", "2147483647", "2147483648"), ("oneSint32", "-2147483648", "-2147483649"),
                 ("oneFixed64", "18446744073709551615", "-1")])
        {
            Message message = TestSchemas.Everything3.ParseJson($"{{\"{field}\":{most}}}");
            Assert.Contains(most, message.ToJson());
            Assert.Equal(message, TestSchemas.Everything3.Decode(message.ToByteArray()));
            Assert.Throws<WireException>(() => TestSchemas.Everything3.ParseJson($"{{\"{field}\":{above}}}"));
        }
    }

    [Theory]
    [InlineData("AA", true)]
    [InlineData("AA==", true)]
    [InlineData("AAA=", true)]
    [InlineData("-_8", true)]
    [InlineData("", true)]
    [InlineData("AA=", false)]
    [InlineData("AAA==", false)]
    [InlineData("AAAA=", false)]
    [InlineData("D8xP18PtDTMrfw=", false)]
    [InlineData("A", false)]
    [InlineData("AA===", false)]
    [InlineData("A A=", false)]
    public void Padding_of_base64_is_whole_or_left_out(string text, bool isValid)
    {
        string json = $"{{\"oneBytes\":\"{text}\"}}";
        if (isValid) TestSchemas.Everything3.ParseJson(json);
        else Assert.Throws<WireException>(() => TestSchemas.Everything3.ParseJson(json));
    }

    [Theory]
    [InlineData("1", true)]
    [InlineData("-7", true)]
    [InlineData("1.0", false)]
    [InlineData("1e1", false)]
    [InlineData("1E1", false)]
    [InlineData("01", false)]
    [InlineData("", false)]
    public void Keys_of_maps_are_digits(string key, bool isValid)
    {
        string json = $"{{\"byInt32\":{{\"{key}\":\"x\"}}}}";
        if (isValid) Assert.Equal("x", TestSchemas.Everything3.ParseJson(json).Map<int, string>("by_int32")[int.Parse(key)]);
        else Assert.Throws<WireException>(() => TestSchemas.Everything3.ParseJson(json));
    }

    [Fact]
    public void Half_a_surrogate_pair_is_refused_both_ways()
    {
        Assert.Throws<WireException>(() => TestSchemas.Everything3.ParseJson("{\"oneString\":\"\ud800\"}"));
        Assert.Throws<WireException>(() => TestSchemas.Everything3.ParseJson("""{"oneString":"\ud800"}"""));
        Assert.Throws<WireException>(() => TestSchemas.Everything3.ParseJson("""{"toInt32":{"\ud800":1}}"""));
        foreach (string any in (string[])["""{"@type":"\ud800"}""", """{"\ud800":1,"@type":"x/memprims.test.Order"}"""])
            Assert.Contains("surrogate", Assert.Throws<WireException>(
                () => TestSchemas.All["google.protobuf.Any"].ParseJson(any)).Message);
        Assert.Equal("😀", TestSchemas.Everything3.ParseJson("{\"oneString\":\"😀\"}").Get<string>("one_string"));
        Message message = TestSchemas.Everything3.New();
        message.Set("one_string", "x\udc00");
        Assert.Throws<WireException>(() => message.ToJson());
        Assert.Throws<WireException>(() => message.ToByteArray());
        Assert.Contains("surrogate", message.ToString());
    }

    [Fact]
    public void Unchecked_text_that_is_not_utf8_is_no_json()
    {
        MessageField text = TestSchemas.Everything2.Fields.First(f =>
            f is { Kind: FieldKind.String, IsUtf8Checked: false, IsRepeated: false, IsExtension: false });
        Message message = TestSchemas.Everything2.Decode(Wired.Inside(text.Number, [0xC3, 0x28]), new() { AllowPartial = true });
        Assert.Equal([0xC3, 0x28], message.Get<ReadOnlyMemory<byte>>(text.Name).ToArray());
        WireException e = Assert.Throws<WireException>(() => message.ToJson());
        Assert.Contains(text.Name, e.Path);
    }

    [Fact]
    public void Text_for_people_never_throws()
    {
        Message loop = TestSchemas.Order.New();
        loop.Set("parent", loop);
        Assert.Contains("Order", loop.ToString());
        Message broken = TestSchemas.Order.New();
        broken.DecodeFrom(new BrokenMemory().Memory);
        Assert.Contains("Order", broken.ToString());
    }

    [Fact]
    public void Depth_errors_of_json_name_the_option_and_the_place()
    {
        string deep = "{\"@type\":\"x/google.protobuf.Value\",\"value\":" + new string('[', 3_000) + new string(']', 3_000) + "}";
        WireException e = Assert.Throws<WireException>(() => TestSchemas.All["google.protobuf.Any"].ParseJson(deep));
        Assert.Contains("JsonParseOptions.MaxDepth", e.Message);
        Assert.True(e.Offset > 40, e.Message);
        string unknown = "{\"nothing\":" + new string('[', 3_000) + new string(']', 3_000) + "}";
        JsonParseOptions ignore = new() { IgnoreUnknown = true };
        Assert.Contains("JsonParseOptions.MaxDepth", Assert.Throws<WireException>(() =>
            TestSchemas.Order.ParseJson(unknown, ignore)).Message);
        // No MaxDepth helps where the stack ends.
        string endless = new('[', 1_000_000);
        e = Assert.Throws<WireException>(() =>
            TestSchemas.All["google.protobuf.Value"].ParseJson(endless, new() { MaxDepth = 1_000_000 }));
        Assert.Contains("stack: lower MaxDepth", e.Message);
        Assert.EndsWith(".IgnoreUnknown passes over it (at byte 1)",
            Assert.Throws<WireException>(() => TestSchemas.Order.ParseJson(unknown)).Message);
        // What lies less deep is passed by.
        TestSchemas.Order.ParseJson("{\"nothing\":" + new string('[', 300) + new string(']', 300) + ",\"id\":\"x\"}", ignore);
    }

    [Fact]
    public void Anys_in_Anys_have_a_limit_of_their_own()
    {
        MessageType any = TestSchemas.All["google.protobuf.Any"];
        string Nested(int depth) => string.Concat(Enumerable.Repeat("{\"@type\":\"x/google.protobuf.Any\",\"value\":", depth)) + "{}"
            + new string('}', depth);
        JsonParseOptions deep = new() { MaxDepth = 20_000 };
        Message whole = any.ParseJson(Nested(100), deep);
        Assert.Equal(Nested(100), whole.ToJson(new() { MaxDepth = 20_000 }));
        Assert.Contains("100 Anys", Assert.Throws<WireException>(() => any.ParseJson(Nested(101), deep)).Message);
        Message above = any.New();
        above.Set("type_url", "x/google.protobuf.Any");
        above.Set("value", whole.ToByteArray());
        Assert.Contains("100 Anys", Assert.Throws<WireException>(() => above.ToJson(new() { MaxDepth = 20_000 })).Message);
        // Beside each other there may be any number, and the type may come last, but only once.
        Assert.Throws<WireException>(() =>
            any.ParseJson("""{"@type":"x/google.protobuf.Any","value":{},"@type":"x/google.protobuf.Any"}"""));
        Assert.Throws<WireException>(() =>
            any.ParseJson("""{"@type":"x/memprims.test.Order","id":"a","@type":"x/memprims.test.Order"}"""));
        Assert.Equal(any.ParseJson("""{"@type":"x/memprims.test.Order","id":"a"}"""),
            any.ParseJson("""{"id":"a","@type":"x/memprims.test.Order"}"""));
    }

    private sealed class BrokenMemory : SpanMemory
    {
        private readonly byte[] _bytes = [0x0A, 0x01, 0x41];
        private int _asked;

        public override Memory<byte> Memory => CreateMemory(_bytes.Length);

        public override Span<byte> GetSpan() => _asked++ < 1 ? _bytes : throw new ObjectDisposedException("memory");
    }
}

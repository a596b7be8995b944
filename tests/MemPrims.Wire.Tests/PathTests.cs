using Google.Protobuf;
using MemPrims.Wire.Tests.Generated;

namespace MemPrims.Wire.Tests;

/// <summary>A path finds what decoding the whole finds, merged messages and oneofs included.</summary>
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
}

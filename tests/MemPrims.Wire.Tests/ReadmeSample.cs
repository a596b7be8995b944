using MemPrims.Wire;

// Outside of MemPrims, as a user is: so the README names all that it needs.
namespace Readme;

// The code of the package's README stands here once more, word for word: it is compiled and it runs.
public class ReadmeSample
{
    [Fact]
    public void The_readme_s_code_of_messages_runs()
    {
        // README
        // protoc --descriptor_set_out=shop.binpb --include_imports shop.proto       (protoc is in the package Grpc.Tools, too)
        MessageSchema schema = MessageSchema.Load(File.ReadAllBytes("shop.binpb"));
        MessageType order = schema["shop.Order"];
        FieldHandle<string> id = order.Field<string>("id");

        Message message = order.New();
        message.Set(id, "o-17");                                   // by handle: fast
        message.AddNew("lines").Set("sku", "A1");                  // by name: convenient
        message.Map<string, int>("labels")["priority"] = 3;
        byte[] bytes = message.ToByteArray();                      // 26 bytes; or WriteTo a SegmentList, an IBufferWriter, a span, …

        Message read = order.Decode(bytes);
        string json = read.ToJson();                               // {"id":"o-17","lines":[{"sku":"A1"}],"labels":{"priority":3}}
        Message again = order.ParseJson(json);                      // again.Equals(read)

        FieldPath firstSku = order.Path("lines[0].sku");           // one value, without decoding the rest
        bool found = firstSku.TryRead(bytes, out string first);    // true, A1
        // end of README

        Assert.Equal(("A1", true), (first, found));
        Assert.Equal("""{"id":"o-17","lines":[{"sku":"A1"}],"labels":{"priority":3}}""", json);
        Assert.Equal(message, read);
        Assert.Equal(read, again);
        Assert.Equal(26, bytes.Length);

        byte[] span = new byte[bytes.Length];
        Assert.Equal(bytes.Length, message.WriteTo(span));
        Assert.Equal(bytes, span);
        using MemoryStream stream = new();
        message.WriteTo(stream);
        Assert.Equal(bytes, stream.ToArray());
        System.Buffers.ArrayBufferWriter<byte> writer = new();
        message.WriteTo(writer);
        Assert.Equal(bytes, writer.WrittenSpan.ToArray());
        using MemPrims.Buffers.SegmentList list = new();
        message.WriteTo(list);
        Assert.Equal(bytes, System.Buffers.BuffersExtensions.ToArray(list.AsSequence()));
    }

    [Fact]
    public void The_readme_s_code_of_an_index_runs()
    {
        MessageType order = MessageSchema.Load(File.ReadAllBytes("shop.binpb"))["shop.Order"];
        Message message = order.New();
        message.Set("id", "o-17");
        message.AddNew("lines").Set("sku", "A1");
        message.AddNew("lines").Set("sku", "B2");
        message.AddRange("sizes", [40, 41]);
        byte[] bytes = message.ToByteArray();
        // README
        MessageField key = order.Field<string>("id").Field, lines = order.Field<Message>("lines").Field;
        MessageField sku = lines.MessageType!.Field<string>("sku").Field, sizes = order.Field<int>("sizes").Field;
        List<string> keys = [];
        List<int> numbers = [];
        MessageReader reader = new(order, bytes);
        while (reader.Read())
        {
            if (reader.Field == key) keys.Add(reader.Text);
            else if (reader.Field == lines)
            {
                for (MessageReader line = reader.Inner(); line.Read();)
                    if (line.Field == sku) keys.Add(line.Text);        // line.Bytes is its UTF-8
            }
            else if (reader.Field == sizes)
            {
                for (MessageReader size = reader.Values(); size.Read();) numbers.Add(size.Int32);
            }
        }
        // end of README
        Assert.Equal(["o-17", "A1", "B2"], keys);
        Assert.Equal([40, 41], numbers);
    }

    [Theory]
    [InlineData("2026-11-23T10:20:30.1234567+01:00")]
    [InlineData("1969-12-31T23:59:59.9999999Z")]
    [InlineData("0001-01-01T00:00:00Z")]
    public void The_readme_s_code_of_a_time_runs(string text)
    {
        DateTimeOffset now = DateTimeOffset.Parse(text, System.Globalization.CultureInfo.InvariantCulture);
        Message message = MessageSchema.Load(File.ReadAllBytes("shop.binpb"))["shop.Order"].New();
        // README
        long ticks = (now - DateTimeOffset.UnixEpoch).Ticks, seconds = Math.DivRem(ticks, TimeSpan.TicksPerSecond, out long rest);
        if (rest < 0) (seconds, rest) = (seconds - 1, rest + TimeSpan.TicksPerSecond);     // before 1970; of a Duration both have one sign
        Message time = message.GetOrNew("placed");
        time.Set("seconds", seconds);
        time.Set("nanos", (int)rest * 100);
        DateTimeOffset placed = message.Get<Message>("placed").ToDateTimeOffset();         // and ToTimeSpan of a Duration
        // end of README
        Assert.Equal(now, placed);
        Assert.Equal(now, message.Type.ParseJson(message.ToJson()).Get<Message>("placed").ToDateTimeOffset());
    }

    [Fact]
    public void Every_sample_of_the_page_is_compiled_and_run() => Assert.Empty(PageSamples.Differences(
        Repository.Read("src/MemPrims.Wire/README.md"), Repository.Read("tests/MemPrims.Wire.Tests/ReadmeSample.cs")));

    // Stands for the file that the README reads.
    private static class File
    {
        public static byte[] ReadAllBytes(string path)
        {
            Assert.Equal("shop.binpb", path);
            return MemPrims.Wire.Tests.ShopSchema.ToByteArray();
        }
    }
}

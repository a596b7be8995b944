using Google.Protobuf;
using Google.Protobuf.Reflection;
using Kind = Google.Protobuf.Reflection.FieldDescriptorProto.Types.Type;
using Label = Google.Protobuf.Reflection.FieldDescriptorProto.Types.Label;

namespace MemPrims.Wire.Tests;

/// <summary>
/// The code of the README stands here once more, word for word: it is compiled, it runs, and it is compared with the README.
/// </summary>
public class ReadmeTests
{
    [Fact]
    public void The_code_of_the_README_runs()
    {
        // README
        // protoc --descriptor_set_out=shop.binpb --include_imports shop.proto
        MessageSchema schema = MessageSchema.Load(File.ReadAllBytes("shop.binpb"));
        MessageType order = schema["shop.Order"];
        FieldHandle<string> id = order.Field<string>("id");

        Message message = order.New();
        message.Set(id, "o-17");                                   // by handle: fast
        message.AddNew("lines").Set("sku", "A1");                  // by name: convenient
        message.Map<string, int>("labels")["priority"] = 3;
        byte[] bytes = message.ToByteArray();                      // or WriteTo a SegmentList, an IBufferWriter, a Span, a Stream

        Message read = order.Decode(bytes);
        string json = read.ToJson();                               // and order.ParseJson(json)

        FieldPath sku = order.Path("lines[0].sku");                // one value, without decoding the rest
        bool found = sku.TryRead(bytes, out string first);
        // end of README
        Assert.Equal(("A1", true), (first, found));
        Assert.Equal("""{"id":"o-17","lines":[{"sku":"A1"}],"labels":{"priority":3}}""", json);
        Assert.Equal(message, read);
        Assert.Equal(read, order.ParseJson(json));
    }

    [Fact]
    public void The_code_is_that_of_the_README()
    {
        string[] source = System.IO.File.ReadAllLines(Path.Combine(AppContext.BaseDirectory, "ReadmeTests.cs"));
        int start = Array.IndexOf(source, "        // README") + 1, end = Array.IndexOf(source, "        // end of README");
        string[] page = System.IO.File.ReadAllLines(Path.Combine(AppContext.BaseDirectory, "README.md"));
        int from = Array.IndexOf(page, "using MemPrims.Wire;") + 2, to = Array.IndexOf(page, "```", from);
        Assert.InRange(to - from, 10, 100);
        Assert.Equal(page[from..to].Select(line => line.Trim()), source[start..end].Select(line => line.Trim()));
    }

    // Stands for the file that the README reads.
    private static class File
    {
        public static byte[] ReadAllBytes(string path)
        {
            Assert.Equal("shop.binpb", path);
            DescriptorProto entry = new()
            {
                Name = "LabelsEntry",
                Options = new() { MapEntry = true },
                Field = { Field("key", 1, Kind.String), Field("value", 2, Kind.Int32) },
            };
            DescriptorProto order = new()
            {
                Name = "Order",
                Field = { Field("id", 1, Kind.String), List("lines", 2, ".shop.Line"), List("labels", 3, ".shop.Order.LabelsEntry") },
                NestedType = { entry },
            };
            DescriptorProto line = new() { Name = "Line", Field = { Field("sku", 1, Kind.String) } };
            FileDescriptorProto file = new() { Name = "shop.proto", Package = "shop", Syntax = "proto3", MessageType = { order, line } };
            return new FileDescriptorSet { File = { file } }.ToByteArray();
        }

        private static FieldDescriptorProto Field(string name, int number, Kind kind) =>
            new() { Name = name, JsonName = name, Number = number, Label = Label.Optional, Type = kind };

        private static FieldDescriptorProto List(string name, int number, string type) =>
            new() { Name = name, JsonName = name, Number = number, Label = Label.Repeated, Type = Kind.Message, TypeName = type };
    }
}

using Google.Protobuf;
using Google.Protobuf.Reflection;
using Kind = Google.Protobuf.Reflection.FieldDescriptorProto.Types.Type;
using Label = Google.Protobuf.Reflection.FieldDescriptorProto.Types.Label;

namespace MemPrims.Wire.Tests;

// Fields of one message whose names in JSON are those of others. None is lost, and none is taken for another.
public class JsonNameTests
{
    // Each field: its name, and its name in JSON where the schema gives one. The JSON has the fields' numbers as their values.
    [Theory]
    [InlineData("""{"k":1,"y":2}""", "x=k", "y=k")]
    [InlineData("""{"k":1,"y":2,"z":3}""", "x=k", "y=k", "z=k")]
    [InlineData("""{"x":1,"k":2}""", "x=k", "k")]
    [InlineData("""{"k":1,"x":2}""", "k", "x=k")]
    // As protoc takes them in proto2: both have the JSON name fooBar.
    [InlineData("""{"foo_bar":1,"fooBar":2}""", "foo_bar", "fooBar")]
    [InlineData("""{"fooBar":1,"foo_bar":2}""", "fooBar", "foo_bar")]
    [InlineData("""{"foo_bar":1,"fooBar":2,"foo__bar":3}""", "foo_bar", "fooBar", "foo__bar")]
    // The own name is the JSON name of a third, which goes by its own then, and so on.
    [InlineData("""{"k":1,"y":2,"z":3}""", "x=k", "y=k", "z=y")]
    [InlineData("""{"z":1,"y":2,"k":3}""", "z=y", "y=k", "k")]
    [InlineData("""{"a":1,"b":2,"c":3,"k":4,"d":5}""", "a=b", "b=c", "c=d", "x=k", "d=k")]
    // Names that are exchanged meet nobody.
    [InlineData("""{"b":1,"a":2}""", "a=b", "b=a")]
    public void Every_field_has_a_name_of_its_own(string json, params string[] fields)
    {
        MessageType type = TypeOf(fields);
        Message message = type.New();
        for (int i = 0; i < fields.Length; i++) message.Set(type.Fields[i].Name, i + 1);
        Assert.Equal(json, message.ToJson());
        foreach (bool ownNames in (bool[])[false, true])
            foreach (bool defaults in (bool[])[false, true])
                Assert.Equal(message,
                    type.ParseJson(message.ToJson(new JsonWriteOptions { UseProtoNames = ownNames, WriteDefaults = defaults })));
        foreach (MessageField field in type.Fields)
        {
            Message one = type.New();
            one.Set(field.Name, 7);
            Assert.Equal(one, type.ParseJson(one.ToJson()));
            Assert.Equal(one, type.ParseJson(one.ToJson(new JsonWriteOptions { UseProtoNames = true })));
        }
    }

    [Fact]
    public void A_long_chain_of_names_is_followed()
    {
        const int count = 18_000;
        // Each has the next one's name in JSON, and the last one the first one's JSON name: it moves all of them.
        string[] fields = [.. Enumerable.Range(0, count).Select(i => $"f{i}=f{i + 1}"), $"f{count}=f1"];
        MessageType type = TypeOf(fields);
        Message message = type.New();
        for (int i = 0; i <= count; i++) message.Set(type.Fields[i].Name, i);
        Assert.Equal(message, type.ParseJson(message.ToJson()));
    }

    private static MessageType TypeOf(string[] fields)
    {
        DescriptorProto message = new() { Name = "M" };
        foreach (string[] names in fields.Select(field => field.Split('=')))
        {
            FieldDescriptorProto field = new()
            { Name = names[0], Number = message.Field.Count + 1, Label = Label.Optional, Type = Kind.Int32 };
            if (names.Length > 1) field.JsonName = names[1];
            message.Field.Add(field);
        }
        FileDescriptorProto file = new() { Name = "names.proto", Package = "names", MessageType = { message } };
        return MessageSchema.Load(new FileDescriptorSet { File = { file } }.ToByteArray())["names.M"];
    }
}

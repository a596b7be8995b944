using System.Text.Json;
using Google.Protobuf;
using Google.Protobuf.Reflection;

namespace MemPrims.Tool.Tests;

// `message decode`: the schema is the descriptor of descriptors, the message one of it.
public class MessageTests
{
    private const string Type = "google.protobuf.FileDescriptorProto";

    [Fact]
    public void A_message_is_written_as_json()
    {
        using TempFolder folder = new();
        (string schema, string message) = Make(folder, "shop.proto");
        JsonElement json = JsonDocument.Parse(Decode(schema, Type, message).Succeeds().Output).RootElement;
        Assert.Equal("shop.proto", json.GetProperty("name").GetString());
        Assert.Equal("{\"name\":\"shop.proto\",\"dependency\":[\"a\",\"b\"]}\n",
            Command.Run("message", "decode", "--schema", schema, "--type", Type, message, "--compact").Succeeds().Output);
    }

    [Fact]
    public void Standard_input_will_do()
    {
        using TempFolder folder = new();
        (string schema, string message) = Make(folder, "shop.proto");
        string[] arguments = ["message", "decode", "--schema", schema, "--type", Type, "-"];
        Assert.Contains("shop.proto", Command.Run(arguments, [], File.ReadAllBytes(message)).Succeeds().Output);
    }

    [Fact]
    public void Text_that_would_move_the_terminal_is_escaped_and_comes_back()
    {
        using TempFolder folder = new();
        const string name = "\u001b[31m\u009b2J\u202Eevil\nline";
        (string schema, string message) = Make(folder, name);
        Ended ended = Decode(schema, Type, message).Succeeds();
        Assert.DoesNotContain('\u202E', ended.Output);
        Assert.Equal(name, JsonDocument.Parse(ended.Output).RootElement.GetProperty("name").GetString());
    }

    [Fact]
    public void Faults_are_told_with_the_file_that_has_them()
    {
        using TempFolder folder = new();
        (string schema, string message) = Make(folder, "shop.proto");
        string damaged = folder.File("damaged"), empty = folder.File("empty");
        File.WriteAllBytes(damaged, [0x0A, 0x7F, 1]);
        File.WriteAllBytes(empty, []);
        Decode(schema, Type, damaged).Fails(2, damaged);
        Decode(damaged, Type, message).Fails(2, damaged);
        Decode(schema, "no.Such", message).Fails(1, "no message type no.Such");
        Decode(folder.File("none"), Type, message).Fails(1, "none");
        Decode(schema, Type, folder.Path).Fails(1, "is a folder");
        Assert.Equal("{ }\n", Decode(schema, Type, empty).Succeeds().Output.Replace("{}", "{ }"));
        Command.Run("message", "decode", "--type", Type, message).Fails(1, "--schema");
    }

    [Theory, InlineData("syntax = \"proto3\";\nmessage Order { int64 id = 1; }\n")]
    [InlineData("// Orders.\r\npackage shop;\r\nenum Kind { None = 0; }\r\n")]
    public void The_text_of_a_schema_is_a_matter_of_usage(string text)
    {
        using TempFolder folder = TempFolder.With("shop.proto", out string schema);
        File.WriteAllText(schema, text);
        Decode(schema, "Order", schema).Fails(1, $"protoc --include_imports --descriptor_set_out=schema.pb {schema}");
    }

    private static Ended Decode(string schema, string type, string message) =>
        Command.Run("message", "decode", "--schema", schema, "--type", type, message);

    private static (string Schema, string Message) Make(TempFolder folder, string name)
    {
        string schema = folder.File("schema.pb"), message = folder.File("message.bin");
        FileDescriptorSet set = new();
        set.File.Add(DescriptorReflection.Descriptor.ToProto());
        File.WriteAllBytes(schema, set.ToByteArray());
        File.WriteAllBytes(message, new FileDescriptorProto { Name = name, Dependency = { "a", "b" } }.ToByteArray());
        return (schema, message);
    }
}

using Google.Protobuf;
using Google.Protobuf.Reflection;

namespace MemPrims.Wire.Tests;

// Messages with every number of fields from 0 to some above 32, where they are kept in another way: each field has its own place.
public class FieldCountTests
{
    private static readonly MessageSchema s_schema = MessageSchema.Load(Set());

    public static TheoryData<int> Counts() => [.. Enumerable.Range(0, 35)];

    [Theory]
    [MemberData(nameof(Counts))]
    public void Each_field_has_its_own_place(int fields)
    {
        MessageType type = s_schema[$"counts.M{fields}"];
        Message message = type.New();
        // What lies beside a message in memory is another one: neither may reach into the other.
        Message[] beside = [.. Enumerable.Range(0, 4).Select(_ => type.New())];
        for (int round = 0; round < 2; round++)
        {
            for (int number = 1; number <= fields; number++)
                if (number % 3 == 0) message.Set($"f{number}", $"text {round} {number}");
                else if (number % 3 == 1) message.Set(type.Field<long>(number), number + round);
                else message.GetOrNew($"f{number}").Set("f1", (long)number * round);
            GC.Collect();
            Assert.All(beside, one => Assert.Empty(one.SetFields));
            Message decoded = type.Decode(message.ToByteArray());
            Assert.Equal(fields, decoded.SetFields.Count());
            Assert.Equal(message, decoded);
            Assert.Equal(message.ToByteArray(), decoded.ToByteArray());
            for (int number = 1; number <= fields; number++)
                if (number % 3 == 0) Assert.Equal($"text {round} {number}", decoded.Get<string>($"f{number}"));
                else if (number % 3 == 1) Assert.Equal(number + round, decoded.Get<long>($"f{number}"));
                else Assert.Equal((long)number * round, decoded.Get<Message>($"f{number}")!.Get<long>("f1"));
        }
    }

    private static byte[] Set()
    {
        FileDescriptorProto file = new() { Name = "counts.proto", Package = "counts", Syntax = "proto2" };
        foreach (int fields in Enumerable.Range(0, 35))
        {
            DescriptorProto type = new() { Name = $"M{fields}" };
            for (int number = 1; number <= fields; number++)
                type.Field.Add(new FieldDescriptorProto
                {
                    Name = $"f{number}", Number = number, Label = FieldDescriptorProto.Types.Label.Optional,
                    Type = number % 3 == 0 ? FieldDescriptorProto.Types.Type.String
                        : number % 3 == 1 ? FieldDescriptorProto.Types.Type.Int64 : FieldDescriptorProto.Types.Type.Message,
                    TypeName = number % 3 == 2 ? ".counts.M1" : "",
                });
            file.MessageType.Add(type);
        }
        return new FileDescriptorSet { File = { file } }.ToByteArray();
    }
}

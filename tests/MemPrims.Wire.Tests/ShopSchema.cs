using Google.Protobuf;
using Google.Protobuf.Reflection;
using Kind = Google.Protobuf.Reflection.FieldDescriptorProto.Types.Type;
using Label = Google.Protobuf.Reflection.FieldDescriptorProto.Types.Label;

namespace MemPrims.Wire.Tests;

// The descriptor set that the README's code reads from a file.
internal static class ShopSchema
{
    public static byte[] ToByteArray()
    {
        DescriptorProto entry = new()
        {
            Name = "LabelsEntry",
            Options = new() { MapEntry = true },
            Field = { Field("key", 1, Kind.String), Field("value", 2, Kind.Int32) },
        };
        DescriptorProto order = new()
        {
            Name = "Order",
            Field =
            {
                Field("id", 1, Kind.String), List("lines", 2, ".shop.Line"), List("labels", 3, ".shop.Order.LabelsEntry"),
                new FieldDescriptorProto { Name = "sizes", JsonName = "sizes", Number = 4, Label = Label.Repeated, Type = Kind.Int32 },
                new FieldDescriptorProto
                {
                    Name = "placed", JsonName = "placed", Number = 5, Label = Label.Optional, Type = Kind.Message,
                    TypeName = ".google.protobuf.Timestamp",
                },
            },
            NestedType = { entry },
        };
        DescriptorProto line = new() { Name = "Line", Field = { Field("sku", 1, Kind.String) } };
        FileDescriptorProto file = new() { Name = "shop.proto", Package = "shop", Syntax = "proto3", MessageType = { order, line } };
        FileDescriptorProto time = Google.Protobuf.WellKnownTypes.TimestampReflection.Descriptor.ToProto();
        file.Dependency.Add(time.Name);
        return new FileDescriptorSet { File = { time, file } }.ToByteArray();
    }

    private static FieldDescriptorProto Field(string name, int number, Kind kind) =>
        new() { Name = name, JsonName = name, Number = number, Label = Label.Optional, Type = kind };

    private static FieldDescriptorProto List(string name, int number, string type) =>
        new() { Name = name, JsonName = name, Number = number, Label = Label.Repeated, Type = Kind.Message, TypeName = type };
}

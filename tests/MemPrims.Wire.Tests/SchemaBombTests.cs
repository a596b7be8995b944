using System.Diagnostics;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using Kind = Google.Protobuf.Reflection.FieldDescriptorProto.Types.Type;
using Label = Google.Protobuf.Reflection.FieldDescriptorProto.Types.Label;

namespace MemPrims.Wire.Tests;

// Schemas that were made to do harm. Each is refused by a limit, or loaded with memory in proportion to its bytes and in about the time of
// a harmless one of the same size.
public class SchemaBombTests
{
    // What SchemaLimits promises, and what a schema takes that has nothing in it.
    private const long MemoryPerByte = 200, Fixed = 1 << 20;

    private static readonly SchemaLimits s_wide = new() { MaxNameLength = 1 << 20, MaxTypes = int.MaxValue };

    [Fact]
    public void Long_names_around_many_others_take_memory_once()
    {
        string name = new('n', 1 << 18);
        DescriptorProto fields = new() { Name = name }, outer = new() { Name = name };
        for (int i = 1; i <= 20_000; i++)
        {
            if (i is < 19_000 or > 19_999) fields.Field.Add(F($"f{i}", i));
            outer.NestedType.Add(new DescriptorProto { Name = $"M{i}" });
        }
        foreach (FileDescriptorProto file in (FileDescriptorProto[])[new() { Name = "f", MessageType = { fields } },
            new() { Name = "f", MessageType = { outer } }, new() { Name = "f", Package = name, MessageType = { outer.NestedType } }])
        {
            byte[] set = SetOf(file);
            Refuse(set, null, nameof(SchemaLimits.MaxNameLength));
            Load(set, s_wide);
        }
    }

    [Fact]
    public void A_full_name_has_a_limit_whatever_its_parts_have()
    {
        DescriptorProto message = new() { Name = new('n', 300) };
        for (int i = 0; i < 5; i++) message = new() { Name = new('n', 300), NestedType = { message } };
        Refuse(SetOf(new FileDescriptorProto { Name = "f", MessageType = { message } }), null, nameof(SchemaLimits.MaxNameLength));
        message = new() { Name = new('n', 600), Field = { F(new('f', 600), 1) } };
        Refuse(SetOf(new FileDescriptorProto { Name = "f", MessageType = { message } }), null, nameof(SchemaLimits.MaxNameLength));
        Refuse(SetOf(new FileDescriptorProto { Name = new('f', 2_000) }), null, nameof(SchemaLimits.MaxNameLength));
        string deep = string.Join('.', Enumerable.Repeat("a", 101));
        Refuse(SetOf(new FileDescriptorProto { Name = "f", Package = deep }), null, nameof(SchemaLimits.MaxNesting));
    }

    [Fact]
    public void Files_and_oneofs_are_counted()
    {
        byte[] empty = Bytes([0x0A, 0x00], 2_000_000);
        Refuse(empty, null, nameof(SchemaLimits.MaxFiles));
        Refuse(empty, new() { MaxFiles = 5 }, nameof(SchemaLimits.MaxFiles));
        byte[] oneofs = OneofSet(1_000_000);
        Refuse(oneofs, null, nameof(SchemaLimits.MaxOneofs));
        Load(oneofs, new() { MaxOneofs = int.MaxValue });
    }

    [Fact]
    public void Many_small_things_take_memory_in_proportion()
    {
        Load(SetOf(Wide(100_000, i => F($"f{i}", i + 20_000))));
        FileDescriptorProto members = Wide(60_000, i => { FieldDescriptorProto f = F($"f{i}", i + 20_000); f.OneofIndex = i; return f; });
        for (int i = 0; i < 60_000; i++) members.MessageType[0].OneofDecl.Add(new OneofDescriptorProto { Name = $"o{i}" });
        Load(SetOf(members));
        FileDescriptorProto messages = new() { Name = "f" };
        for (int i = 0; i < 100_000; i++) messages.MessageType.Add(new DescriptorProto { Name = $"M{i}" });
        Load(SetOf(messages));
        DescriptorProto.Types.ExtensionRange range = new() { Start = 20_000, End = 100_000_000 };
        FileDescriptorProto extended = new()
        {
            Name = "f", Package = new('p', 900), MessageType = { new DescriptorProto { Name = "M", ExtensionRange = { range } } },
        };
        for (int i = 0; i < 50_000; i++)
        {
            FieldDescriptorProto extension = F($"x{i}", i + 20_000);
            extension.Extendee = "M";
            extended.Extension.Add(extension);
        }
        Load(SetOf(extended));
    }

    // Where a schema is made to take time, one like it without malice says how much time is right.
    public static TheoryData<string> Slow() =>
        ["relative names", "absolute names of many parts", "enum numbers", "field numbers", "ranges"];

    [Theory]
    [MemberData(nameof(Slow))]
    public void Malice_costs_no_more_time_than_size(string what)
    {
        (byte[] hostile, byte[] harmless) = what switch
        {
            "relative names" => (Naming(string.Join('.', Enumerable.Repeat("a", 100)), 30_000, "T"), Naming("a", 30_000, "T")),
            "absolute names of many parts" => (PartsSet("a"), PartsSet("b")),
            // A plain dictionary of this size has 360,007 buckets and more: the next prime that it takes.
            "enum numbers" => (EnumSet(i => (int)((long)i * 225_307 % int.MaxValue)), EnumSet(i => i)),
            "field numbers" => (SetOf(Wide(60_000, i => F($"f{i}", (int)((long)(i + 1) * 84_199 % 536_000_000) | 1 << 20))),
                SetOf(Wide(60_000, i => F($"f{i}", i + 20_000)))),
            _ => (Ranges(100_000), Ranges(1)),
        };
        Try(harmless);
        TimeSpan right = Time(harmless), taken = Time(hostile);
        // The old ways took a thousand times as long. A machine that is busy with other things does not come near.
        Assert.True(taken < 20 * right + TimeSpan.FromSeconds(1), $"{taken} for {hostile.Length} bytes; {right} for {harmless.Length}");

        static TimeSpan Time(byte[] set)
        {
            long start = Stopwatch.GetTimestamp();
            Try(set);
            return Stopwatch.GetElapsedTime(start);
        }
    }

    [Fact]
    public void A_message_with_a_oneof_of_many_members_is_decoded_in_time()
    {
        const int Members = 40_000;
        FileDescriptorProto file = Wide(Members, i => { FieldDescriptorProto f = F($"f{i}", i + 20_000); f.OneofIndex = 0; return f; });
        file.MessageType[0].OneofDecl.Add(new OneofDescriptorProto { Name = "o" });
        MessageType type = MessageSchema.Load(SetOf(file))["M"];
        byte[] bytes = [.. Enumerable.Range(0, 400_000).SelectMany(i => Wired.Number(20_000 + i % 2 * (Members - 1), 7))];
        Message message = type.Decode(bytes);
        Assert.Equal($"f{Members - 1}", message.WhichOf("o")!.Name);
        Assert.True(type.Path($"f{Members - 1}").TryRead(bytes, out int value) && value == 7);
        Assert.False(type.Path("f0").TryRead(bytes, out value));
    }

    // What is refused counts as well: it is refused after the same work.
    private static void Try(byte[] set)
    {
        try
        {
            MessageSchema.Load(set, new() { MaxNameLength = 1 << 22 });
        }
        catch (WireException)
        {
        }
    }

    private static void Load(byte[] set, SchemaLimits? limits = null)
    {
        MessageSchema.Load(TestSchemas.Set);
        long before = GC.GetAllocatedBytesForCurrentThread();
        MessageSchema schema = MessageSchema.Load(set, limits);
        long taken = GC.GetAllocatedBytesForCurrentThread() - before;
        Assert.True(taken < MemoryPerByte * set.Length + Fixed,
            $"{taken} bytes of memory for {set.Length}: {(double)taken / set.Length:F0} for each");
        GC.KeepAlive(schema);
    }

    private static void Refuse(byte[] set, SchemaLimits? limits, string limit)
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        Assert.Contains(limit, Assert.Throws<WireException>(() => MessageSchema.Load(set, limits)).Message);
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, MemoryPerByte * set.Length + Fixed);
    }

    // Messages in a deep package, and fields that name one by its simple name.
    private static byte[] Naming(string package, int count, string target)
    {
        FileDescriptorProto root = new() { Name = "t", MessageType = { new DescriptorProto { Name = target } } };
        FileDescriptorProto deep = new() { Name = "f", Package = package, Dependency = { "t" } };
        for (int i = 0; i < count; i++)
            deep.MessageType.Add(new DescriptorProto { Name = $"M{i}", Field = { F("f", 1, Kind.Message, target) } });
        return SetOf(root, deep);
    }

    private static byte[] PartsSet(string part) => SetOf(new FileDescriptorProto
    {
        Name = "f", Package = "a.a.a",
        MessageType =
        {
            new DescriptorProto { Name = "a", Field = { F("f", 1, Kind.Message, string.Join('.', Enumerable.Repeat(part, 200_000))) } },
        }
    });

    private static byte[] EnumSet(Func<int, int> number)
    {
        EnumDescriptorProto numbers = new() { Name = "E" };
        for (int i = 0; i < 200_000; i++) numbers.Value.Add(new EnumValueDescriptorProto { Name = $"V{i}", Number = number(i) });
        return SetOf(new FileDescriptorProto { Name = "f", EnumType = { numbers } });
    }

    private static byte[] Ranges(int ranges)
    {
        const int Extensions = 100_000;
        FileDescriptorProto file = new() { Name = "f", MessageType = { new DescriptorProto { Name = "M" } } };
        for (int i = 0; i < ranges; i++)
            file.MessageType[0].ExtensionRange.Add(new DescriptorProto.Types.ExtensionRange
            { Start = 20_000 + i * (Extensions / ranges), End = 20_000 + (i + 1) * (Extensions / ranges) });
        for (int i = 0; i < Extensions; i++)
        {
            FieldDescriptorProto extension = F($"x{i}", 20_000 + Extensions - 1 - i % 10);
            extension.Number = 20_000 + i;
            extension.Extendee = ".M";
            file.Extension.Add(extension);
        }
        return SetOf(file);
    }

    private static byte[] OneofSet(int count)
    {
        byte[] message = [.. Wired.Inside(1, "M"u8.ToArray()), .. Bytes([0x42, 0x03, 0x0A, 0x01, 0x6F], count)];
        return Wired.Inside(1, [.. Wired.Inside(1, "f"u8.ToArray()), .. Wired.Inside(4, message)]);
    }

    private static FileDescriptorProto Wide(int fields, Func<int, FieldDescriptorProto> field)
    {
        DescriptorProto message = new() { Name = "M" };
        for (int i = 0; i < fields; i++) message.Field.Add(field(i));
        return new() { Name = "f", MessageType = { message } };
    }

    private static byte[] Bytes(byte[] once, int times)
    {
        byte[] all = new byte[once.Length * times];
        for (int i = 0; i < times; i++) once.CopyTo(all, i * once.Length);
        return all;
    }

    private static byte[] SetOf(params FileDescriptorProto[] files) => new FileDescriptorSet { File = { files } }.ToByteArray();

    private static FieldDescriptorProto F(string name, int number, Kind kind = Kind.Int32, string type = "")
    {
        FieldDescriptorProto field = new() { Name = name, Number = number, Type = kind, Label = Label.Optional };
        if (type.Length > 0) field.TypeName = type;
        return field;
    }
}

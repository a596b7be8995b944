using Google.Protobuf;
using Google.Protobuf.Reflection;
using Kind = Google.Protobuf.Reflection.FieldDescriptorProto.Types.Type;
using Label = Google.Protobuf.Reflection.FieldDescriptorProto.Types.Label;

namespace MemPrims.Wire.Tests;

// A schema that contradicts itself is refused, with its file, message and field.
public class SchemaTests
{
    [Fact]
    public void Faults_are_told_with_file_message_and_field()
    {
        Fault("the number 1 is that of p.M.a too", "f.proto: p.M.b", M(F("a", 1), F("b", 1)));
        Fault("declared twice", "f.proto: p.M.a", M(F("a", 1), F("a", 2)));
        Fault("out of range", "f.proto: p.M.a", M(F("a", 0)));
        Fault("out of range", "f.proto: p.M.a", M(F("a", 536_870_912)));
        Fault("reserved", "f.proto: p.M.a", M(F("a", 19_500)));
        Fault("is not in the set", "f.proto: p.M.a", M(F("a", 1, Kind.Message, ".p.Nowhere")));
        Fault("is no enum", "f.proto: p.M.a", M(F("a", 1, Kind.Enum, ".p.M")));
        Fault("no name of a field", "f.proto: p.M.a-b", M(F("a-b", 1)));
        Fault("is no Int32", "f.proto: p.M.a", M(F("a", 1, text: "x")));
        Fault("declared twice", "f.proto: p.M", M(F("a", 1)), M(F("a", 1)));
        FieldDescriptorProto lost = F("a", 1);
        lost.OneofIndex = 3;
        Fault("the message has 0", "f.proto: p.M.a", M(lost));
        FieldDescriptorProto kind = F("a", 1);
        kind.Type = (Kind)99;
        Fault("is not known", "f.proto: p.M.a", M(kind));
    }

    [Fact]
    public void Files_have_to_be_whole_and_without_cycles()
    {
        FileDescriptorProto a = new() { Name = "a.proto", Dependency = { "b.proto" } },
            b = new() { Name = "b.proto", Dependency = { "a.proto" } };
        Assert.Contains("imports a.proto, which imports it in turn", Load(a, b).Message);
        Assert.Contains("--include_imports", Load(a).Message);
        Assert.Contains("twice", Load(new FileDescriptorProto { Name = "a.proto" }, new FileDescriptorProto { Name = "a.proto" }).Message);
        Assert.Contains("syntax", Load(new FileDescriptorProto { Name = "a.proto", Syntax = "proto9" }).Message);
    }

    [Fact]
    public void A_chain_of_imports_may_be_as_long_as_the_set()
    {
        FileDescriptorSet set = new();
        for (int i = 0; i < 20_000; i++)
            set.File.Add(i < 19_999 ? new FileDescriptorProto { Name = $"f{i}", Dependency = { $"f{i + 1}" } } : new() { Name = $"f{i}" });
        byte[] bytes = set.ToByteArray();
        Exception? failure = null;
        Thread thread = new(() => failure = Record.Exception(() => MessageSchema.Load(bytes)), 256 << 10);
        thread.Start();
        thread.Join();
        Assert.Null(failure);
    }

    [Fact]
    public void A_path_may_have_a_hundred_keys_and_no_more()
    {
        DescriptorProto entry = new() { Name = "MEntry", Options = new() { MapEntry = true } };
        entry.Field.Add(F("key", 1, Kind.String));
        entry.Field.Add(F("value", 2, Kind.Message, ".p.M"));
        FieldDescriptorProto map = F("m", 1, Kind.Message, ".p.M.MEntry");
        map.Label = FieldDescriptorProto.Types.Label.Repeated;
        DescriptorProto message = M(map);
        message.NestedType.Add(entry);
        FileDescriptorProto file = new() { Name = "f.proto", Package = "p", Syntax = "proto3", MessageType = { message } };
        MessageType type = MessageSchema.Load(new FileDescriptorSet { File = { file } }.ToByteArray())["p.M"];
        type.Path(string.Join('.', Enumerable.Repeat("m[\"a\"]", 100)));
        Assert.Contains("more than 100 steps",
            Assert.Throws<ArgumentException>(() => type.Path(string.Join('.', Enumerable.Repeat("m[\"a\"]", 101)))).Message);
    }

    [Fact]
    public void Types_are_those_of_the_file_of_its_imports_and_of_what_these_import_publicly()
    {
        FileDescriptorProto a = new() { Name = "a.proto", Package = "a", MessageType = { M() } },
            b = new() { Name = "b.proto", Package = "b", Dependency = { "a.proto" } },
            c = new() { Name = "c.proto", Package = "c", Dependency = { "b.proto" } },
            d = new() { Name = "d.proto", Package = "d", Dependency = { "c.proto" } };
        d.MessageType.Add(M(F("f", 1, Kind.Message, ".a.M")));
        a.EnumType.Add(new EnumDescriptorProto { Name = "E", Value = { new EnumValueDescriptorProto { Name = "ZERO", Number = 0 } } });
        Refused();
        b.PublicDependency.Add(0);
        Refused();
        c.PublicDependency.Add(0);
        Assert.Equal("a.M", Loaded()["d.M"].Fields[0].MessageType!.FullName);
        b.PublicDependency.Clear();
        Refused();
        d.Dependency.Add("a.proto");
        Loaded();
        // A name that is not full, an enum and an extension are looked for in the same way.
        d.Dependency.RemoveAt(1);
        d.MessageType[0].Field[0].TypeName = "a.M";
        Refused();
        d.MessageType[0].Field[0] = F("f", 1, Kind.Enum, ".a.E");
        Refused();
        d.MessageType.Clear();
        a.MessageType[0].ExtensionRange.Add(new DescriptorProto.Types.ExtensionRange { Start = 5, End = 6 });
        FieldDescriptorProto extension = F("x", 5);
        extension.Extendee = ".a.M";
        d.Extension.Add(extension);
        Refused();
        b.PublicDependency.Add(0);
        Loaded();
        c.PublicDependency[0] = 1;
        Assert.Contains("public import", Load(a, b, c, d).Message);

        void Refused()
        {
            WireException told = Load(a, b, c, d);
            Assert.Contains("a.proto, which the file does not import", told.Message);
            Assert.StartsWith("d.proto: d.", told.Path);
        }

        MessageSchema Loaded() => MessageSchema.Load(new FileDescriptorSet { File = { a, b, c, d } }.ToByteArray());
    }

    [Fact]
    public void Every_type_knows_its_schema()
    {
        MessageSchema schema = TestSchemas.All;
        int entries = 0;
        foreach (MessageField field in schema.Messages.SelectMany(type => type.Fields).Where(field => field.MessageType is not null))
        {
            Assert.Same(schema, field.MessageType!.Schema);
            entries += field.MessageType.IsMapEntry ? 1 : 0;
        }
        Assert.True(entries > 0);
        Assert.All(schema.Messages, type => Assert.Same(schema, type.Schema));
    }

    [Fact]
    public void Extensions_stay_in_their_ranges()
    {
        FileDescriptorProto file = new() { Name = "f.proto", Package = "p", MessageType = { M() } };
        FieldDescriptorProto extension = F("x", 5);
        extension.Extendee = ".p.M";
        file.Extension.Add(extension);
        Assert.Contains("no extension range", Load(file).Message);
        file.MessageType[0].ExtensionRange.Add(new DescriptorProto.Types.ExtensionRange { Start = 5, End = 6 });
        MessageSchema schema = MessageSchema.Load(new FileDescriptorSet { File = { file } }.ToByteArray());
        Assert.True(schema["p.M"].TryGetField("[p.x]", out MessageField? field) && field.IsExtension && field.Number == 5);
    }

    // Decoding takes each field of a message set for an extension in an item, so it has no other.
    [Fact]
    public void A_message_set_has_no_fields_of_its_own()
    {
        foreach (Label label in (Label[])[Label.Optional, Label.Repeated])
        {
            FieldDescriptorProto own = F("a", 3, Kind.Message, ".p.M");
            own.Label = label;
            DescriptorProto set = M(own);
            set.Options = new() { MessageSetWireFormat = true };
            Fault("a message set has extensions", "f.proto: p.M", set);
        }
        DescriptorProto empty = M(), other = new() { Name = "N" };
        empty.Options = new() { MessageSetWireFormat = true };
        empty.ExtensionRange.Add(new DescriptorProto.Types.ExtensionRange { Start = 3, End = int.MaxValue });
        FieldDescriptorProto list = F("x", 5, Kind.Message, ".p.N");
        (list.Extendee, list.Label) = (".p.M", Label.Repeated);
        FileDescriptorProto file = new() { Name = "f.proto", Package = "p", MessageType = { empty, other }, Extension = { list } };
        Assert.Contains("one message", Load(file).Message);
        list.Label = Label.Optional;
        MessageSchema.Load(new FileDescriptorSet { File = { file } }.ToByteArray());
    }

    [Fact]
    public void Entries_of_maps_have_their_form()
    {
        Assert.Null(Map(_ => { }));
        Refuse("key", (_, entry) => entry.Field[0].Label = Label.Repeated);
        Refuse("key", (_, entry) => entry.Field[0].Label = Label.Required);
        Refuse("key", (_, entry) => { entry.OneofDecl.Add(new OneofDescriptorProto { Name = "o" }); entry.Field[1].OneofIndex = 0; });
        Refuse("key", (_, entry) => entry.ExtensionRange.Add(new DescriptorProto.Types.ExtensionRange { Start = 5, End = 6 }));
        Refuse("key", (_, entry) => entry.Field.Add(F("more", 3)));
        Refuse("repeated", (field, _) => field.Label = Label.Optional);
        Refuse("repeated", (field, _) => field.Type = Kind.Group);

        static void Refuse(string reason, Action<FieldDescriptorProto, DescriptorProto> spoil) =>
            Assert.Contains(reason, Map(message => spoil(message.Field[0], message.NestedType[0]))?.Message);

        static WireException? Map(Action<DescriptorProto> spoil)
        {
            FieldDescriptorProto field = F("a", 1, Kind.Message, ".p.M.AEntry");
            field.Label = Label.Repeated;
            DescriptorProto message = M(field);
            message.NestedType.Add(new DescriptorProto
            {
                Name = "AEntry", Options = new() { MapEntry = true },
                Field = { F("key", 1), F("value", 2) }
            });
            spoil(message);
            FileDescriptorProto file = new() { Name = "f.proto", Package = "p", MessageType = { message } };
            return (WireException?)Record.Exception(() => MessageSchema.Load(new FileDescriptorSet { File = { file } }.ToByteArray()));
        }
    }

    [Fact]
    public void An_edition_from_the_future_is_refused()
    {
        Assert.Contains("edition 1099", Load(File((Edition)1099)).Message);
        Assert.Contains("edition 0", Load(File(Edition.Unknown)).Message);
        MessageSchema.Load(new FileDescriptorSet { File = { File(Edition._2023) } }.ToByteArray());

        static FileDescriptorProto File(Edition edition) => new() { Name = "f.proto", Syntax = "editions", Edition = edition };
    }

    [Fact]
    public void Extension_ranges_have_numbers_and_do_not_meet()
    {
        Fault("has no number", "f.proto: p.M", Ranged((5, 5)));
        Fault("has no number", "f.proto: p.M", Ranged((0, 5)));
        Fault("two extension ranges", "f.proto: p.M", Ranged((5, 9), (1, 6)));
        FileDescriptorProto file = new() { Name = "f", MessageType = { Ranged((5, 9), (1, 5)) } };
        MessageSchema.Load(new FileDescriptorSet { File = { file } }.ToByteArray());

        static DescriptorProto Ranged(params (int Start, int End)[] ranges)
        {
            DescriptorProto message = M();
            foreach ((int start, int end) in ranges)
                message.ExtensionRange.Add(new DescriptorProto.Types.ExtensionRange { Start = start, End = end });
            return message;
        }
    }

    [Fact]
    public void Names_are_found_from_the_inside_out()
    {
        DescriptorProto inner = new() { Name = "Inner" }, outer = new()
        {
            Name = "Outer", NestedType = { inner },
            Field = { F("a", 1, Kind.Message, "Inner"), F("b", 2, Kind.Message, "Outer.Inner"), F("c", 3, Kind.Message, "q.Outer.Inner"),
                F("d", 4, Kind.Message, "Far") }
        };
        FileDescriptorProto far = new() { Name = "far", Package = "p", MessageType = { new DescriptorProto { Name = "Far" } } };
        FileDescriptorProto file = new() { Name = "f", Package = "p.q", MessageType = { outer }, Dependency = { "far" } };
        MessageSchema schema = MessageSchema.Load(new FileDescriptorSet { File = { far, file } }.ToByteArray());
        Assert.Equal(["p.q.Outer.Inner", "p.q.Outer.Inner", "p.q.Outer.Inner", "p.Far"],
            schema["p.q.Outer"].Fields.Select(field => field.MessageType!.FullName));
        Assert.False(schema.TryGetMessage("p.q", out _) || schema.TryGetMessage("p.q.", out _) || schema.TryGetMessage("", out _)
            || schema.TryGetMessage("p.q.Outer.Inner.x", out _));
        file.Package = "p.Far";
        Assert.Contains("the name of a message", Load(far, file).Message);
        file.Package = "p..q";
        Assert.Contains("no name of a package", Load(far, file).Message);
    }

    [Fact]
    public void Enums_tell_their_numbers_by_any_form()
    {
        foreach (int[] numbers in (int[][])[[0, 1, 2, 3], [3, 1, 2, 0], [7, -5, int.MaxValue, int.MinValue, 0],
            [int.MinValue, int.MaxValue], [5]])
        {
            EnumDescriptorProto type = new() { Name = "E", Options = new() { AllowAlias = true } };
            for (int i = 0; i < numbers.Length; i++) type.Value.Add(new EnumValueDescriptorProto { Name = $"V{i}", Number = numbers[i] });
            type.Value.Add(new EnumValueDescriptorProto { Name = "Alias", Number = numbers[0] });
            FileDescriptorProto file = new() { Name = "f", EnumType = { type } };
            Assert.True(MessageSchema.Load(new FileDescriptorSet { File = { file } }.ToByteArray()).TryGetEnum("E", out EnumType? loaded));
            for (int i = 0; i < numbers.Length; i++) Assert.Equal($"V{i}", loaded.GetName(numbers[i]));
            foreach (int other in (int[])[-6, -1, 4, 6, 8, int.MaxValue - 1, int.MinValue + 1])
                Assert.Equal(numbers.Contains(other), loaded.GetName(other) is not null);
            type.Options = null;
            Assert.Contains($"the number {numbers[0]} is declared twice", Load(file).Message);
        }
    }

    [Fact]
    public void Bytes_types_fields_and_nesting_have_limits()
    {
        DescriptorProto nested = M(F("a", 1)), outer = nested;
        for (int i = 0; i < 200; i++) outer = new() { Name = "N", NestedType = { outer } };
        Assert.Contains("MaxNesting", Load(new FileDescriptorProto { Name = "f.proto", MessageType = { outer } }).Message);
        Refuse(new() { MaxBytes = 100 }, "MaxBytes");
        Refuse(new() { MaxTypes = 3 }, "MaxTypes");
        Refuse(new() { MaxFields = 50 }, "MaxFields");

        static void Refuse(SchemaLimits limits, string name) =>
            Assert.Contains(name, Assert.Throws<WireException>(() => MessageSchema.Load(TestSchemas.Set, limits)).Message);
    }

    [Fact]
    public void Every_fact_of_a_field_is_told()
    {
        MessageType type = TestSchemas.Everything2;
        Assert.Equal(type.Fields.Select(f => f.Number).Order(), type.Fields.Select(f => f.Number));
        Assert.True(type.TryGetField("bunch", out MessageField? group) && group.Kind == FieldKind.Group
            && group.MessageType!.Name == "Bunch");
        MessageType defaults = TestSchemas.All["memprims.test2.Defaults"];
        Assert.Equal([-7, "a \"text\" ä", double.PositiveInfinity, float.NaN, true, 5, ulong.MaxValue, 1],
            defaults.Fields.Where(f => f.Name != "raw").Select(f => f.DefaultValue));
        Assert.Equal([1, 255, 120, 92], defaults.New().Get<byte[]>("raw"));
        Assert.Equal(5, defaults.New().Get<int>("level"));
        Assert.True(TestSchemas.Everything3.TryGetField("by_bool", out MessageField? map) && map.IsMap && map.JsonName == "byBool");
        Assert.Equal(["pick_number", "pick_text", "pick_message", "pick_mood", "pick_bytes"],
            TestSchemas.Everything3.Oneofs.Single().Fields.Select(f => f.Name));
        Assert.Equal(5, TestSchemas.All.Extensions.Count);
        Assert.Throws<KeyNotFoundException>(() => TestSchemas.All["memprims.test.None"]);
    }

    [Theory]
    [InlineData(@"\x4142\x4\X5a!", new byte[] { 0x41, (byte)'4', (byte)'2', 4, 0x5A, (byte)'!' })]
    [InlineData(@"\1018\08\377", new byte[] { 0x41, (byte)'8', 0, (byte)'8', 255 })]
    [InlineData(@"\a\b\t\n\v\f\r\\\'\""\?", new byte[] { 7, 8, 9, 10, 11, 12, 13, (byte)'\\', (byte)'\'', (byte)'"', (byte)'?' })]
    public void Default_bytes_are_read_with_their_escapes(string text, byte[] expected)
    {
        FileDescriptorProto file = new() { Name = "f.proto", MessageType = { M(F("raw", 1, Kind.Bytes, text: text)) } };
        MessageSchema schema = MessageSchema.Load(new FileDescriptorSet { File = { file } }.ToByteArray());
        Assert.Equal(expected, schema["M"].New().Get<byte[]>("raw"));
    }

    [Theory]
    [InlineData(@"\")]
    [InlineData(@"\x")]
    [InlineData(@"\xg")]
    [InlineData(@"\q")]
    public void Default_bytes_with_half_an_escape_are_refused(string text) => Fault("is no Bytes", "f.proto: p.M.raw",
        M(F("raw", 1, Kind.Bytes, text: text)));

    private static void Fault(string reason, string path, params DescriptorProto[] messages)
    {
        WireException e = Load(new FileDescriptorProto { Name = "f.proto", Package = "p", MessageType = { messages } });
        Assert.Contains(reason, e.Message);
        Assert.Equal(path, e.Path);
    }

    private static WireException Load(params FileDescriptorProto[] files) =>
        Assert.Throws<WireException>(() => MessageSchema.Load(new FileDescriptorSet { File = { files } }.ToByteArray()));

    private static DescriptorProto M(params FieldDescriptorProto[] fields) => new() { Name = "M", Field = { fields } };

    private static FieldDescriptorProto F(string name, int number, Kind kind = Kind.Int32, string type = "", string text = "")
    {
        FieldDescriptorProto field = new() { Name = name, Number = number, Type = kind, Label = Label.Optional };
        if (type.Length > 0) field.TypeName = type;
        if (text.Length > 0) field.DefaultValue = text;
        return field;
    }
}

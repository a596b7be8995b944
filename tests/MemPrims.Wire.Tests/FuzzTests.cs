using System.Text;
using Google.Protobuf;
using Google.Protobuf.Reflection;

namespace MemPrims.Wire.Tests;

// Foreign bytes for each parser: they end in a WireException, or in the same message on every way. Findings stand as cases in the tests of
// what they broke.
public class FuzzTests
{
    private static readonly MessageType[] s_types = [TestSchemas.Everything2, TestSchemas.Everything3, TestSchemas.Order,
        TestSchemas.Known,
        TestSchemas.All["memprims.test.Inner3"], .. TestSchemas.Random.Messages];

    private static readonly byte[][] s_sets = [.. TestSchemas.RandomFiles.Select(file => TestSchemas.SetOf(file)),
        ShopSchema.ToByteArray(),
        MessageSets(), TestSchemas.Set];

    [Fact]
    public void Descriptor_sets() => Fuzzing.Run(random =>
    {
        byte[] set = Fuzzing.Mutate(random, s_sets[random.Next(s_sets.Length)], s_sets[random.Next(s_sets.Length)]);
        MessageSchema schema;
        try
        {
            schema = MessageSchema.Load(set);
        }
        catch (WireException)
        {
            return;
        }
        // What was loaded is used: a schema may not make the rest of the library err.
        for (int i = 0; i < 5 && schema.Messages.Count > 0; i++) Ways(random, schema.Messages[random.Next(schema.Messages.Count)]);
    });

    [Fact]
    public void Messages_eagerly_and_lazily() => Fuzzing.Run(random => Ways(random, s_types[random.Next(s_types.Length)]));

    [Fact]
    public void Json() => Fuzzing.Run(random =>
    {
        MessageType type = s_types[random.Next(s_types.Length)];
        if (Fuzzing.Try(() => type.Decode(Fuzzing.Message(random, type), s_partial)) is not { } message) return;
        byte[] json = Encoding.UTF8.GetBytes(message.ToString());
        byte[] damaged = random.Next(4) == 0 ? json : Fuzzing.Mutate(random, json, json);
        if (Fuzzing.Try(() => type.ParseJson(damaged, new() { AllowPartial = true })) is not { } parsed) return;
        Assert.Equal(parsed, type.ParseJson(parsed.ToJson(), new() { AllowPartial = true }));
    });

    [Fact]
    public void Paths() => Fuzzing.Run(random =>
    {
        MessageType type = s_types[random.Next(s_types.Length)];
        byte[] bytes = Fuzzing.Message(random, type);
        if (random.Next(2) == 0) bytes = [.. bytes, .. Fuzzing.Message(random, type)];
        if (random.Next(3) == 0) bytes = Fuzzing.Mutate(random, bytes, bytes);
        Message? whole = Fuzzing.Try(() => type.Decode(bytes, s_partial));
        for (int i = 0; i < 10; i++) RandomPath.Draw(random, type, whole)?.Check(bytes, whole);
        // A path of which nobody knows what it means.
        if (RandomPath.Draw(random, type, whole) is not { } drawn) return;
        byte[] text = Encoding.UTF8.GetBytes(drawn.Text);
        string damaged = Encoding.UTF8.GetString(Fuzzing.Mutate(random, text, text));
        try
        {
            type.Path(damaged).ReadAll<object>(bytes);
        }
        catch (Exception e) when (e is WireException or ArgumentException)
        {
        }
    });

    private static readonly DecodeOptions s_partial = new() { AllowPartial = true }, s_lazy = new() { AllowPartial = true, Lazy = true };

    // Decodes bytes, and more bytes into the result, on all ways.
    private static void Ways(Random random, MessageType type)
    {
        byte[] first = Bytes(), second = Bytes();
        string what = $"{type}: {Convert.ToHexString(first)}, {Convert.ToHexString(second)}";
        Message? eager = Fuzzing.Try(() => type.Decode(first, s_partial));
        byte[] lent = [1, .. first, 2, 2];
        Message reused = type.New(), lazy = type.New();
        Same(Fuzzing.Try(() => { reused.DecodeFrom(lent.AsMemory(1, first.Length), s_partial); return reused; }));
        Message? late = Fuzzing.Try(() => type.Decode(first, s_lazy));
        Message? cloned = Fuzzing.Try(() => { lazy.DecodeFrom(lent.AsMemory(1, first.Length), s_lazy); return lazy.Clone(); });
        Assert.True(late is null == cloned is null, what);
        SameFault(type, first);
        if (eager is null)
        {
            // A part that another member of its oneof, or another entry of its key, took away is not looked at lazily.
            if (late is not null) Assert.True(late.Equals(type.Decode(late.ToByteArray(), s_partial)) && MayReplace(type, []), what);
            return;
        }
        Same(late);
        Same(cloned);
        Assert.True(eager.Equals(type.Decode(eager.ToByteArray(), s_partial)), what);
        _ = eager.ToString();

        // One field is cleared, and a second input merged.
        lazy.DecodeFrom(lent.AsMemory(1, first.Length), s_lazy);
        MessageField? cleared = type.Fields.Count == 0 ? null : type.Fields[random.Next(type.Fields.Count)];
        foreach (Message message in (Message[])[eager, reused, lazy])
            if (cleared is not null) message.Clear(cleared.Name);
        Message? merged = Fuzzing.Try(() => { eager.MergeFrom(second, s_partial); return eager; });
        Message? both = Fuzzing.Try(() => { lazy.MergeFrom(second, s_lazy); return lazy; });
        Message? third = Fuzzing.Try(() => { reused.MergeFrom(second, s_partial); return reused; });
        lent.AsSpan().Fill(0xFF);
        Assert.True(merged is null == third is null, what);
        Fuzzing.Visit(eager);
        Assert.True(eager.Equals(eager.Clone()), what);
        if (merged is null) return;
        Assert.True(merged.Equals(both) && merged.Equals(third), what);
        Assert.True(merged.ToByteArray().AsSpan().SequenceEqual(third!.ToByteArray()), what);

        byte[] Bytes()
        {
            byte[] bytes = Fuzzing.Message(random, type);
            return random.Next(3) > 0 ? bytes : Fuzzing.Mutate(random, bytes, bytes);
        }

        void Same(Message? other) => Assert.True(eager is null ? other is null : eager.Equals(other), what);
    }

    // Where both refuse, they tell the same.
    private static void SameFault(MessageType type, byte[] bytes)
    {
        if (Fault(s_partial) is not { } eager || Fault(s_lazy) is not { } late) return;
        Assert.Equal((eager.Message, eager.Offset, eager.Path), (late.Message, late.Offset, late.Path));

        WireException? Fault(DecodeOptions options)
        {
            try
            {
                Fuzzing.Visit(type.Decode(bytes, options));
                return null;
            }
            catch (WireException e)
            {
                return e;
            }
        }
    }

    // Whether a message of the type may have a sub-message that a later field takes away.
    private static bool MayReplace(MessageType type, HashSet<MessageType> seen) => seen.Add(type)
        && type.Fields.Any(f => f.MessageType is { } inner && (f.Oneof is not null || (f.IsMap && inner.Fields[1].MessageType is not null)
            || MayReplace(inner, seen)));

    // Two message sets, with extensions of their own and of each other.
    private static byte[] MessageSets()
    {
        FileDescriptorProto file = new() { Name = "sets", Package = "s" };
        foreach (string name in (string[])["A", "B"])
        {
            file.MessageType.Add(new DescriptorProto
            {
                Name = name, Options = new() { MessageSetWireFormat = true },
                ExtensionRange = { new DescriptorProto.Types.ExtensionRange { Start = 1, End = int.MaxValue } }
            });
            foreach (int number in (int[])[1, 4, 1_000])
                file.Extension.Add(new FieldDescriptorProto
                {
                    Name = $"x{name}{number}", Number = number, Extendee = $".s.{name}",
                    TypeName = ".s.B", Type = FieldDescriptorProto.Types.Type.Message,
                    Label = FieldDescriptorProto.Types.Label.Optional
                });
        }
        return new FileDescriptorSet { File = { file } }.ToByteArray();
    }
}

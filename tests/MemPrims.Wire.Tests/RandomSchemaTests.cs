using System.Collections;
using Google.Protobuf;
using Google.Protobuf.Reflection;

namespace MemPrims.Wire.Tests;

// Random messages of random schemas, against the generated code of Google.Protobuf; then the same messages damaged.
public class RandomSchemaTests
{
    private static readonly FileDescriptor[] s_files = TestSchemas.RandomFiles;

    private static readonly MessageSchema s_schema = TestSchemas.Random;

    public static TheoryData<int> Seeds() => [.. Enumerable.Range(0, RandomProtos.Files)];

    [Theory]
    [MemberData(nameof(Seeds))]
    public void The_files_are_what_their_seeds_make(int seed)
    {
        // To make them anew after a change of the generator, name their folder.
        if (Environment.GetEnvironmentVariable("MEMPRIMS_WRITE_PROTOS") is { } folder)
            File.WriteAllText(Path.Combine(folder, RandomProtos.Name(seed)), RandomProtos.Make(seed));
        string file = File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "Protos", "Random", RandomProtos.Name(seed)));
        Assert.Equal(RandomProtos.Make(seed), file);
        Assert.Contains(s_files, descriptor => descriptor.Name.EndsWith(RandomProtos.Name(seed)));
    }

    [Theory]
    [MemberData(nameof(Seeds))]
    public void Bytes_and_json_are_those_of_the_oracle(int file)
    {
        foreach ((IMessage message, MessageType type, int seed) in Messages(file, LongRuns.Of(16, 40)))
        {
            byte[] expected = message.ToByteArray();
            string what = $"{type} of seed {seed}";
            Message decoded = type.Decode(expected), built = Build(message), reused = type.New();
            Assert.True(expected.AsSpan().SequenceEqual(decoded.ToByteArray()), what);
            Assert.True(expected.AsSpan().SequenceEqual(built.ToByteArray()), what);
            Assert.True(expected.AsSpan().SequenceEqual(type.Decode(expected, new() { Lazy = true }).ToByteArray()), what);
            Assert.True(message.Equals(message.Descriptor.Parser.ParseFrom(built.ToByteArray())), what);
            Assert.True(decoded.Equals(built) && decoded.GetHashCode() == built.GetHashCode(), what);

            reused.DecodeFrom(Random(message.Descriptor, seed + 1).ToByteArray());
            reused.DecodeFrom(expected);
            Assert.True(expected.AsSpan().SequenceEqual(reused.ToByteArray()), what);
            Assert.True(decoded.Equals(reused) && decoded.Equals(decoded.Clone()), what);
            Assert.True(decoded.Equals(type.Decode(expected, new() { Lazy = true })), what);

            // Two encodings one behind the other are one message. Appended lists and merged messages say whether both agree on how.
            byte[] both = [.. expected, .. Random(message.Descriptor, seed + 2).ToByteArray()];
            Assert.True(message.Descriptor.Parser.ParseFrom(both).ToByteArray().AsSpan().SequenceEqual(type.Decode(both).ToByteArray()),
                what);

            string json = decoded.ToJson();
            Assert.True(decoded.Equals(type.ParseJson(json)), $"{what}: {json}");
            // The oracle has no JSON of proto2.
            if (file % 2 != 0) continue;
            Assert.True(message.Equals(new Google.Protobuf.JsonParser(Google.Protobuf.JsonParser.Settings.Default).Parse(json,
                message.Descriptor)), what);
            Assert.True(decoded.Equals(type.ParseJson(JsonFormatter.Default.Format(message))), what);
        }
    }

    [Theory]
    [MemberData(nameof(Seeds))]
    public void Damage_ends_in_a_typed_exception_or_in_the_same_message_everywhere(int file)
    {
        Random random = new(file);
        int refused = 0, accepted = 0;
        foreach ((IMessage message, MessageType type, int seed) in Messages(file, 4))
        {
            byte[] bytes = message.ToByteArray();
            Message reused = type.New();
            for (int i = 0; i < LongRuns.Of(40, 120) && bytes.Length > 0; i++)
            {
                byte[] damaged = i % 2 == 0 ? bytes[..random.Next(bytes.Length)] : [.. bytes];
                if (i % 2 != 0) damaged[random.Next(damaged.Length)] ^= (byte)(1 << random.Next(8));
                string what = $"{type} of seed {seed}: {Convert.ToHexString(damaged)}";
                long before = GC.GetAllocatedBytesForCurrentThread();
                Message? whole = Try(() => type.Decode(damaged), damaged, what);
                Assert.True(GC.GetAllocatedBytesForCurrentThread() - before < 100_000 + 1_000L * damaged.Length, what);
                Message? slices = Try(() => { reused.DecodeFrom(damaged); return reused; }, damaged, what);
                Assert.True(whole is null == slices is null, what);
                if (whole is null)
                {
                    refused++;
                    _ = Try(() => Fuzzing.Visit(type.Decode(damaged, new() { Lazy = true })), damaged, what);
                    continue;
                }
                accepted++;
                Assert.True(whole.Equals(slices), what);
                Assert.True(whole.Equals(Fuzzing.Visit(type.Decode(damaged, new() { Lazy = true }))), what);
                Assert.True(whole.Equals(type.Decode(whole.ToByteArray())), what);
                CheckPaths(whole, damaged, what);
                // Where both accept, both have read the same. The oracle keeps undeclared values of closed enums as values, so this is for
                // proto3.
                if (file % 2 == 0 && TryParse(message, damaged) is { } theirs)
                    Assert.True(theirs.Equals(message.Descriptor.Parser.ParseFrom(whole.ToByteArray())), what);
            }
        }
        Assert.True(refused > 100 && accepted > 100, $"{refused} were refused, {accepted} accepted: the damage says little");
    }

    private static IEnumerable<(IMessage Message, MessageType Type, int Seed)> Messages(int file, int count)
    {
        foreach (MessageDescriptor descriptor in s_files[file].MessageTypes)
            for (int seed = 0; seed < count; seed++)
                yield return (Random(descriptor, seed), s_schema[descriptor.FullName], seed);
    }

    private static IMessage Random(MessageDescriptor descriptor, int seed)
    {
        IMessage empty = (IMessage)Activator.CreateInstance(descriptor.ClrType)!;
        return new RandomMessages(seed).Fill(empty, 0.1 + seed % 5 * 0.2, 3);
    }

    // The same message, set field by field.
    private static Message Build(IMessage message)
    {
        MessageType type = s_schema[message.Descriptor.FullName];
        Message built = type.New();
        foreach (FieldDescriptor field in message.Descriptor.Fields.InFieldNumberOrder())
        {
            string name = type.TryGetField(field.FieldNumber, out MessageField? found) ? found.Name
                : throw new InvalidOperationException(field.FullName);
            object value = field.Accessor.GetValue(message);
            if (field.IsMap)
            {
                foreach (DictionaryEntry pair in (IDictionary)value)
                {
                    Message entry = found.MessageType!.New();
                    entry.Set("key", Ours(pair.Key));
                    entry.Set("value", Ours(pair.Value!));
                    built.Add(name, entry);
                }
            }
            else if (field.IsRepeated)
            {
                foreach (object item in (IList)value) built.Add(name, Ours(item));
            }
            else if (field.HasPresence ? field.Accessor.HasValue(message) : value is not null) built.Set(name, Ours(value));
        }
        return built;
    }

    private static object Ours(object value) => value switch
    {
        IMessage message => Build(message),
        ByteString bytes => bytes.ToByteArray(),
        Enum number => Convert.ToInt32(number),
        _ => value,
    };

    private static void CheckPaths(Message whole, byte[] bytes, string what)
    {
        foreach (MessageField field in whole.Type.Fields)
        {
            if (field.IsRepeated || field.MessageType is not null) continue;
            Assert.True(whole.Type.Path(field.Name).TryRead(bytes, out object value) == whole.Has(field.Name), $"{field} of {what}");
            object expected = whole.Get<object>(field.Name);
            Assert.True(value is byte[] raw ? raw.AsSpan().SequenceEqual((byte[])expected) : value.Equals(expected), $"{field} of {what}");
        }
    }

    private static IMessage? TryParse(IMessage message, byte[] bytes)
    {
        try
        {
            return message.Descriptor.Parser.ParseFrom(bytes);
        }
        catch (Exception e) when (e is InvalidProtocolBufferException or IndexOutOfRangeException or ArgumentException)
        {
            return null;
        }
    }

    private static Message? Try(Func<Message> decode, byte[] bytes, string what)
    {
        try
        {
            return decode();
        }
        catch (WireException e)
        {
            // A required field that is missing has no place in the bytes; everything else has.
            Assert.True(e.Message.Contains("required") ? e.Offset == -1 && e.Path.Length > 0 : e.Offset >= 0
                && e.Offset <= bytes.Length, $"{what}: {e.Message}");
            return null;
        }
    }
}

using Google.Protobuf;
using Google.Protobuf.Reflection;
using MemPrims.Benchmarks.Ratio;
using MemPrims.Benchmarks.Wire.Generated;
using MemPrims.Buffers;
using MemPrims.Wire;
using Message = MemPrims.Wire.Message;

namespace MemPrims.Benchmarks.Wire;

/// <summary>One field of a message of 10 KB; large payloads; depth; how many definitions are loaded; loading.</summary>
public sealed class PathCases : IRatioCases
{
    public static IEnumerable<RatioCase> Cases()
    {
        const string extract = "Wire: one field of 10 KB", blob = "Wire: 1 MiB of bytes", depth = "Wire: encode by depth, per byte",
            many = "Wire: encode by definitions", load = "Wire: load 1,000 messages";
        foreach (string path in (string[])["note", "customer.city", "lines[3].sku", "lines[30].article.level"])
            yield return new(extract, path, () => Extract(path));
        yield return new(extract, "items[3].sku of 25 to 300 short lines", ExtractShort);
        yield return new(blob, "into segments", Blob);
        yield return new(depth, "depth 1 against 100", Depth);
        foreach (int count in (int[])[1_000, 100_000]) yield return new(many, $"10 against {count:N0}", () => Many(count));
        yield return new(load, "10 fields each", () => Load());
    }

    private static Contest Extract(string path)
    {
        byte[][] encoded = [.. Samples.Orders().Select(order => order.ToByteArray())];
        MessageType type = Samples.Schema["memprims.bench.Order"];
        FieldPath compiled = type.Path(path);
        bool isText = compiled.Field.Kind == FieldKind.String;
        return new(Samples.Count,
            new("FieldPath.TryRead", () =>
            {
                long sum = 0;
                foreach (int i in Samples.NextOrder())
                    sum += isText ? compiled.TryRead(encoded[i], out string text) ? text.Length : 0
                        : compiled.TryRead(encoded[i], out int number) ? number : 0;
                return sum;
            }),
            new Contender("generated ParseFrom of the whole", () =>
            {
                long sum = 0;
                foreach (int i in Samples.NextOrder()) sum += Order.Parser.ParseFrom(encoded[i]).Note.Length;
                return sum;
            }, 40));
    }

    // Hardly anything is passed by in one step here: the whole message is 28 bytes times its lines.
    private static Contest ExtractShort()
    {
        byte[][] encoded = [.. Samples.Invoices().Select(invoice => invoice.ToByteArray())];
        FieldPath path = Samples.Schema["memprims.bench.Invoice"].Path("items[3].sku");
        return new(Samples.Count,
            new("FieldPath.TryRead", () =>
            {
                long sum = 0;
                foreach (int i in Samples.NextOrder()) sum += path.TryRead(encoded[i], out string text) ? text.Length : 0;
                return sum;
            }),
            new Contender("generated ParseFrom of the whole", () =>
            {
                long sum = 0;
                foreach (int i in Samples.NextOrder()) sum += Invoice.Parser.ParseFrom(encoded[i]).Items[3].Sku.Length;
                return sum;
            }, 40));
    }

    private static Contest Blob()
    {
        Message message = Samples.Schema["memprims.bench.Blob"].New();
        byte[] payload = new byte[1 << 20];
        message.Set("id", 7);
        message.Set("payload", payload);
        SegmentList list = new();
        byte[] tag = [8, 7, 18, 0x80, 0x80, 0x40];
        return new(16,
            new("WriteTo(SegmentList)", () =>
            {
                long sum = 0;
                for (int i = 0; i < 16; i++)
                {
                    list.Clear();
                    message.WriteTo(list);
                    sum += list.Length;
                }
                return sum;
            }),
            new Contender("concatenating", () =>
            {
                long sum = 0;
                for (int i = 0; i < 16; i++) sum += ((byte[])[.. tag, .. payload]).Length;
                return sum;
            }, 20));
    }

    // As many bytes at either depth: 100 levels in one message, or 100 messages of one level. 1 / 1.3 is "flat within 1.3".
    private static Contest Depth()
    {
        Message[] flat = [.. Samples.Nest(1).Select(Decode)], deep = [.. Samples.Nest(100).Select(Decode)];
        long flatBytes = flat.Sum(m => m.CalculateSize()), deepBytes = deep.Sum(m => m.CalculateSize());
        SegmentList list = new();
        return new(deepBytes, new("depth 100", () => Encode(deep, list)), new Contender("depth 1", () =>
        {
            long sum = 0;
            while (sum < deepBytes) sum += Encode(flat, list);
            return sum * deepBytes / (sum - sum % flatBytes);
        }, 1 / 1.3));

        static Message Decode(Nest nest) => Samples.Schema["memprims.bench.Nest"].Decode(nest.ToByteArray(), new() { MaxDepth = 200 });
    }

    private static Contest Many(int count)
    {
        MessageType few = MessageSchema.Load(Definitions(10))["memprims.bench.Mixed"],
            many = MessageSchema.Load(Definitions(count), new() { MaxBytes = int.MaxValue })["memprims.bench.Mixed"];
        Message[] fewMessages = [.. Samples.Mixed().Select(m => few.Decode(m.ToByteArray()))],
            manyMessages = [.. Samples.Mixed().Select(m => many.Decode(m.ToByteArray()))];
        SegmentList list = new();
        return new(Samples.Count, new($"{count:N0} definitions", () => Encode(manyMessages, list)),
            new Contender("10 definitions", () => Encode(fewMessages, list), 1 / 1.1));
    }

    private static Contest Load()
    {
        byte[] set = Definitions(1_000);
        ByteString bytes = ByteString.CopyFrom(FileOf(1_000).ToByteArray());
        return new(1, new("MessageSchema.Load", () => MessageSchema.Load(set).Messages.Count),
            new Contender("generated: FileDescriptor.BuildFromByteStrings", () =>
                FileDescriptor.BuildFromByteStrings([bytes]).Count));
    }

    private static byte[] Definitions(int count)
    {
        FileDescriptorSet set = FileDescriptorSet.Parser.ParseFrom(Samples.DescriptorSet(WireReflection.Descriptor));
        set.File.Add(FileOf(count));
        return set.ToByteArray();
    }

    private static FileDescriptorProto FileOf(int count)
    {
        FileDescriptorProto file = new() { Name = "many.proto", Package = "many", Syntax = "proto3" };
        for (int i = 0; i < count; i++)
        {
            DescriptorProto message = new() { Name = $"M{i}" };
            for (int f = 1; f <= 10; f++)
            {
                FieldDescriptorProto field = new()
                {
                    Name = $"field_{f}",
                    JsonName = $"field{f}",
                    Number = f,
                    Label = FieldDescriptorProto.Types.Label.Optional,
                    Type = f == 10 ? FieldDescriptorProto.Types.Type.Message : FieldDescriptorProto.Types.Type.Int32,
                };
                if (f == 10) field.TypeName = $".many.M{(i + 1) % count}";
                message.Field.Add(field);
            }
            file.MessageType.Add(message);
        }
        return file;
    }

    private static long Encode(Message[] messages, SegmentList list)
    {
        long sum = 0;
        foreach (int i in Samples.NextOrder())
        {
            list.Clear();
            messages[i].WriteTo(list);
            sum += list.Length;
        }
        return sum;
    }
}

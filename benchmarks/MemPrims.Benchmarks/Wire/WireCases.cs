using MemPrims.Benchmarks.Ratio;

namespace MemPrims.Benchmarks.Wire;

/// <summary>Encoding and decoding against the generated code of Google.Protobuf 3.25.1, at its best of two ways.</summary>
public sealed class WireCases : IRatioCases
{
    public static IEnumerable<RatioCase> Cases()
    {
        const string encode = "Wire: encode", set = "Wire: set, then encode", decode = "Wire: decode and read every field",
            reuse = "Wire: decode into a reused message";
        yield return new(encode, "25 mixed fields", () => Encode(Shapes.Mixed(), 1.3));
        yield return new(encode, "under 32 B", () => Encode(Shapes.Small(), 1.15));
        yield return new(encode, "depth 90", () => Encode(Shapes.Nest(90), 13));
        yield return new(encode, "1,100 packed numbers", () => Encode(Shapes.Packed(), 0));
        yield return new(encode, "two maps of 20, 20 strings", () => Encode(Shapes.Wide(), 0));
        yield return new(encode, "varied fields, not all ASCII, lists", () => Encode(Shapes.Varied(), 0));
        yield return new(set, "25 mixed fields, .NET strings", () => Set(work => work.Strings, 1.0));
        yield return new(set, "25 mixed fields, UTF-8", () => Set(work => work.Utf8, 1.4));
        yield return new(set, "8 fields of an event, .NET strings", () => SetEvents(work => work.Strings));
        yield return new(set, "8 fields of an event, UTF-8", () => SetEvents(work => work.Utf8));
        yield return new(decode, "25 mixed fields", () => Decode(Shapes.Mixed(), 1.05));
        yield return new(decode, "under 32 B", () => Decode(Shapes.Small(), 1.0));
        yield return new(decode, "depth 90", () => Decode(Shapes.Nest(90), 1.0));
        yield return new(decode, "1,100 packed numbers", () => Decode(Shapes.Packed(), 0));
        yield return new(decode, "two maps of 20, 20 strings", () => Decode(Shapes.Wide(), 0));
        yield return new(decode, "varied fields, not all ASCII, lists", () => Decode(Shapes.Varied(), 0));
        yield return new(reuse, "25 mixed fields", () => Reuse(Shapes.Mixed(), 1.7));
        yield return new(reuse, "under 32 B", () => Reuse(Shapes.Small(), 1.3));
        yield return new(reuse, "depth 90", () => Reuse(Shapes.Nest(90), 1.3));
        yield return new(reuse, "25 mixed fields, all text read", () => ReuseAndRead(Shapes.Mixed()));
        yield return new(reuse, "varied fields, all text read, peer new", () => ReadBesideNew(Shapes.Varied()));
    }

    private static Contest SetEvents(Func<EventSetter, Func<long>> ours)
    {
        EventSetter work = new();
        return new(Samples.Count, new("Set, WriteTo", ours(work)), new Contender("generated, IBufferWriter", work.Generated));
    }

    private static Contest ReuseAndRead<T>(Shape<T> shape) where T : class, Google.Protobuf.IMessage<T> =>
        new(Samples.Count, new("DecodeFrom, Get", shape.DecodeReusedAndRead),
            new Contender("generated MergeFrom", shape.GeneratedMergeAndRead));

    private static Contest ReadBesideNew<T>(Shape<T> shape) where T : class, Google.Protobuf.IMessage<T> =>
        new(Samples.Count, new("DecodeFrom, Get", shape.DecodeReusedAndRead),
            new Contender("generated ParseFrom", shape.GeneratedParse));

    private static Contest Encode<T>(Shape<T> shape, double atLeast) where T : class, Google.Protobuf.IMessage<T> =>
        new(Samples.Count, new("WriteTo(SegmentList)", shape.Encode),
            new Contender("generated, IBufferWriter", shape.GeneratedWriter, atLeast),
                new Contender("generated, CalculateSize and span", shape.GeneratedSpan, atLeast));

    private static Contest Set(Func<MixedSetter, Func<long>> ours, double atLeast)
    {
        MixedSetter work = new();
        return new(Samples.Count, new("Set, WriteTo", ours(work)), new Contender("generated", work.Generated, atLeast));
    }

    private static Contest Decode<T>(Shape<T> shape, double atLeast) where T : class, Google.Protobuf.IMessage<T> =>
        new(Samples.Count, new("Decode", shape.Decode), new Contender("generated ParseFrom", shape.GeneratedParse, atLeast));

    private static Contest Reuse<T>(Shape<T> shape, double atLeast) where T : class, Google.Protobuf.IMessage<T> =>
        new(Samples.Count, new("DecodeFrom", shape.DecodeReused), new Contender("generated MergeFrom", shape.GeneratedMerge, atLeast));
}

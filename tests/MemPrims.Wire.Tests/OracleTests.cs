using System.Buffers;
using Google.Protobuf;
using MemPrims.Buffers;
using MemPrims.Wire.Tests.Generated;

namespace MemPrims.Wire.Tests;

// The generated code of Google.Protobuf says the same: random messages of every kind go both ways, byte for byte.
public class OracleTests
{
    public static TheoryData<string, int> Cases()
    {
        TheoryData<string, int> cases = [];
        foreach (string type in (string[])["Everything3", "Everything2", "Order", "Inner3", "Defaults"])
            for (int seed = 0; seed < 60; seed++) cases.Add(type, seed);
        return cases;
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public void Bytes_are_the_same_by_every_way(string name, int seed)
    {
        (IMessage message, MessageType type) = Make(name, seed);
        byte[] expected = message.ToByteArray();
        Message decoded = type.Decode(expected);
        Assert.Equal(expected, decoded.ToByteArray());
        Assert.Equal(expected, decoded.Clone().ToByteArray());
        Assert.Equal(expected.Length, decoded.CalculateSize());
        Assert.Equal(expected, type.Decode(expected, new() { Lazy = true }).ToByteArray());

        Message reused = type.New();
        reused.DecodeFrom(Make(name, seed + 1000).Message.ToByteArray());
        reused.DecodeFrom(expected);
        Assert.Equal(expected, reused.ToByteArray());
        Assert.Equal(decoded, reused);
        Assert.Equal(decoded.GetHashCode(), reused.GetHashCode());
        Assert.Equal(message, Parser(message).ParseFrom(reused.ToByteArray()));

        using SegmentList list = new();
        decoded.WriteTo(list);
        reused.WriteTo((IBufferWriter<byte>)list);
        Assert.Equal((byte[])[.. expected, .. expected], list.AsSequence().ToArray());
        Span<byte> span = new byte[expected.Length + 3];
        Assert.Equal(expected.Length, decoded.WriteTo(span));
        MemoryStream stream = new();
        decoded.WriteTo(stream);
        Assert.Equal(expected, stream.ToArray());
        stream.Position = 0;
        Assert.Equal(decoded, type.Decode(stream));
        Assert.Equal(decoded, type.Decode(Pieces.Of(expected, seed)));
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public void Merging_is_the_same(string name, int seed)
    {
        (IMessage first, MessageType type) = Make(name, seed);
        IMessage second = Make(name, seed + 500).Message;
        byte[] both = [.. first.ToByteArray(), .. second.ToByteArray()];
        IMessage expected = Parser(first).ParseFrom(both);
        Message merged = type.Decode(first.ToByteArray()), whole = type.Decode(both), byBytes = type.New();
        merged.MergeFrom(type.Decode(second.ToByteArray()));
        byBytes.DecodeFrom(first.ToByteArray());
        byBytes.MergeFrom(second.ToByteArray());
        Assert.Equal(expected.ToByteArray(), whole.ToByteArray());
        Assert.Equal(expected.ToByteArray(), merged.ToByteArray());
        Assert.Equal(whole, byBytes);
        Assert.Equal(whole, type.Decode(both, new() { Lazy = true }));
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public void Json_is_understood_both_ways(string name, int seed)
    {
        // The oracle has no JSON of proto2: it is asked about proto3, and proto2 has to come back by itself.
        (IMessage message, MessageType type) = Make(name, seed);
        Message decoded = type.Decode(message.ToByteArray());
        string ours = decoded.ToJson();
        Assert.Equal(decoded, type.ParseJson(ours));
        if (type.File.Contains("everything2")) return;
        Assert.Equal(message, new Google.Protobuf.JsonParser(Google.Protobuf.JsonParser.Settings.Default).Parse(ours, message.Descriptor));
        Assert.Equal(message.ToByteArray(), type.ParseJson(JsonFormatter.Default.Format(message)).ToByteArray());
    }

    private static MessageParser Parser(IMessage message) => message.Descriptor.Parser.WithExtensionRegistry(
        [Everything2Extensions.AddedNumber, Everything2Extensions.AddedTexts, Everything2Extensions.AddedNeedy,
            Everything2Extensions.AddedPacked, Scope.Extensions.Inside]);

    private static (IMessage Message, MessageType Type) Make(string name, int seed)
    {
        RandomMessages random = new(seed);
        IMessage message = name switch
        {
            "Everything3" => random.Fill(new Everything3()),
            "Everything2" => random.Fill(new Everything2()),
            "Order" => random.Fill(new Order(), 0.8),
            "Inner3" => random.Fill(new Inner3(), 0.8, 5),
            _ => random.Fill(new Defaults(), 0.7),
        };
        if (message is Everything2 extended && seed % 2 == 0)
        {
            extended.SetExtension(Everything2Extensions.AddedNumber, -seed);
            extended.GetOrInitializeExtension(Everything2Extensions.AddedTexts).Add(["a", "ä", ""]);
            extended.GetOrInitializeExtension(Everything2Extensions.AddedPacked).Add([1, -1, long.MinValue]);
            extended.SetExtension(Scope.Extensions.Inside, ByteString.CopyFrom(1, 2, 3));
        }
        return (message, TestSchemas.All[message.Descriptor.FullName]);
    }
}

// Bytes in several pieces.
internal static class Pieces
{
    public static ReadOnlySequence<byte> Of(byte[] bytes, int seed)
    {
        Random random = new(seed);
        Piece first = new(default, 0), last = first;
        for (int at = 0; at < bytes.Length;)
        {
            int length = Math.Min(random.Next(1, 40), bytes.Length - at);
            last = last.Append(bytes.AsMemory(at, length));
            at += length;
        }
        return new(first, 0, last, last.Memory.Length);
    }

    private sealed class Piece : ReadOnlySequenceSegment<byte>
    {
        public Piece(ReadOnlyMemory<byte> memory, long index) => (Memory, RunningIndex) = (memory, index);

        public Piece Append(ReadOnlyMemory<byte> memory)
        {
            Piece next = new(memory, RunningIndex + Memory.Length);
            Next = next;
            return next;
        }
    }
}

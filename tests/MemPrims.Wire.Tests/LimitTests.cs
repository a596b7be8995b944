using MemPrims.Buffers;

namespace MemPrims.Wire.Tests;

// Budgets count what is taken; what is allowed works up to its last byte.
public class LimitTests
{
    private static MessageField List(FieldKind kind) => TestSchemas.Everything3.Fields.First(f => f.IsRepeated && f.Kind == kind);

    public static TheoryData<FieldKind> Numbers() => [FieldKind.Int32, FieldKind.UInt64, FieldKind.SInt64, FieldKind.Bool,
        FieldKind.Double,
        FieldKind.Fixed32, FieldKind.Enum];

    [Theory]
    [MemberData(nameof(Numbers))]
    public void Numbers_count_as_they_lie_in_memory(FieldKind kind)
    {
        MessageField field = List(kind);
        int size = Scalars.TypeOf(kind) == typeof(bool) ? 1 : kind is FieldKind.Int32 or FieldKind.Fixed32 or FieldKind.Enum ? 4 : 8;
        int wire = kind == FieldKind.Double ? 8 : kind == FieldKind.Fixed32 ? 4 : 1;
        byte[] packed = Wired.Inside(field.Number, new byte[10_000 * wire]);
        byte[] one = [.. Wired.Number(field.Number, 0)[..^1], .. new byte[wire]];
        if (wire > 1) one = [.. Tag(field), .. new byte[wire]];
        byte[] single = [.. Enumerable.Repeat(one, 10_000).SelectMany(bytes => bytes)];
        foreach (byte[] bytes in (byte[][])[packed, single])
        {
            Assert.Equal(10_000, TestSchemas.Everything3.Decode(bytes, new() { MaxMemory = 10_000 * size + 1_000 }).CountOf(field.Name));
            Message reused = TestSchemas.Everything3.New();
            WireException e = Assert.Throws<WireException>(() => reused.MergeFrom(bytes, new() { MaxMemory = 10_000 * size - 1 }));
            Assert.Equal((field.Name, true), (e.Path, e.Message.Contains("MaxMemory")));
        }
    }

    [Fact]
    public void A_list_or_map_whose_first_value_is_refused_is_not_set()
    {
        MessageField map = TestSchemas.Everything3.Fields.First(f => f.Name == "to_mood"), numbers = List(FieldKind.Int32);
        foreach (byte[] fault in (byte[][])[Wired.Inside(map.Number, [0x08]), [.. Wired.Number(map.Number, 1)[..1], 0x80],
            Wired.Inside(numbers.Number, [0x01, .. Enumerable.Repeat((byte)0xFF, 12), 0x01])])
        {
            Message message = TestSchemas.Everything3.New();
            Assert.Throws<WireException>(() => message.MergeFrom(fault));
            Assert.Empty(message.SetFields);
        }
        Message tight = TestSchemas.Everything3.New();
        Assert.Throws<WireException>(() => tight.MergeFrom(Wired.Inside(map.Number, [0x08, 0x01]), new() { MaxMemory = 60 }));
        Assert.False(tight.Has("to_mood"));
    }

    [Fact]
    public void Values_of_a_path_have_a_budget()
    {
        byte[] lines = [.. Enumerable.Repeat(Wired.Inside(2, [0x0A, 0x01, 0x41]), 10_000).SelectMany(line => line)];
        Assert.Equal(10_000, TestSchemas.Order.Path("lines[*].sku").ReadAll<string>(lines).Count);
        foreach (string path in (string[])["lines[*].sku", "lines[*]"])
            Assert.Contains("MaxMemory", Assert.Throws<WireException>(() =>
                TestSchemas.Order.Path(path).ReadAll<object>(lines, new() { MaxMemory = 100_000 })).Message);
        Assert.Throws<WireException>(() => TestSchemas.Order.Path("lines[*]").ReadAll<object>(lines, new() { MaxBytes = 1_000 }));
        byte[] labels = [.. Enumerable.Range(0, 10_000)
            .SelectMany(i => Wired.Inside(4, Wired.Inside(1, BitConverter.GetBytes(i % 99 + 1))))];
        Assert.Contains("MaxMemory", Assert.Throws<WireException>(() =>
            TestSchemas.Order.Path("labels[*].value.sku").ReadAll<object>(labels, new() { MaxMemory = 100_000 })).Message);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(4_095)]
    [InlineData(4_096)]
    [InlineData(4_097)]
    [InlineData(100_000)]
    public void A_stream_may_be_as_long_as_allowed(int length)
    {
        byte[] bytes = new byte[length];
        for (int i = 0; i + 1 < length; i += 2) (bytes[i], bytes[i + 1]) = (0x38, 0x07);
        if (length % 2 == 1) bytes = [.. bytes[..^1]];
        foreach (bool seeks in (bool[])[false, true])
        {
            Message read = TestSchemas.Order.Decode(new Slow(bytes, seeks), new() { MaxBytes = bytes.Length });
            Assert.Equal(bytes.Length / 2, read.CountOf("numbers"));
            if (bytes.Length > 0)
                Assert.Throws<WireException>(() =>
                TestSchemas.Order.Decode(new Slow(bytes, seeks), new() { MaxBytes = bytes.Length - 1 }));
        }
    }

    // Some gigabytes, so only among the long tests.
    [Fact]
    public void Lists_and_streams_go_beyond_a_gigabyte()
    {
        if (!LongRuns.On) return;
        Message message = TestSchemas.Everything3.New();
        string bools = List(FieldKind.Bool).Name;
        message.AddRange(bools, new bool[1 << 30]);
        message.Add(bools, true);
        Assert.Equal((1 << 30) + 1, message.CountOf(bools));
        Assert.True(message.GetAt<bool>(bools, 1 << 30));
        const int Length = 1_100 << 20;
        MessageField raw = TestSchemas.Everything3.Fields.First(f => f.Name == "one_bytes");
        message = TestSchemas.Everything3.Decode(new Slow([.. Tag(raw), .. Varint(Length), .. new byte[Length]], false));
        Assert.Equal(Length, message.Get<ReadOnlyMemory<byte>>("one_bytes").Length);
    }

    [Fact]
    public void A_message_is_written_into_an_open_appender()
    {
        byte[] large = new byte[3 * SegmentList.SpliceThreshold];
        Message order = TestSchemas.Order.New(), line = order.AddNew("lines");
        line.Set("raw", large);
        order.Set("id", "o");
        using SegmentList list = new();
        Appender to = new(list);
        to.Write((byte)7);
        order.WriteTo(ref to);
        to.Commit();
        byte[] expected = [7, .. order.ToByteArray()];
        large.AsSpan().Fill(1);
        Assert.Equal(expected, System.Buffers.BuffersExtensions.ToArray(list.AsSequence()));
    }

    [Fact]
    public void A_message_is_packed_into_an_any_and_back()
    {
        Message any = TestSchemas.All["google.protobuf.Any"].New(), order = TestSchemas.Order.New();
        order.Set("id", "o");
        any.Pack(order);
        Assert.Equal("type.googleapis.com/memprims.test.Order", any.Get<string>("type_url"));
        Assert.Equal(order, any.Unpack());
        any.Pack(order, "example.org/");
        Assert.Equal("example.org/memprims.test.Order", any.Get<string>("type_url"));
        Assert.Throws<InvalidOperationException>(() => order.Pack(any));
    }

    [Fact]
    public void Groups_with_end_tags_of_more_bytes_and_entries_with_undeclared_values_are_read_alike()
    {
        MessageField bunch = TestSchemas.Everything2.Fields.First(f => f.Name == "bunch");
        byte[] start = Varint((uint)bunch.Number << 3 | 3), end = Varint((uint)bunch.Number << 3 | 4);
        byte[] inner = Wired.Number(bunch.MessageType!.Fields[0].Number, 5);
        end[^1] |= 0x80;
        byte[] bytes = [.. start, .. inner, .. end, 0x00];
        MessageReader reader = new(TestSchemas.Everything2, bytes);
        Assert.True(reader.Read() && reader.Bytes.SequenceEqual(inner));
        Assert.True(TestSchemas.Everything2.Path("bunch").TryRead(bytes, out Message read));
        Assert.Equal(TestSchemas.Everything2.Decode(bytes, new() { AllowPartial = true }).Get<Message>("bunch"), read);

        MessageField map = TestSchemas.Everything2.Fields.First(f => f.IsMap && f.MessageType!.Fields[1].EnumType is { IsClosed: true });
        byte[] key = map.MessageType!.Fields[0].IsText ? Wired.Inside(1, "7"u8.ToArray()) : Wired.Number(1, 7);
        EnumType kept = map.MessageType.Fields[1].EnumType!;
        (ulong first, ulong last) = ((ulong)kept.Values[0].Number, (ulong)kept.Values[^1].Number);
        foreach (ulong[] values in (ulong[][])[[first, 99], [99, first], [99], [first], []])
        {
            byte[] entry = [.. key, .. values.SelectMany(value => Wired.Number(2, value))];
            byte[] twice = [.. Wired.Inside(map.Number, [.. key, .. Wired.Number(2, last)]), .. Wired.Inside(map.Number, entry)];
            Message whole = TestSchemas.Everything2.Decode(twice, new() { AllowPartial = true });
            Assert.True(TestSchemas.Everything2.Path($"{map.Name}[\"7\"]").TryRead(twice, out int value));
            Assert.Equal(whole.GetAt<Message>(map.Name, 0).Get<int>("value"), value);
        }
    }

    private static byte[] Varint(ulong value) => Wired.Number(1, value)[1..];

    private static byte[] Tag(MessageField field) => Varint((uint)field.Number << 3 | (uint)Scalars.WireTypeOf(field.Kind));

    private sealed class Slow(byte[] bytes, bool seeks) : MemoryStream(bytes)
    {
        public override bool CanSeek => seeks;

        public override int Read(byte[] buffer, int offset, int count) => base.Read(buffer, offset, Math.Min(count, 1 << 24));
    }
}

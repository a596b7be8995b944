namespace MemPrims.Wire.Tests;

// Bytes that were made to do harm: each ends in an exception that tells where, in bounded time and memory.
public class HostileTests
{
    public static TheoryData<string, byte[], long, string> Damages() => new()
    {
        { "tag zero", [0x00], 0, "" },
        { "field number zero with a wire type", [0x02, 0x00], 0, "" },
        { "wire type 7", [0x0F], 0, "" },
        { "wire type 6", [0x0E, 0x00], 0, "" },
        { "a field number above the last", [0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 0x00], 0, "" },
        { "a tag of six bytes", [0x8A, 0x80, 0x80, 0x80, 0x80, 0x00, 0x00], 0, "" },
        { "a varint without an end", [0x38, 0x80], 2, "numbers" },
        { "a varint of eleven bytes", [0x38, .. Enumerable.Repeat((byte)0x80, 11), 0x00], 1, "numbers" },
        { "one of eleven bytes before another field", [0x38, .. Enumerable.Repeat((byte)0x80, 10), 0x01, 0x38, 0x07], 1, "numbers" },
        { "a length past the end", [0x0A, 0x05, 0x41], 2, "id" },
        { "a length near 2^31", [0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0x07], 6, "id" },
        { "a negative length", [0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], 11, "id" },
        { "text that is not UTF-8", [0x0A, 0x02, 0xC3, 0x28], 2, "id" },
        { "text that is half a surrogate", [0x0A, 0x03, 0xED, 0xA0, 0x80], 2, "id" },
        { "a damaged second line", [0x12, 0x02, 0x10, 0x01, 0x12, 0x02, 0x10, 0x80], 8, "lines[1].count" },
        { "deep inside", [0x1A, 0x06, 0x12, 0x04, 0x0A, 0x02, 0xFF, 0xFF], 6, "parent.lines[0].sku" },
        { "packed values that are not whole", [0x12, 0x05, 0x2A, 0x03, 1, 2, 3], 4, "lines[0].prices" },
        { "packed values that run out", [0x3A, 0x02, 0x01, 0x80], 4, "numbers" },
        { "a group that is not closed", [0x9B, 0x06, 0x08, 0x01], 4, "" },
        { "a group that ends as another", [0x9B, 0x06, 0xA4, 0x06], 2, "" },
        { "the end of a group that is not open", [0x9C, 0x06], 0, "" },
        { "the end of a group in one byte", [0x0C], 0, "" },
        { "a fixed number cut short", [0x9D, 0x06, 1, 2, 3], 2, "" },
    };

    [Theory]
    [MemberData(nameof(Damages))]
    public void Damage_is_told_with_its_offset_and_path(string what, byte[] bytes, long offset, string path)
    {
        WireException e = Assert.Throws<WireException>(() => TestSchemas.Order.Decode(bytes));
        Assert.True((offset, path) == (e.Offset, e.Path), $"{what}: at {e.Offset} in '{e.Path}': {e.Message}");
        Message reused = TestSchemas.Order.New();
        Assert.Equal(e.Message, Assert.Throws<WireException>(() => reused.DecodeFrom(bytes)).Message);
        // What was decoded into once with an error can be used again.
        reused.DecodeFrom(new byte[] { 0x0A, 0x01, 0x41 });
        Assert.Equal("A", reused.Get<string>("id"));
    }

    [Fact]
    public void Depth_has_a_budget_for_messages_groups_and_what_is_unknown()
    {
        byte[] nested = [];
        for (int i = 0; i < 100; i++) nested = Inside(3, nested);
        TestSchemas.Order.Decode(nested);
        Assert.Throws<WireException>(() => TestSchemas.Order.Decode(Inside(3, nested)));
        TestSchemas.Order.Decode(Inside(3, nested), new() { MaxDepth = 101 });
        Assert.Throws<WireException>(() => TestSchemas.Order.Decode(nested, new() { MaxDepth = 99 }));

        byte[] groups = [.. Enumerable.Repeat(new byte[] { 0x9B, 0x06 }, 100_000).SelectMany(tag => tag)];
        Assert.Contains("deeper", Assert.Throws<WireException>(() => TestSchemas.Order.Decode(groups)).Message);
        // A budget that no stack has room for ends in an exception too.
        Assert.Throws<WireException>(() => TestSchemas.Order.Decode(groups, new() { MaxDepth = int.MaxValue }));
    }

    [Fact]
    public void Memory_has_a_budget()
    {
        // Four bytes make a line, which takes a hundred times as much.
        byte[] lines = [.. Enumerable.Repeat(new byte[] { 0x12, 0x02, 0x10, 0x01 }, 10_000).SelectMany(line => line)];
        TestSchemas.Order.Decode(lines);
        DecodeOptions tight = new() { MaxMemory = 1 << 20 };
        WireException e = Assert.Throws<WireException>(() => TestSchemas.Order.Decode(lines, tight));
        Assert.Contains("MaxMemory", e.Message);
        Assert.Equal("lines", e.Path);
        long before = GC.GetAllocatedBytesForCurrentThread();
        Assert.Throws<WireException>(() => TestSchemas.Order.Decode(lines, tight));
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 1, 4 << 20);
        // Values of a list of texts and what lies in a message are counted too.
        byte[] texts = Texts(30_000);
        Assert.Throws<WireException>(() => TestSchemas.Everything3.Decode(texts, tight));
        Assert.Equal(30_000, TestSchemas.Everything3.Decode(texts).CountOf(TextList.Name));
        Assert.Throws<WireException>(() => TestSchemas.Order.Decode(Inside(3, lines), tight));
    }

    private static MessageField TextList => TestSchemas.Everything3.Fields.First(f => f is { Kind: FieldKind.String, IsRepeated: true });

    private static byte[] Texts(int count) => [.. Enumerable.Repeat(Inside(TextList.Number, []), count).SelectMany(text => text)];

    [Fact]
    public void After_a_fault_a_message_is_whole()
    {
        byte[][] faults =
        [
            [0x0A, 0x02, 0xC3, 0x28],
            [0x12, 0x04, 0x0A, 0x02, 0xFF, 0xFF],
            [0x3A, 0x0C, .. Enumerable.Repeat((byte)0x80, 11), 0x01],
            [.. Inside(TestSchemas.Order.Fields.First(f => f.IsMap).Number, [0x0A, 0x05])],
        ];
        foreach (byte[] fault in faults)
        {
            Message reused = TestSchemas.Order.New();
            reused.DecodeFrom(new byte[] { 0x0A, 0x01, 0x41, 0x38, 0x07 });
            Assert.Throws<WireException>(() => reused.DecodeFrom(fault));
            Assert.Equal(TestSchemas.Order.New(), reused);
            Assert.Empty(reused.ToByteArray());

            Message merged = TestSchemas.Order.New();
            Assert.Throws<WireException>(() => merged.MergeFrom(fault));
            Assert.Equal(0, merged.CountOf("numbers"));
            Assert.Equal(0, merged.CountOf(TestSchemas.Order.Fields.First(f => f.IsMap).Name));
            // What is in it can be written, read and copied.
            Assert.Equal(merged.ToByteArray(), TestSchemas.Order.Decode(merged.ToByteArray()).ToByteArray());
            Assert.Equal("", merged.Get<string>("id"));
            _ = merged.ToJson();
            Assert.Equal(merged, merged.Clone());
        }
    }

    [Fact]
    public void A_map_that_is_used_again_has_no_memory_of_its_old_keys()
    {
        Message reused = TestSchemas.Everything3.New();
        foreach (int first in (int[])[0, 100, 50])
        {
            Message source = TestSchemas.Everything3.New();
            MapView<long, string> map = source.Map<long, string>("by_int64");
            for (int i = 0; i < 8; i++) map[first + i] = "x";
            // The last entry comes again.
            byte[] once = source.ToByteArray();
            Message last = TestSchemas.Everything3.New();
            last.Map<long, string>("by_int64")[first + 7] = "y";
            byte[] bytes = [.. once, .. last.ToByteArray()];
            reused.DecodeFrom(bytes);
            Assert.Equal(8, reused.CountOf("by_int64"));
            Assert.Equal(TestSchemas.Everything3.Decode(bytes), reused);
        }
    }

    [Fact]
    public void Several_threads_read_a_map_and_lazy_messages()
    {
        Message source = TestSchemas.Everything3.New();
        for (int i = 0; i < 300; i++) source.Map<long, string>("by_int64")[i] = "x";
        Message order = TestSchemas.Order.New();
        order.AddNew("lines").Set("sku", "a");
        byte[] lines = Inside(3, Inside(3, order.ToByteArray()));
        for (int round = 0; round < 200; round++)
        {
            Message copy = source.Clone(), lazy = TestSchemas.Order.Decode(lines, new() { Lazy = true });
            int missing = 0;
            Parallel.For(0, 4, new() { MaxDegreeOfParallelism = 4 }, _ =>
            {
                MapView<long, string> map = copy.Map<long, string>("by_int64");
                for (int i = 0; i < 300; i += 7)
                    if (!map.ContainsKey(i)) Interlocked.Increment(ref missing);
                if (!lazy.ToByteArray().AsSpan().SequenceEqual(lines)) Interlocked.Increment(ref missing);
                Message inner = lazy.Get<Message>("parent")!.Get<Message>("parent")!;
                if (inner.GetAt<Message>("lines", 0).Get<string>("sku") != "a") Interlocked.Increment(ref missing);
            });
            Assert.Equal(0, missing);
        }
    }

    [Fact]
    public void A_fault_behind_a_message_names_no_field_of_it()
    {
        byte[] inside = Inside(TestSchemas.Order.Fields.First(f => f.Name == "parent").Number, [0x3A, 0x01, 0x05]);
        WireException e = Assert.Throws<WireException>(() => TestSchemas.Order.Decode((byte[])[.. inside, 0x80]));
        Assert.Equal((inside.Length + 1L, ""), (e.Offset, e.Path));
    }

    [Fact]
    public void Size_has_a_budget()
    {
        byte[] bytes = [0x0A, 0x01, 0x41];
        TestSchemas.Order.Decode(bytes, new() { MaxBytes = 3 });
        Assert.Throws<WireException>(() => TestSchemas.Order.Decode(bytes, new() { MaxBytes = 2 }));
        Assert.Throws<WireException>(() => TestSchemas.Order.Decode(Pieces.Of(bytes, 1), new() { MaxBytes = 2 }));
        Assert.Throws<WireException>(() => TestSchemas.Order.Decode(new MemoryStream(bytes), new() { MaxBytes = 2 }));
        Assert.Throws<WireException>(() => TestSchemas.Order.Decode(new EndlessStream(), new() { MaxBytes = 1 << 20 }));
    }

    [Fact]
    public void A_message_that_contains_itself_is_refused_on_every_way_out()
    {
        Message message = TestSchemas.Order.New();
        message.Set("parent", message);
        Assert.Throws<InvalidOperationException>(() => message.ToByteArray());
        Assert.Throws<WireException>(() => message.ToJson());
        Assert.Throws<InsufficientExecutionStackException>(() => message.Clone());
        message.Clear("parent");
        Assert.Empty(message.ToByteArray());
    }

    [Fact]
    public void Keys_that_collide_in_a_plain_dictionary_are_read_in_time()
    {
        // Int64.GetHashCode is the xor of its halves: these keys all have the hash 0.
        MessageType type = TestSchemas.Everything3;
        Message message = type.New();
        MapView<long, string> map = message.Map<long, string>("by_int64");
        for (int i = 1; i <= 50_000; i++) map[(long)i << 32 | (uint)i] = "x";
        Assert.Equal(50_000, map.Count);
        Message decoded = type.Decode(message.ToByteArray());
        Assert.Equal(50_000, decoded.CountOf("by_int64"));
        Assert.Equal("x", decoded.Map<long, string>("by_int64")[7L << 32 | 7]);
        Assert.Equal(message, decoded);
    }

    [Fact]
    public void Json_has_the_same_depth_with_values_and_any_included()
    {
        MessageType value = TestSchemas.All["google.protobuf.Value"];
        value.ParseJson(new string('[', 100) + new string(']', 100));
        Assert.Throws<WireException>(() => value.ParseJson(new string('[', 200_000)));
        Assert.Throws<WireException>(() => value.ParseJson(new string('[', 150) + new string(']', 150)));
        string any = """{"@type":"x/google.protobuf.Any","value":""";
        string bomb = string.Concat(Enumerable.Repeat(any, 200)) + "{}" + new string('}', 200);
        Assert.Throws<WireException>(() => TestSchemas.All["google.protobuf.Any"].ParseJson(bomb));
        string orders = string.Concat(Enumerable.Repeat("""{"parent":""", 101)) + "{}" + new string('}', 101);
        Assert.Throws<WireException>(() => TestSchemas.Order.ParseJson(orders));
    }

    [Fact]
    public void A_handle_that_is_null_is_told()
    {
        Message message = TestSchemas.Order.New();
        FieldHandle<int> none = null!;
        Assert.Throws<ArgumentNullException>(() => message.Get(none));
        Assert.Throws<ArgumentNullException>(() => message.Set(none, 1));
        Assert.Throws<ArgumentNullException>(() => message.Has(none));
        Assert.Throws<ArgumentNullException>(() => message.Clear(none));
        Assert.Throws<ArgumentNullException>(() => message.CountOf(none));
        Assert.Throws<ArgumentNullException>(() => message.GetAt(none, 0));
        Assert.Throws<ArgumentNullException>(() => message.Add(none, 0));
    }

    [Fact]
    public void The_path_of_a_bomb_is_short()
    {
        byte[] nested = [];
        for (int i = 0; i < 5_000; i++) nested = Inside(3, nested);
        WireException e = Assert.Throws<WireException>(() => TestSchemas.Order.Decode(nested, new() { MaxDepth = 4_000 }));
        Assert.InRange(e.Path.Length, 100, 1_000);
        Assert.Contains(".….", e.Path);
    }

    [Fact]
    public void A_message_longer_than_any_array_is_written_elsewhere()
    {
        Message order = TestSchemas.Order.New(), line = order.AddNew("lines");
        line.Set("raw", (ReadOnlyMemory<byte>)new ClaimedMemory(Array.MaxLength - 5).Memory);
        Assert.Throws<InvalidOperationException>(() => order.ToByteArray());
        Assert.InRange(order.CalculateSize(), Array.MaxLength, int.MaxValue);
        line.Set("raw", (ReadOnlyMemory<byte>)new ClaimedMemory(int.MaxValue - 3).Memory);
        Assert.Throws<InvalidOperationException>(() => order.CalculateSize());
        line.Clear("raw");
        Assert.Equal(2, order.ToByteArray().Length);
    }

    private static byte[] Inside(int number, byte[] inner) => Wired.Inside(number, inner);

    // Memory that has a length and is never looked at.
    private sealed class ClaimedMemory(int length) : SpanMemory
    {
        public override Memory<byte> Memory => CreateMemory(length);

        public override Span<byte> GetSpan() => throw new NotSupportedException();
    }

    private sealed class EndlessStream : MemoryStream
    {
        public override int Read(byte[] buffer, int offset, int count)
        {
            buffer.AsSpan(offset, count).Fill(8);
            return count;
        }
    }
}

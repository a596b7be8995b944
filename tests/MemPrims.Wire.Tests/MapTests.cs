namespace MemPrims.Wire.Tests;

// Maps: keys that go and come, entries as messages, paths that count entries, enum values that are not declared.
public class MapTests
{
    [Theory]
    [InlineData(7)]
    [InlineData(60)]
    [InlineData(3_000)]
    public void Keys_are_found_while_others_are_removed_and_added(int most)
    {
        Random random = new(most);
        Message message = TestSchemas.Everything3.New();
        MapView<long, string> numbers = message.Map<long, string>("by_int64");
        MapView<string, int> texts = message.Map<string, int>("to_int32");
        Dictionary<long, string> expected = [];
        for (int step = 0; step < 8 * most; step++)
        {
            long key = random.Next(most);
            if (random.Next(5) < 3)
            {
                numbers[key] = $"{step}";
                texts[$"key {key}"] = (int)key;
                expected[key] = $"{step}";
            }
            else
            {
                Assert.Equal(expected.Remove(key), numbers.Remove(key));
                texts.Remove($"key {key}");
            }
            long probe = random.Next(most);
            Assert.Equal(expected.ContainsKey(probe), numbers.ContainsKey(probe));
            Assert.Equal(expected.ContainsKey(probe), texts.ContainsKey($"key {probe}"));
        }
        Assert.Equal(expected.OrderBy(e => e.Key), numbers.OrderBy(e => e.Key));
        Assert.Equal(expected.Keys.Order(), texts.Select(e => (long)e.Value).Order());
        foreach (long key in expected.Keys) Assert.True(numbers.Remove(key));
        Assert.False(message.Has("by_int64"));
    }

    [Fact]
    public void Removing_all_keys_looks_each_up_once()
    {
        // The index is changed, not built again: as many bytes are allocated for removing 40,000 keys as for removing none.
        Message message = TestSchemas.Everything3.New();
        MapView<long, string> map = message.Map<long, string>("by_int64");
        for (int i = 0; i < 40_000; i++) map[i] = "x";
        Assert.True(map.ContainsKey(7));
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < 40_000; i++)
            if (!map.Remove(i)) Assert.Fail($"key {i} is gone");
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 100_000);
    }

    [Fact]
    public void The_key_of_an_entry_in_a_map_stays()
    {
        Message message = TestSchemas.Everything3.New();
        MapView<string, int> map = message.Map<string, int>("to_int32");
        for (int i = 0; i < 20; i++) map[$"k{i}"] = i;
        Message decoded = TestSchemas.Everything3.Decode(message.ToByteArray()), reused = TestSchemas.Everything3.New();
        reused.DecodeFrom(message.ToByteArray());
        foreach (Message owner in (Message[])[message, decoded, reused, message.Clone()])
        {
            Message entry = owner.GetAt<Message>("to_int32", 3);
            FieldHandle<string> key = entry.Type.Field<string>("key");
            Assert.Throws<InvalidOperationException>(() => entry.Set("key", "k5"));
            Assert.Throws<InvalidOperationException>(() => entry.Set(key, "k5"));
            Assert.Throws<InvalidOperationException>(() => entry.Clear("key"));
            Assert.Throws<InvalidOperationException>(() => entry.Clear(key));
            Assert.Throws<InvalidOperationException>(entry.Clear);
            Assert.Throws<InvalidOperationException>(() => entry.MergeFrom(entry.Clone()));
            Assert.Throws<InvalidOperationException>(() => entry.DecodeFrom(ReadOnlyMemory<byte>.Empty));
            Assert.Throws<InvalidOperationException>(() => entry.MergeFrom(ReadOnlySpan<byte>.Empty));
            Assert.Equal("k3", entry.Get<string>("key"));
            // Its value may change, and is there even when it is cleared.
            entry.Set("value", 77);
            Assert.Equal(77, owner.Map<string, int>("to_int32")["k3"]);
            entry.Set("value", 0);
            Assert.Contains("\"k3\":0", owner.ToJson());
            entry.Set("value", 77);
            entry.Clear("value");
            Assert.Contains("\"k3\":0", owner.ToJson());
            Assert.Equal(owner, TestSchemas.Everything3.Decode(owner.ToByteArray()));
            // A copy is nobody's entry.
            Message copy = entry.Clone();
            copy.Set("key", "new");
            owner.Add("to_int32", copy);
            Assert.Equal(21, owner.CountOf("to_int32"));
            Assert.True(owner.Map<string, int>("to_int32").ContainsKey("new"));
        }
    }

    [Fact]
    public void Maps_are_equal_by_keys_and_values_in_any_order()
    {
        Message one = TestSchemas.Order.New(), other = TestSchemas.Order.New();
        MapView<int, string> first = one.Map<int, string>("names"), second = other.Map<int, string>("names");
        (first[1], first[2]) = ("one", "two");
        (second[2], second[1]) = ("two", "one");
        Assert.Equal(one, other);
        second[2] = "deux";
        Assert.NotEqual(one, other);
        second[2] = "two";
        Assert.Equal(one, other);
    }

    [Fact]
    public void Half_a_surrogate_pair_is_no_key()
    {
        Message message = TestSchemas.Everything3.New();
        MapView<string, int> map = message.Map<string, int>("to_int32");
        map["\ufffd"] = 1;
        Assert.Throws<ArgumentException>(() => map["\ud800"] = 2);
        Assert.Throws<ArgumentException>(() => map["x\udc00"] = 2);
        Message entry = TestSchemas.Everything3.Fields.First(f => f.Name == "to_int32").MessageType!.New();
        Assert.Throws<ArgumentException>(() => entry.Set("key", "\ud800"));
        Assert.False(map.ContainsKey("\ud800"));
        Assert.False(map.Remove("\udc00"));
        map["\ud83d\ude00"] = 3;
        Assert.Equal(3, map["😀"]);
        Assert.Throws<ArgumentException>(() => TestSchemas.Everything3.Path("to_int32[\"\ud800\"]"));
    }

    [Fact]
    public void Closed_enums_in_maps_lose_no_key()
    {
        // What the specification says: an undeclared value makes the entry unknown, anything else that is unknown does not.
        MessageType type = TestSchemas.Everything2;
        int number = type.Fields.First(f => f.Name == "to_kept").Number;
        byte[] unknownBeside = Wired.Inside(number, [.. Wired.Number(1, 7), .. Wired.Number(9, 5)]);
        byte[] undeclared = Wired.Inside(number, [.. Wired.Number(1, 7), .. Wired.Number(2, 99)]);

        Message kept = type.Decode(unknownBeside, new() { AllowPartial = true });
        Assert.True(kept.Map<int, int>("to_kept").ContainsKey(7));
        Assert.True(type.Path("to_kept[\"7\"]").TryRead(unknownBeside, out int _));
        Assert.Equal(0, kept.UnknownFields.Length);

        Message lost = type.Decode(undeclared, new() { AllowPartial = true });
        Assert.Equal(0, lost.CountOf("to_kept"));
        Assert.Equal(undeclared, lost.UnknownFields.ToArray());
        Message discarded = type.Decode(undeclared, new() { AllowPartial = true, DiscardUnknown = true });
        Assert.Equal(0, discarded.CountOf("to_kept"));
        Assert.Empty(discarded.ToByteArray());
    }

    [Fact]
    public void A_path_counts_entries_as_the_decoded_map_does()
    {
        MessageType type = TestSchemas.Order;
        int names = type.Fields.First(f => f.Name == "names").Number;
        byte[] Entry(int key, string value) =>
            Wired.Inside(names, [.. Wired.Number(1, (ulong)key), .. Wired.Inside(2, System.Text.Encoding.UTF8.GetBytes(value))]);
        byte[] bytes = [.. Entry(1, "five"), .. Entry(1, "six"), .. Entry(2, "seven")];
        Assert.True(type.Path("names[0].value").TryRead(bytes, out string first));
        Assert.True(type.Path("names[1].value").TryRead(bytes, out string second));
        Assert.True(type.Path("names[1].key").TryRead(bytes, out int key));
        Assert.Equal(("six", "seven", 2), (first, second, key));
        Assert.False(type.Path("names[2].value").TryRead(bytes, out string _));
        Assert.True(type.Path("names[1]").TryRead(bytes, out Message entry));
        Assert.Equal(type.Decode(bytes).GetAt<Message>("names", 1), entry);

        // Random keys, below a sub-message that comes in two parts.
        Random random = new(3);
        for (int round = 0; round < 200; round++)
        {
            byte[] Part() => [.. Enumerable.Range(0, random.Next(1, 30)).SelectMany(i => Entry(random.Next(1, 20), $"{i}"))];
            byte[] whole = [.. Wired.Inside(3, Part()), .. Wired.Inside(3, Part())];
            Message parent = type.Decode(whole).Get<Message>("parent")!;
            int index = random.Next(parent.CountOf("names"));
            Assert.True(type.Path($"parent.names[{index}].value").TryRead(whole, out string value));
            Assert.Equal(parent.GetAt<Message>("names", index).Get<string>("value"), value);
            Assert.False(type.Path($"parent.names[{parent.CountOf("names")}].value").TryRead(whole, out string _));
        }
        byte[] damaged = [.. Entry(1, "five"), .. Wired.Inside(names, [0x08, 0x80])];
        WireException e = Assert.Throws<WireException>(() => type.Path("names[0].value").TryRead(damaged, out string _));
        Assert.Equal(damaged.Length, e.Offset);
    }

    [Theory]
    [InlineData("a\"]b", "labels[\"a\\\"]b\"].count")]
    [InlineData("back\\slash", "labels[\"back\\\\slash\"].count")]
    [InlineData("back\\slash", "labels[\"back\\slash\"].count")]
    [InlineData("quote\"x", "labels[\"quote\"x\"].count")]
    [InlineData("", "labels[\"\"].count")]
    public void Any_key_can_be_written_in_a_path(string key, string path)
    {
        Message order = TestSchemas.Order.New(), line = TestSchemas.All["memprims.test.Line"].New();
        line.Set("count", 5);
        order.Map<string, Message>("labels")[key] = line;
        Assert.True(TestSchemas.Order.Path(path).TryRead(order.ToByteArray(), out int count));
        Assert.Equal(5, count);
        Assert.Throws<ArgumentException>(() => TestSchemas.Order.Path("labels[\"a\\"));
        Assert.Throws<ArgumentException>(() => TestSchemas.Order.Path("labels[\"a\""));
    }

    // A key has one hash, whether it is a string or the UTF-8 of lent memory.
    [Fact]
    public void Keys_set_as_strings_meet_keys_of_lent_memory()
    {
        string[] keys = ["", "a", "ä", "\U0001F600", "\uFFFD", new('x', 300), new('ß', 300),
            .. Enumerable.Range(0, 40).Select(i => $"k{i}")];
        Message source = s_shop.New();
        foreach (string key in keys) source.Map<string, int>("labels")[key] = key.Length;
        byte[] bytes = source.ToByteArray();
        Message lent = s_shop.New();
        lent.DecodeFrom(bytes);
        foreach (string key in keys)
        {
            Assert.Equal(key.Length, lent.Map<string, int>("labels")[key]);
            lent.Map<string, int>("labels")[key] = -1;
            Assert.Equal(keys.Length, lent.Map<string, int>("labels").Count);
        }
        // Lent keys after keys that are strings, and the other way round.
        source.MergeFrom(lent);
        lent.MergeFrom(bytes);
        Assert.Equal(keys.Length, source.CountOf("labels"));
        Assert.Equal(keys.Length, lent.CountOf("labels"));
        foreach (string key in keys)
            Assert.Equal((-1, key.Length), (source.Map<string, int>("labels")[key], lent.Map<string, int>("labels")[key]));
    }

    private static readonly MessageType s_shop = MessageSchema.Load(ShopSchema.ToByteArray())["shop.Order"];
}

using System.Buffers;
using System.Text;
using MemPrims.Buffers;

namespace MemPrims.Wire.Tests;

// Setting and reading by handle, name and number: types, presence, oneofs, enums, maps, extensions, slices, reuse.
public class AccessTests
{
    private static readonly MessageType s_three = TestSchemas.Everything3, s_two = TestSchemas.Everything2, s_order = TestSchemas.Order;

    [Fact]
    public void Presence_is_as_the_schema_says()
    {
        Message message = s_three.New();
        message.Set("one_int32", 5);
        Assert.True(message.Has("one_int32"));
        message.Set("one_int32", 0);
        Assert.False(message.Has("one_int32"));
        message.Set("maybe_int32", 0);
        Assert.True(message.Has("maybe_int32"));
        message.Set(s_three.Field<string>("one_string"), "");
        Assert.False(message.Has("one_string"));
        message.Set("one_double", -0.0);
        Assert.True(message.Has("one_double"));
        Assert.Equal(["one_double", "maybe_int32"], message.SetFields.Select(f => f.Name));
        Assert.Null(message.Get<Message>("inner"));
        message.Clear("maybe_int32");
        Assert.False(message.Has("maybe_int32"));
        // On the wire too: a zero that is written out is not there.
        Assert.False(s_three.Decode([0x28, 0x05, 0x28, 0x00]).Has("one_int32"));
    }

    [Fact]
    public void One_of_a_oneof_is_set()
    {
        Message message = s_three.New();
        message.Set("pick_number", 0);
        Assert.Equal("pick_number", message.WhichOf("choice")!.Name);
        message.Set("pick_text", "a");
        Assert.False(message.Has("pick_number"));
        message.GetOrNew("pick_message").Set("id", 3);
        Assert.Equal("pick_message", message.WhichOf("choice")!.Name);
        message.Set(s_three.Field<ReadOnlyMemory<byte>>("pick_bytes"), default);
        Assert.Equal("pick_bytes", message.WhichOf("choice")!.Name);
        message.Clear("pick_bytes");
        Assert.Null(message.WhichOf("choice"));
        Assert.Throws<ArgumentException>(() => message.WhichOf("none"));
    }

    [Fact]
    public void Other_types_other_messages_and_other_fields_are_argument_exceptions()
    {
        Message message = s_three.New();
        Assert.Throws<ArgumentException>(() => message.Get<long>("one_int32"));
        Assert.Throws<ArgumentException>(() => message.Set("one_int32", "5"));
        Assert.Throws<ArgumentException>(() => message.Get<int>("none"));
        Assert.Throws<ArgumentException>(() => message.Get<int>("many_int32"));
        Assert.Throws<ArgumentException>(() => message.CountOf("one_int32"));
        Assert.Throws<ArgumentException>(() => message.Set("inner", s_order.New()));
        Assert.Throws<ArgumentException>(() => s_three.Field<long>("one_int32"));
        Assert.Throws<ArgumentException>(() => message.Get(s_order.Field<string>("id")));
        Assert.Throws<ArgumentException>(() => message.Set(s_order.Field<string>("id"), "a"));
        Assert.Throws<ArgumentException>(() => message.Has(s_order.Field<string>("id")));
        Assert.Throws<ArgumentException>(() => message.MergeFrom(s_order.New()));
        Assert.Throws<ArgumentException>(() => message.Set("one_string", (ReadOnlyMemory<byte>)new byte[] { 0xFF }));
        Assert.Throws<ArgumentException>(() => message.Set(s_three.Field<ReadOnlyMemory<byte>>("one_string"), new byte[] { 0xFF }));
        Assert.Throws<ArgumentNullException>(() => message.Set<string>("one_string", null!));
        Assert.Throws<ArgumentNullException>(() => message.Set(s_three.Field<string>("one_string"), null!));
        Assert.Throws<ArgumentException>(() => s_two.New().Set("level", 4));
        Assert.Throws<ArgumentOutOfRangeException>(() => message.GetAt<int>("many_int32", 0));
    }

    // Messages of up to 32 fields have a way of their own for numbers by handle.
    [Fact]
    public void A_number_set_again_is_set_as_its_presence_says()
    {
        MessageType type = TestSchemas.All["memprims.test.Line"];
        FieldHandle<int> plain = type.Field<int>("count"), optional = type.Field<int>("maybe");
        Message line = type.New();
        foreach (int value in (int[])[5, 0, 6, 0, 0])
        {
            line.Set(plain, value);
            line.Set(optional, value);
            Assert.Equal((value != 0, true), (line.Has(plain), line.Has(optional)));
            Assert.Equal((value, value), (line.Get(plain), line.Get(optional)));
            byte[] expected = value == 0 ? [0x18, 0x00] : [0x10, (byte)value, 0x18, (byte)value];
            Assert.Equal(expected, line.ToByteArray());
        }
    }

    [Fact]
    public void Short_messages_go_into_every_writer_and_room()
    {
        MessageType time = TestSchemas.All["google.protobuf.Timestamp"], type = TestSchemas.All["memprims.test.Line"];
        for (int shift = 0; shift < 64; shift++)
            foreach (long seconds in (long[])[1L << shift, (1L << shift) - 1, -(1L << shift)])
            {
                Message message = time.New();
                message.Set("seconds", seconds);
                message.Set("nanos", 7);
                byte[] bytes = Written(message, 512);
                Assert.Equal(message.ToByteArray(), bytes);
                Assert.Equal(seconds, time.Decode(bytes).Get<long>("seconds"));
            }
        foreach (int room in (int[])[1, 255, 256, 257, 300, 600])
            foreach (int length in (int[])[0, 1, 16, 17, 31, 32, 33, 64, room - 3, room, room + 20])
            {
                if (length < 0) continue;
                Message line = type.New();
                line.Set("sku", (ReadOnlyMemory<byte>)Enumerable.Repeat((byte)'x', length).ToArray());
                line.Set("count", 9);
                Assert.Equal(line.ToByteArray(), Written(line, room));
                line.Set("sku", new string('x', length));
                Assert.Equal(line.ToByteArray(), Written(line, room));
            }

        static byte[] Written(Message message, int room)
        {
            ArrayBufferWriter<byte> writer = new(room);
            message.WriteTo(writer);
            return writer.WrittenSpan.ToArray();
        }
    }

    [Fact]
    public void The_last_member_of_a_oneof_wins_in_decoding()
    {
        // first = 5 is a message, second = 6 a number.
        Message decoded = s_order.Decode([0x2A, 0x00, 0x30, 0x07]), other = s_order.Decode([0x30, 0x07, 0x2A, 0x00]);
        Assert.Equal((false, true), (decoded.Has("first"), decoded.Has("second")));
        Assert.Equal((true, false), (other.Has("first"), other.Has("second")));
        Assert.Equal([0x30, 0x07], decoded.ToByteArray());
        decoded.MergeFrom(other);
        Assert.Equal((true, false), (decoded.Has("first"), decoded.Has("second")));
    }

    [Fact]
    public void Unknown_fields_go_along_with_merging_and_cloning()
    {
        byte[] one = [0x98, 0x06, 0x07], two = [0x98, 0x06, 0x08];
        Message message = s_order.Decode(one);
        Assert.Equal(one, message.Clone().ToByteArray());
        message.MergeFrom(s_order.Decode(two));
        Assert.Equal([.. one, .. two], message.ToByteArray());
    }

    [Fact]
    public void Enums_have_numbers_and_names()
    {
        Message message = s_three.New();
        message.Set("mood", -1);
        Assert.Equal(-1, message.Get<int>("mood"));
        message.Set("mood", 77);
        message.Set("mood", DayOfWeek.Monday);
        Assert.Equal(DayOfWeek.Monday, message.Get<DayOfWeek>("mood"));
        // A closed enum keeps what it does not declare as an unknown field.
        s_two.TryGetField("level", out MessageField? level);
        byte[] unknown = [(byte)(level!.Number << 3 & 0x7F | 0x80), (byte)(level.Number >> 4), 9];
        Message decoded = s_two.Decode(unknown);
        Assert.False(decoded.Has("level"));
        Assert.Equal(unknown, decoded.UnknownFields.ToArray());
        // All of its bits: this one is 9 in 32 bits, and more above.
        byte[] wide = [.. unknown.AsSpan(0, 2), 0x89, 0x80, 0x80, 0x80, 0x10];
        Assert.Equal(wide, s_two.Decode(wide).UnknownFields.ToArray());
        Assert.Equal(unknown, decoded.ToByteArray());
    }

    [Fact]
    public void Lists_and_maps_have_typed_views()
    {
        Message message = s_three.New();
        message.Add("many_int32", 1);
        message.AddRange<int>("many_int32", [2, 3]);
        message.SetAt("many_int32", 1, 7);
        Assert.Equal([1, 7, 3], message.GetSpan<int>("many_int32").ToArray());
        message.Add("many_string", "a");
        message.Add("many_string", (ReadOnlyMemory<byte>)"ä"u8.ToArray());
        Assert.Equal("ä", message.GetAt<string>("many_string", 1));
        Assert.Equal("a"u8.ToArray(), message.GetAt<ReadOnlyMemory<byte>>("many_string", 0).ToArray());

        MapView<string, int> map = message.Map<string, int>("to_int32");
        for (int i = 0; i < 100; i++) map[$"key {i}"] = i;
        map["key 7"] = 70;
        Assert.True(map.Remove("key 8") && !map.ContainsKey("key 8") && !map.Remove("key 8"));
        Assert.Equal((99, 70, 99), (map.Count, map["key 7"], map["key 99"]));
        Assert.Equal(99, message.CountOf("to_int32"));
        Assert.Equal(99 * 100 / 2 - 7 + 70 - 8, map.Sum(pair => pair.Value));
        Message entry = map.Count > 0 ? message.GetAt<Message>("to_int32", 0) : null!;
        Assert.Equal("key 0", entry.Get<string>("key"));
        Assert.Throws<KeyNotFoundException>(() => map["none"]);
        Assert.Throws<ArgumentException>(() => message.Map<int, int>("to_int32"));
        foreach (int i in Enumerable.Range(0, 100)) map.Remove($"key {i}");
        Assert.False(message.Has("to_int32"));
    }

    [Fact]
    public void Extensions_and_required_fields()
    {
        Message message = s_two.New();
        message.Set("[memprims.test2.added_number]", 5);
        message.Set("[memprims.test2.Scope.inside]", new byte[] { 1 });
        Assert.Equal(5, s_two.Decode(message.ToByteArray()).Get<int>("[memprims.test2.added_number]"));
        message.GetOrNew("needy").Set("name", "x");
        byte[] bytes = message.ToByteArray();
        Assert.Equal("needy.id", Assert.Throws<WireException>(() => s_two.Decode(bytes)).Path);
        Assert.Equal("needy.id", message.FindMissingRequired());
        Assert.Equal(message, s_two.Decode(bytes, new() { AllowPartial = true }));
        WireException e = Assert.Throws<WireException>(() => s_two.ParseJson(message.ToJson()));
        Assert.Equal("needy.id", e.Path);
        Assert.Contains("JsonParseOptions.AllowPartial", e.Message);
    }

    [Fact]
    public void A_lent_message_refers_to_its_memory_and_is_used_again()
    {
        byte[] bytes = [.. "...."u8, 0x0A, 0x02, .. "ab"u8, 0x1A, 0x04, 0x0A, 0x02, .. "cd"u8];
        Message message = s_order.New();
        message.DecodeFrom(bytes.AsMemory(4));
        Message parent = message.Get<Message>("parent");
        bytes[6] = (byte)'x';
        Assert.Equal("xb", message.Get<string>("id"));
        Assert.True(message.Get<ReadOnlyMemory<byte>>("id").Span.Overlaps(bytes));
        message.DecodeFrom(bytes.AsMemory(4));
        Assert.Same(parent, message.Get<Message>("parent"));
        // What was set into another message is nobody's to use again.
        Message other = s_order.New();
        other.Set("parent", parent);
        message.DecodeFrom(bytes.AsMemory(4));
        Assert.NotSame(parent, message.Get<Message>("parent"));
        Message copy = message.Clone();
        message.DecodeFrom(new byte[] { 0x0A, 0x01, 0x41 });
        Assert.Equal("cd", copy.Get<Message>("parent").Get<string>("id"));
        Assert.Equal("cd", other.Get<Message>("parent").Get<string>("id"));
    }

    [Fact]
    public void Long_payloads_keep_their_places_on_every_way_out()
    {
        Message message = s_order.New();
        for (byte i = 1; i <= 3; i++)
        {
            Message line = message.AddNew("lines");
            line.Set("sku", $"before {i}");
            line.Set("raw", Enumerable.Repeat(i, 2 * SegmentList.SpliceThreshold + i).ToArray());
        }
        message.Set("second", 7);
        byte[] bytes = message.ToByteArray();
        Assert.Equal(Google.Protobuf.MessageExtensions.ToByteArray(Generated.Order.Parser.ParseFrom(bytes)), bytes);
        using SegmentList list = new(), appended = new();
        message.WriteTo(list);
        Assert.Equal(bytes, list.AsSequence().ToArray());
        Appender appender = new(appended);
        message.WriteTo(ref appender);
        appender.Commit();
        Assert.Equal(bytes, appended.AsSequence().ToArray());
        ArrayBufferWriter<byte> writer = new();
        message.WriteTo(writer);
        Assert.Equal(bytes, writer.WrittenSpan.ToArray());
        MemoryStream stream = new();
        message.WriteTo(stream);
        Assert.Equal(bytes, stream.ToArray());
        byte[] room = new byte[bytes.Length];
        Assert.Equal(bytes.Length, message.WriteTo(room));
        Assert.Equal(bytes, room);
    }

    [Fact]
    public void Encoded_sub_messages_are_written_as_they_are_and_decoded_when_asked_for()
    {
        Message message = s_order.New();
        message.SetEncoded("parent", new byte[] { 0x0A, 0x01, 0x41 });
        message.AddNew("lines").Set("count", 0);
        Assert.Equal([0x12, 0x00, 0x1A, 0x03, 0x0A, 0x01, 0x41], message.ToByteArray());
        Assert.Equal("A", message.Get<Message>("parent").Get<string>("id"));
        Assert.Equal(0, message.GetAt<Message>("lines", 0).Get<int>("count"));
        Message lazy = s_order.Decode([0x1A, 0x02, 0x0A, 0x05], new() { Lazy = true });
        Assert.Equal([0x1A, 0x02, 0x0A, 0x05], lazy.ToByteArray());
        Assert.Throws<WireException>(() => lazy.Get<Message>("parent"));

        // A fault has its path from the message that it was set into.
        message.SetEncoded("parent", new byte[] { 0x12, 0x01, 0x0A });
        WireException e = Assert.Throws<WireException>(() => message.Get<Message>("parent"));
        Assert.Equal(("parent.lines[0].sku", 3), (e.Path, e.Offset));
        message.SetEncoded("parent", new byte[] { 0x07 });
        Assert.Equal("parent", Assert.Throws<WireException>(() => message.Get<Message>("parent")).Path);
    }

    [Fact]
    public void Half_a_surrogate_pair_is_refused_when_it_is_written()
    {
        Message message = s_order.New();
        message.Set("id", "a\uD800");
        Assert.Equal("id", Assert.Throws<WireException>(() => message.ToByteArray()).Path);
        message.Set("id", "ok");
        Assert.Equal(4, message.ToByteArray().Length);
    }

    [Fact]
    public void Text_of_every_length_goes_both_ways()
    {
        foreach (string letter in (string[])["a", "ä", "€", "😀"])
            for (int length = 0; length < 140; length++)
                for (int at = -1; at < length; at += Math.Max(1, length / 5))
                {
                    string text = new string('x', length).Remove(Math.Max(at, 0), at < 0 ? 0 : 1).Insert(Math.Max(at, 0), at < 0 ? ""
                        : letter);
                    Message message = s_order.New();
                    message.Set("id", text);
                    byte[] bytes = message.ToByteArray(), utf8 = Encoding.UTF8.GetBytes(text);
                    Assert.True(bytes.AsSpan().EndsWith(utf8));
                    Assert.Equal(text, s_order.Decode(bytes).Get<string>("id"));
                    Message slices = s_order.New();
                    slices.DecodeFrom(bytes);
                    Assert.Equal(text, slices.Get<string>("id"));
                }
    }
}

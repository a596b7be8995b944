using MemPrims.Wire.Tests.Generated;

namespace MemPrims.Wire.Tests;

// What is decoded lazily keeps to the options and budgets of the whole, and tells faults as the whole would.
public class LazyTests
{
    private static readonly DecodeOptions s_lazy = new() { Lazy = true };

    [Fact]
    public void Depth_is_counted_from_the_top()
    {
        byte[] nested = [];
        for (int i = 0; i < 21; i++) nested = Wired.Inside(3, nested);
        Assert.Equal(21, Walk(TestSchemas.Order.Decode(nested, s_lazy)));
        Assert.Equal(21, Walk(TestSchemas.Order.Decode(nested, s_lazy with { MaxDepth = 21 })));
        WireException eager = Assert.Throws<WireException>(() => TestSchemas.Order.Decode(nested, new() { MaxDepth = 5 }));
        Message lazy = TestSchemas.Order.Decode(nested, s_lazy with { MaxDepth = 5 });
        WireException late = Assert.Throws<WireException>(() => Walk(lazy));
        Assert.Equal((eager.Message, eager.Offset, eager.Path), (late.Message, late.Offset, late.Path));
        // A copy, and a message that took the parts over, go no deeper.
        Assert.Throws<WireException>(() => Walk(lazy.Clone()));
        Message other = TestSchemas.Order.New();
        other.MergeFrom(TestSchemas.Order.Decode(nested, s_lazy with { MaxDepth = 5 }));
        Assert.Throws<WireException>(() => Walk(other));
        Message reused = TestSchemas.Order.New();
        reused.DecodeFrom(nested, s_lazy with { MaxDepth = 5 });
        Assert.Throws<WireException>(() => Walk(reused));
        // The next decoding has its own budget.
        reused.DecodeFrom(nested, s_lazy);
        Assert.Equal(21, Walk(reused));
    }

    [Fact]
    public void Memory_has_one_budget_for_all_parts()
    {
        byte[] lines = [.. Enumerable.Repeat(new byte[] { 0x12, 0x02, 0x10, 0x01 }, 1_000).SelectMany(line => line)];
        byte[] bytes = [.. Wired.Inside(3, lines), .. Wired.Inside(4, [0x0A, 0x01, 0x41, .. Wired.Inside(2, [0x10, 0x01])])];
        DecodeOptions tight = s_lazy with { MaxMemory = 100_000 };
        Message order = TestSchemas.Order.Decode(bytes, tight);
        Message parent = order.Get<Message>("parent")!;
        WireException e = Assert.Throws<WireException>(() =>
        {
            for (int i = 0; i < 1_000; i++) parent.GetAt<Message>("lines", i);
        });
        WireException eager = Assert.Throws<WireException>(() => TestSchemas.Order.Decode(bytes, new() { MaxMemory = 100_000 }));
        Assert.Contains("MaxMemory", e.Message);
        Assert.Equal((eager.Message, eager.Offset, eager.Path), (e.Message, e.Offset, e.Path));
        Assert.StartsWith("parent.lines", e.Path);
        // What was refused is refused again, and what is there stays there.
        Assert.Throws<WireException>(() => parent.GetAt<Message>("lines", 999));
        Assert.Equal(1, parent.GetAt<Message>("lines", 0).Get<int>("count"));
    }

    [Fact]
    public void Required_fields_are_missed_at_the_top_and_in_parts()
    {
        MessageType needy = TestSchemas.All["memprims.test2.Needy"];
        Assert.Throws<WireException>(() => needy.Decode([]));
        Assert.Throws<WireException>(() => needy.Decode([], s_lazy));
        needy.Decode([], s_lazy with { AllowPartial = true });

        MessageField field = TestSchemas.Everything2.Fields.First(f => f.Name == "needies");
        byte[] whole = Wired.Bytes(new Needy { Id = 1 });
        byte[] bytes = [.. Wired.Inside(field.Number, whole), .. Wired.Inside(field.Number, [])];
        WireException eager = Assert.Throws<WireException>(() => TestSchemas.Everything2.Decode(bytes));
        Message lazy = TestSchemas.Everything2.Decode(bytes, s_lazy);
        Assert.NotNull(lazy.GetAt<Message>("needies", 0));
        WireException late = Assert.Throws<WireException>(() => lazy.GetAt<Message>("needies", 1));
        Assert.Equal((eager.Message, eager.Path), (late.Message, late.Path));
        Assert.Equal(eager.Path, lazy.FindMissingRequired());
        Assert.NotNull(TestSchemas.Everything2.Decode(bytes, s_lazy with { AllowPartial = true }).GetAt<Message>("needies", 1));

        // Two halves of one message are whole together.
        MessageField one = TestSchemas.Everything2.Fields.First(f => f.Name == "needy");
        byte[] halves = [.. Wired.Inside(one.Number, []), .. Wired.Inside(one.Number, whole)];
        Assert.Equal(1, TestSchemas.Everything2.Decode(halves, s_lazy).Get<Message>("needy")!.Get<int>("id"));
    }

    [Fact]
    public void Unknown_fields_are_dropped_at_every_level()
    {
        byte[] bytes = Wired.Inside(3, Wired.Inside(3, [0x98, 0x06, 0x01, 0x0A, 0x01, 0x41]));
        Message eager = TestSchemas.Order.Decode(bytes, new() { DiscardUnknown = true });
        Message lazy = TestSchemas.Order.Decode(bytes, s_lazy with { DiscardUnknown = true });
        Assert.Equal(eager.ToByteArray(), lazy.ToByteArray());
        Assert.Equal(bytes.Length - 3, lazy.ToByteArray().Length);
    }

    [Fact]
    public void Faults_found_late_have_the_place_they_have_in_the_whole()
    {
        MessageType type = TestSchemas.Order;
        byte[] badText = [0x0A, 0x02, 0xC3, 0x28], cut = [0x10, 0x80], goodLine = Wired.Inside(2, [0x10, 0x01]);
        byte[][] faults =
        [
            [.. goodLine, .. Wired.Inside(2, badText)],
            [0x38, 0x07, .. goodLine, .. Wired.Inside(3, [.. goodLine, .. goodLine, .. Wired.Inside(2, cut)])],
            Wired.Inside(3, Wired.Inside(3, Wired.Inside(3, badText))),
            Wired.Inside(4, [0x0A, 0x01, 0x41, .. Wired.Inside(2, badText)]),
            Wired.Inside(5, cut),
        ];
        foreach (byte[] fault in faults)
        {
            WireException eager = Assert.Throws<WireException>(() => type.Decode(fault));
            byte[] shifted = [0xFF, 0xFF, .. fault];
            Message reused = type.New();
            reused.DecodeFrom(shifted.AsMemory(2), s_lazy);
            foreach (Message lazy in (Message[])[type.Decode(fault, s_lazy), reused, type.Decode(fault, s_lazy).Clone()])
            {
                WireException late = Assert.Throws<WireException>(() => Fuzzing.Visit(lazy));
                Assert.Equal((eager.Message, eager.Offset, eager.Path), (late.Message, late.Offset, late.Path));
            }
        }
    }

    // A part that comes twice is decoded while the part around it is: its fault has its place once.
    [Fact]
    public void A_fault_in_a_part_of_a_part_has_one_place()
    {
        byte[] twice = [.. Wired.Inside(3, [0x0A, 0x05, 0x41]), .. Wired.Inside(3, [0x0A, 0x01, 0x41])];
        byte[] bytes = [.. Wired.Number(7, 1), .. Wired.Inside(3, twice)];
        WireException eager = Assert.Throws<WireException>(() => TestSchemas.Order.Decode(bytes));
        WireException late = Assert.Throws<WireException>(() => Fuzzing.Visit(TestSchemas.Order.Decode(bytes, s_lazy)));
        Assert.Equal((eager.Message, eager.Offset, eager.Path), (late.Message, late.Offset, late.Path));
    }

    [Fact]
    public void The_first_fault_of_the_whole_is_told_whatever_is_looked_at_first()
    {
        byte[] badText = [0x0A, 0x02, 0xC3, 0x28];
        byte[][] faults =
        [
            // In a part, then at the top.
            [.. Wired.Inside(3, badText), 0x3A, 0x05],
            // In two parts: the one that lies behind is visited first.
            [.. Wired.Inside(3, badText), .. Wired.Inside(2, badText)],
            // In a part that is merged, behind a part that is not looked at.
            [.. Wired.Inside(2, badText), .. Wired.Inside(3, badText), .. Wired.Inside(3, [])],
        ];
        foreach (byte[] fault in faults)
        {
            WireException eager = Assert.Throws<WireException>(() => TestSchemas.Order.Decode(fault));
            WireException late = Assert.Throws<WireException>(() => Fuzzing.Visit(TestSchemas.Order.Decode(fault, s_lazy)));
            Assert.Equal((eager.Message, eager.Offset, eager.Path), (late.Message, late.Offset, late.Path));
        }
    }

    [Fact]
    public void A_damaged_part_that_is_replaced_is_not_looked_at()
    {
        MessageField first = TestSchemas.Order.Fields.First(f => f.Name == "first");
        MessageField second = first.Oneof!.Fields.First(f => f != first);
        byte[] bytes = [.. Wired.Inside(first.Number, [0x0A, 0x02, 0xC3, 0x28]), .. Wired.Number(second.Number, 1)];
        Assert.Throws<WireException>(() => TestSchemas.Order.Decode(bytes));
        Message lazy = TestSchemas.Order.Decode(bytes, s_lazy);
        Assert.Equal(Wired.Number(second.Number, 1), lazy.ToByteArray());
    }

    // Found by fuzzing: a number may have a slot that held a message, which a copy took for its value.
    [Fact]
    public void A_number_in_the_slot_of_a_message_is_copied_as_a_number()
    {
        Message message = TestSchemas.Everything3.New();
        MessageField held = message.Type.Fields.First(f => f is { Kind: FieldKind.Message, IsRepeated: false, Oneof: null });
        MessageField number = message.Type.Fields.First(f => f is { Kind: FieldKind.Int32, IsRepeated: false, Oneof: null });
        message.GetOrNew(held.Name);
        message.Clear(held.Name);
        message.Set(number.Name, 7);
        Assert.Equal(7, message.Clone().Get<int>(number.Name));
    }

    [Fact]
    public void Parts_of_two_inputs_lie_in_one_message()
    {
        for (int seed = 0; seed < 60; seed++)
        {
            RandomMessages random = new(seed);
            byte[] first = Wired.Bytes(random.Fill(new Order(), 0.7, 4)), second = Wired.Bytes(random.Fill(new Order(), 0.7, 4));
            Message expected = TestSchemas.Order.Decode((byte[])[.. first, .. second]);
            Message byBytes = TestSchemas.Order.New();
            byBytes.DecodeFrom(first, s_lazy);
            byBytes.MergeFrom(second, s_lazy with { MaxDepth = 50 });
            Message byMessage = TestSchemas.Order.Decode(first, s_lazy);
            byMessage.MergeFrom(TestSchemas.Order.Decode(second, s_lazy with { MaxDepth = 50 }));
            Assert.Equal(expected.ToByteArray(), byBytes.ToByteArray());
            Assert.Equal(expected, byBytes);
            Assert.Equal(expected, byMessage);
            Assert.Equal(expected, byMessage.Clone());
        }
    }

    private static int Walk(Message order)
    {
        int levels = 0;
        for (Message? at = order.Get<Message>("parent"); at is not null; at = at.Get<Message>("parent")) levels++;
        return levels;
    }
}

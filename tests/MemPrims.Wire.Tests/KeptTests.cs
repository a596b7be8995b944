using System.Buffers;
using MemPrims.Wire.Tests.Generated;

namespace MemPrims.Wire.Tests;

// Which memory a value lies in: what is kept is copied out of lent memory, and no slice is read in other memory.
public class KeptTests
{
    private static readonly DecodeOptions s_lazy = new() { Lazy = true };

    private static readonly byte[] s_inner = [.. Wired.Inside(1, "inner id"u8.ToArray()),
        .. Wired.Inside(2, [.. Wired.Inside(1, "first"u8.ToArray()), .. Wired.Inside(5, new byte[16])]),
        .. Wired.Inside(3, Wired.Inside(1, "deep"u8.ToArray()))];

    public static TheoryData<bool> Ways() => [false, true];

    [Theory]
    [MemberData(nameof(Ways))]
    public void What_is_set_elsewhere_cloned_or_merged_outlives_the_memory(bool isLazy)
    {
        for (int seed = 0; seed < 40; seed++)
        {
            byte[] bytes = Wired.Bytes(new RandomMessages(seed).Fill(new Everything3(), 0.7, 3));
            byte[] order = Wired.Bytes(new RandomMessages(seed).Fill(new Order { Parent = new() }, 0.9, 3));
            Message expected = TestSchemas.Everything3.Decode(bytes), expectedOrder = TestSchemas.Order.Decode(order);
            // Lent memory in the middle of an array.
            byte[] memory = [1, 2, 3, .. bytes, 4, 5], orderMemory = [6, .. order];
            Message lent = TestSchemas.Everything3.New(), lentOrder = TestSchemas.Order.New();
            DecodeOptions options = new() { Lazy = isLazy };
            lent.DecodeFrom(memory.AsMemory(3, bytes.Length), options);
            lentOrder.DecodeFrom(orderMemory.AsMemory(1), options);

            Message clone = lent.Clone(), merged = TestSchemas.Everything3.New(), holder = TestSchemas.Order.New();
            merged.MergeFrom(lent);
            holder.Set("parent", lentOrder.Get<Message>("parent")!);
            Message added = TestSchemas.Order.New(), lined = TestSchemas.Order.New();
            if (lentOrder.CountOf("lines") > 0)
            {
                added.Add("lines", lentOrder.GetAt<Message>("lines", 0));
                lined.Add("lines", TestSchemas.All["memprims.test.Line"].New());
                lined.SetAt("lines", 0, lentOrder.GetAt<Message>("lines", 0));
            }
            memory.AsSpan().Fill((byte)'#');
            orderMemory.AsSpan().Fill((byte)'#');

            Assert.Equal(bytes, clone.ToByteArray());
            Assert.Equal(expected, clone);
            Assert.Equal(bytes, merged.ToByteArray());
            Assert.Equal(expected, merged);
            Assert.Equal(expectedOrder.Get<Message>("parent"), holder.Get<Message>("parent"));
            Assert.Equal(expectedOrder.Get<Message>("parent")!.ToByteArray(), holder.Get<Message>("parent")!.ToByteArray());
            if (added.CountOf("lines") == 0) continue;
            Assert.Equal(expectedOrder.GetAt<Message>("lines", 0), added.GetAt<Message>("lines", 0));
            Assert.Equal(expectedOrder.GetAt<Message>("lines", 0), lined.GetAt<Message>("lines", 0));
        }
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public void What_was_set_encoded_is_copied_with_its_message(bool inManager)
    {
        byte[] bytes = [.. s_inner], line = Wired.Inside(1, "sku"u8.ToArray());
        using OnceMemory manager = new(bytes), lineManager = new(line);
        Message order = TestSchemas.Order.New();
        order.SetEncoded("parent", inManager ? manager.Memory : bytes);
        order.AddNew("lines").DecodeFrom(inManager ? lineManager.Memory : line);
        byte[] before = order.ToByteArray();
        Message clone = order.Clone(), merged = TestSchemas.Order.New(), added = TestSchemas.Order.New();
        merged.MergeFrom(order);
        added.AddNew("lines");
        added.MergeFrom(order);
        Message expected = TestSchemas.Order.Decode(before);
        bytes.AsSpan().Fill(0xFF);
        line.AsSpan().Fill(0xFF);
        Assert.Equal(before, clone.ToByteArray());
        Assert.Equal(before, merged.ToByteArray());
        Assert.Equal("sku", added.GetAt<Message>("lines", 1).Get<string>("sku"));
        Assert.Equal(expected, clone);
        Assert.Equal(expected, merged);
    }

    [Fact]
    public void What_lay_in_lent_memory_before_a_merge_of_bytes_is_copied()
    {
        byte[] memory = [.. Wired.Inside(1, "id"u8.ToArray()), .. Wired.Inside(3, s_inner)];
        Message order = TestSchemas.Order.New();
        order.DecodeFrom(memory);
        order.MergeFrom(Wired.Number(6, 3));
        byte[] before = order.ToByteArray();
        memory.AsSpan().Fill((byte)'#');
        Assert.Equal(before, order.ToByteArray());
    }

    [Fact]
    public void A_map_and_its_messages_outlive_the_memory()
    {
        Message source = TestSchemas.Everything3.New();
        for (int i = 0; i < 20; i++) source.Map<long, string>("by_int64")[i] = $"value {i}";
        byte[] memory = source.ToByteArray();
        Message lent = TestSchemas.Everything3.New();
        lent.DecodeFrom(memory);
        Message clone = lent.Clone();
        memory.AsSpan().Fill((byte)'#');
        Assert.Equal(source, clone);
    }

    // The slot of a part is claimed only when the part's input is known: before, an old slice was read in new memory.
    [Fact]
    public void Parts_of_a_second_input_take_the_place_of_cleared_ones()
    {
        byte[] first = [.. new byte[7], .. Wired.Inside(3, s_inner),
            .. Wired.Inside(2, Wired.Inside(1, new byte[400].Select(_ => (byte)'a').ToArray()))];
        byte[] second = [.. Wired.Inside(3, Wired.Inside(1, "b"u8.ToArray())), .. Wired.Inside(2, Wired.Inside(1, "c"u8.ToArray()))];
        foreach (string cleared in (string[])["parent", "lines"])
        {
            Message order = TestSchemas.Order.New();
            order.DecodeFrom(first.AsMemory(7), s_lazy);
            order.Clear(cleared);
            order.MergeFrom(second, s_lazy);
            Message expected = TestSchemas.Order.Decode(first.AsSpan(7));
            expected.Clear(cleared);
            expected.MergeFrom(second);
            Assert.Equal(expected.ToByteArray(), order.ToByteArray());
            Assert.Equal(expected, order);
        }
    }

    [Fact]
    public void A_member_of_a_oneof_that_comes_lazily_after_another_is_its_own()
    {
        MessageField first = TestSchemas.Order.Fields.First(f => f.Name == "first");
        Assert.NotNull(first.Oneof);
        MessageField second = first.Oneof.Fields.First(f => f != first);
        byte[] long1 = Wired.Inside(first.Number, Wired.Inside(1, new byte[300].Select(_ => (byte)'a').ToArray()));
        byte[] short1 = Wired.Inside(first.Number, Wired.Inside(1, "b"u8.ToArray()));
        foreach (byte[] between in (byte[][])[Wired.Number(second.Number, 1), []])
        {
            Message order = TestSchemas.Order.New();
            order.DecodeFrom((byte[])[.. long1, .. Wired.Inside(3, s_inner), .. between], s_lazy);
            order.MergeFrom(short1, s_lazy);
            Message expected = TestSchemas.Order.Decode((byte[])[.. long1, .. Wired.Inside(3, s_inner), .. between, .. short1]);
            Assert.Equal(expected, order);
        }
    }

    [Fact]
    public void Memory_of_a_manager_that_is_gone_is_not_looked_at()
    {
        byte[] bytes = [.. Wired.Inside(1, "id"u8.ToArray()), .. Wired.Inside(3, s_inner)];
        using OnceMemory memory = new(bytes);
        Message order = TestSchemas.Order.New();
        order.DecodeFrom(memory.Memory, s_lazy);
        Message clone = order.Clone();
        ((IDisposable)memory).Dispose();
        Assert.Equal(TestSchemas.Order.Decode(bytes), clone);
        Assert.Equal(bytes, clone.ToByteArray());
    }

    // Setting a sub-message elsewhere copies it while others read it.
    [Fact]
    public void A_message_may_be_read_while_it_is_set_elsewhere()
    {
        byte[] bytes = Wired.Inside(3, s_inner);
        for (int round = 0; round < LongRuns.Of(300, 5_000); round++)
        {
            Message order = TestSchemas.Order.New();
            order.DecodeFrom(bytes);
            Message parent = order.Get<Message>("parent")!;
            int wrong = 0;
            Parallel.For(0, 3, new() { MaxDegreeOfParallelism = 3 }, worker =>
            {
                if (worker == 0) TestSchemas.Order.New().Set("parent", parent);
                for (int i = 0; i < 20; i++)
                    if (!parent.ToByteArray().AsSpan().SequenceEqual(s_inner)
                        || parent.Get<string>("id") != "inner id") Interlocked.Increment(ref wrong);
            });
            Assert.Equal(0, wrong);
        }
    }

    private sealed class OnceMemory(byte[] bytes) : SpanMemory
    {
        private byte[]? _bytes = bytes;

        public override Span<byte> GetSpan() => _bytes ?? throw new ObjectDisposedException(nameof(OnceMemory));

        protected override void Dispose(bool disposing) => _bytes = null;
    }
}

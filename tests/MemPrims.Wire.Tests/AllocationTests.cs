using Google.Protobuf;
using MemPrims.Buffers;
using MemPrims.Wire.Tests.Generated;

namespace MemPrims.Wire.Tests;

// What the README says of allocation: nothing for encoding, nothing for decoding into a reused message, once warm.
public class AllocationTests
{
    [Fact]
    public void Encoding_and_decoding_into_a_reused_message_allocate_nothing()
    {
        Order order = new()
        {
            Id = "an id", Numbers = { Enumerable.Range(0, 300) },
            Parent = new() { Id = "another", Names = { { 3, "three" } } }
        };
        for (int i = 0; i < 20; i++)
            order.Lines.Add(new Line { Sku = $"sku {i}", Count = i, Raw = ByteString.CopyFrom(1, 2, 3), Prices = { 1.5, 2.5 } });
        for (int i = 0; i < 30; i++) order.Labels[$"label {i}"] = new Line { Sku = "x" };
        byte[] bytes = [.. order.ToByteArray(), 0x98, 0x06, 0x07];
        Message message = TestSchemas.Order.New();
        using SegmentList list = new();
        long decoding = 0, encoding = 0;
        for (int round = 0; round < 5; round++)
        {
            long start = GC.GetAllocatedBytesForCurrentThread();
            message.DecodeFrom(bytes);
            long middle = GC.GetAllocatedBytesForCurrentThread();
            list.Clear();
            message.WriteTo(list);
            encoding = GC.GetAllocatedBytesForCurrentThread() - middle;
            decoding = middle - start;
        }
        Assert.Equal(bytes.Length, list.Length);
        Assert.Equal((0, 0), (decoding, encoding));
    }

    [Fact]
    public void Fields_are_read_and_set_and_messages_encoded_without_allocating()
    {
        byte[] bytes = new Order { Id = "an id", Numbers = { 1, 2, 3 }, Parent = new() { Id = "another" } }.ToByteArray();
        MessageType type = TestSchemas.Order;
        Message message = type.Decode(bytes);
        FieldPath numbers = type.Path("numbers[1]");
        FieldHandle<int> number = type.Field<int>("numbers");
        byte[] room = new byte[bytes.Length];
        using SegmentList list = new();
        Assert.Empty(Allocations.Of(
        [
            ("FieldPath.TryRead", () => Assert.True(numbers.TryRead(bytes, out int two) && two == 2)),
            ("Message.GetSpan, CountOf, GetAt, Has", () => Assert.True(message.GetSpan(number).Length == message.CountOf(number)
                && message.GetAt(number, 2) == 3 && message.Has(number))),
            ("Message.SetAt", () => message.SetAt("numbers", 1, 2)),
            ("Message.TryWriteTo, CalculateSize", () => Assert.True(message.TryWriteTo(room, out int length)
                && length == message.CalculateSize())),
            ("Message.WriteTo an appender", () =>
            {
                list.Clear();
                Appender to = new(list);
                message.WriteTo(ref to);
                to.Commit();
                to.Dispose();
            }),
            ("MessageReader", () =>
            {
                MessageReader reader = new(type, bytes);
                int fields = 0;
                while (reader.Read()) fields += reader.Number;
                Assert.True(fields > 0);
            }),
        ]));
        Assert.Equal(bytes.Length, list.Length);
    }

    [Fact]
    public void A_message_takes_room_for_what_is_set()
    {
        MessageType type = TestSchemas.Everything3;
        Assert.True(type.Fields.Count > 90);
        FieldHandle<int> field = type.Field<int>("one_int32");
        type.New().Set(field, 1);
        long before = GC.GetAllocatedBytesForCurrentThread();
        Message message = type.New();
        message.Set(field, 1);
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 1, 320);
        before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < 1000; i++) message.Set(field, i + 1);
        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
    }
}

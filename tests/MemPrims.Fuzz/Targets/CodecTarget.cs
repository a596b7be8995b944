using System.Buffers;
using MemPrims.Codecs;
using MemPrims.Tests.Codecs;
using static MemPrims.Fuzz.WrongAnswerException;

namespace MemPrims.Fuzz;

/// <summary>
/// Codecs, one value and many. The model of a number is a reader written from its table; that of many is one after the other. What was
/// read has one form: written again it is the same bytes. The head is how many values there is room for.
/// </summary>
internal sealed unsafe class CodecTarget : Target
{
    private readonly GuardedMemory _room = new(256 * sizeof(ulong));

    public override string Name => "codecs";

    public override int Rounds => 20_000;

    public override IEnumerable<byte[]> Seeds()
    {
        byte[] room = new byte[200];
        ulong[] values = [0, 127, 128, 300, 1 << 14, 1 << 21, 1 << 28, uint.MaxValue, 1ul << 35, 1ul << 56, ulong.MaxValue];
        foreach (NumberCodec codec in NumberCodec.All)
            foreach (ulong value in values) yield return [1, .. codec.Encode(value)];
        yield return [11, .. values.SelectMany(NumberCodec.Named("Varint").Encode)];
        uint[] many = [.. Enumerable.Range(0, 70).Select(i => (uint)(1 << i % 32) - 1)];
        UIntBatch.WriteMany(many, room = new byte[UIntBatch.MaxSize(70)], out _, out int written);
        yield return [70, .. room[..written]];
        Varint.WriteMany(many, room, out _, out written);
        yield return [70, .. room[..written]];
        foreach (bool descending in (bool[])[false, true])
        {
            yield return [0, .. room[..SortableKey.WriteText(room, "a\0b€", descending)]];
            yield return [0, .. room[..SortableKey.WriteInt(room, -300, descending)]];
            yield return [0, .. room[..SortableKey.WriteDouble(room, -1.5, descending)]];
        }
        yield return [0, .. room[..Text.Write(room, "text €")]];
    }

    public override void Run(ReadOnlySpan<byte> head, GuardedInput input)
    {
        foreach (NumberCodec codec in NumberCodec.All) One(codec, input.Span);
        Varints32(input.Span, head[0]);
        Varints64(input.Span, head[0]);
        Batch(input.Span, head[0]);
        foreach (bool descending in (bool[])[false, true]) Keys(input.Span, descending);
        OperationStatus status = Text.Read(input.Span, out string text, out int consumed);
        if (status != OperationStatus.Done) return;
        byte[] again = new byte[Text.Size(text)];
        Text.Write(again, text);
        Unless(input.Span[..consumed].SequenceEqual(again), "a text has another form than it was read in");
    }

    private static void One(NumberCodec codec, ReadOnlySpan<byte> source)
    {
        OperationStatus status = codec.Read(source, out ulong value, out int consumed);
        // All forms but the last, which takes all, end within eleven bytes.
        var expected = codec.Reference(codec.EndsItself ? source[..Math.Min(12, source.Length)].ToArray() : source.ToArray());
        Unless(status == expected.Status && value == expected.Value && consumed == expected.Consumed,
            $"{codec.Name}: {status} {value} {consumed}, not {expected}");
        if (status == OperationStatus.Done)
            Unless(source[..consumed].SequenceEqual(codec.Encode(value)), $"{codec.Name}: {value} has two forms");
    }

    private void Varints32(ReadOnlySpan<byte> source, int room)
    {
        Span<uint> values = new(_room.EndingAtGuard(room * sizeof(uint)), room);
        OperationStatus status = Varint.ReadMany(source, values, out int consumed, out int count), last = OperationStatus.Done;
        int at = 0, read = 0;
        for (; read < room; read++)
        {
            last = Varint.Read32(source[at..], out uint value, out int length);
            if (last != OperationStatus.Done) break;
            Unless(read >= count || values[read] == value, $"varint {read} is {value}, not {values[read]}");
            at += length;
        }
        Unless((status, count, consumed) == (last, read, at), $"varints: {status} {count} {consumed}, not {last} {read} {at}");
        byte[] again = new byte[consumed];
        Varint.WriteMany(values[..count], again, out int all, out int written);
        Unless(all == count && source[..consumed].SequenceEqual(again.AsSpan(0, written)), "varints have another form");
    }

    private void Varints64(ReadOnlySpan<byte> source, int room)
    {
        Span<ulong> values = new(_room.EndingAtGuard(room * sizeof(ulong)), room);
        OperationStatus status = Varint.ReadMany(source, values, out int consumed, out int count), last = OperationStatus.Done;
        int at = 0, read = 0;
        for (; read < room; read++)
        {
            last = Varint.Read(source[at..], out ulong value, out int length);
            if (last != OperationStatus.Done) break;
            Unless(read >= count || values[read] == value, $"varint {read} is {value}, not {values[read]}");
            at += length;
        }
        Unless((status, count, consumed) == (last, read, at), $"long varints: {status} {count} {consumed}, not {last} {read} {at}");
        byte[] again = new byte[consumed];
        Varint.WriteMany(values[..count], again, out int all, out int written);
        Unless(all == count && source[..consumed].SequenceEqual(again.AsSpan(0, written)), "long varints have another form");
    }

    private void Batch(ReadOnlySpan<byte> source, int room)
    {
        Span<uint> values = new(_room.EndingAtGuard(room * sizeof(uint)), room);
        OperationStatus status = UIntBatch.ReadMany(source, values, out int consumed, out int count);
        Unless(count <= room && consumed <= source.Length, "more of a batch than there is");
        if (status != OperationStatus.Done) return;
        byte[] again = new byte[UIntBatch.Size(values)];
        UIntBatch.WriteMany(values, again, out _, out int written);
        Unless(count == room && source[..consumed].SequenceEqual(again.AsSpan(0, written)), "a batch has another form");
    }

    private static void Keys(ReadOnlySpan<byte> source, bool descending)
    {
        byte[] room = new byte[2 * source.Length + 16];
        if (SortableKey.ReadUInt(source, out ulong unsigned, out int consumed, descending) == OperationStatus.Done)
            Same(source, room.AsSpan(0, SortableKey.WriteUInt(room, unsigned, descending)), consumed);
        if (SortableKey.ReadInt(source, out long signed, out consumed, descending) == OperationStatus.Done)
            Same(source, room.AsSpan(0, SortableKey.WriteInt(room, signed, descending)), consumed);
        if (SortableKey.ReadDouble(source, out double number, out consumed, descending) == OperationStatus.Done)
            Same(source, room.AsSpan(0, SortableKey.WriteDouble(room, number, descending)), consumed);
        byte[] block = new byte[source.Length];
        OperationStatus status = SortableKey.ReadBlock(source, block, out consumed, out int written, descending);
        Unless(status != OperationStatus.DestinationTooSmall, "a block is longer than its form");
        if (status == OperationStatus.Done)
            Same(source, room.AsSpan(0, SortableKey.WriteBlock(room, block.AsSpan(0, written), descending)), consumed);
        OperationStatus asText = SortableKey.ReadText(source, out string? text, out int textConsumed, descending);
        if (asText != OperationStatus.Done || text is null) return;
        Unless(status == OperationStatus.Done && textConsumed == consumed, "a text that is no block");
        Same(source, room.AsSpan(0, SortableKey.WriteText(room, text, descending)), consumed);
    }

    private static void Same(ReadOnlySpan<byte> source, ReadOnlySpan<byte> again, int consumed) =>
        Unless(source[..consumed].SequenceEqual(again), "a key has another form than it was read in");
}

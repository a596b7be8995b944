using System.Numerics;
using MemPrims.Codecs;
using MemPrims.Tests.Codecs;
using static MemPrims.Fuzz.WrongAnswerException;

namespace MemPrims.Fuzz;

/// <summary>
/// Lists of packed ids. The model is a reader written from their page. What was read is read the same in every way, and encoded again has
/// the one form of the writer. The head is the id from which is read, and that is added and removed.
/// </summary>
internal sealed unsafe class PackedIdsTarget : Target
{
    private const int MostIds = 4096;

    private readonly GuardedMemory _room = new(MostIds * sizeof(ulong));

    public override string Name => "packedids";

    public override int HeadBytes => sizeof(ulong);

    public override int Rounds => 4_000;

    public override IEnumerable<byte[]> Seeds()
    {
        byte[] head = new byte[HeadBytes];
        Random random = new(7);
        foreach (int count in (int[])[0, 1, 2, 20, 257, 258, 600])
            foreach ((int bits, int wide) in ((int, int)[])[(1, 2), (6, 7), (3, 30), (2, 50), (40, 50)])
            {
                ulong[] ids = new ulong[count];
                ulong id = 1000;
                for (int i = 0; i < count; i++)
                    ids[i] = id += 1 + (ulong)random.NextInt64(1L << (i % 40 == 7 ? wide : bits)) << (bits == 6 ? 6 : 0);
                byte[] bytes = new byte[count * 9 + 50];
                PackedIds.Encode(ids, bytes, out _, out int written);
                BitConverter.TryWriteBytes(head, count == 0 ? 0 : ids[count / 2]);
                yield return [.. head, .. bytes[..written]];
            }
    }

    public override void Run(ReadOnlySpan<byte> head, GuardedInput input)
    {
        ulong some = BitConverter.ToUInt64(head);
        Read(input, some);
        // A few bytes hold millions of ids that follow each other. The model is slow.
        if (Varint.Read(input.Span, out ulong told, out _) == System.Buffers.OperationStatus.Done && told > MostIds) return;
        (ulong[] Ids, int Size)? plain = PackedIdsLayout.Read(input.Span, ulong.MaxValue);
        bool isNarrow = PackedIdsLayout.Read(input.Span, (BigInteger)uint.MaxValue) is not null;
        Span<ulong> ids = new(_room.Start, MostIds);
        try
        {
            int count = PackedIds.Decode(input.Span, ids);
            Unless(plain is not null && ids[..count].SequenceEqual(plain.Value.Ids), "the page has another list");
        }
        catch (Exception e) when (e is DamagedDataException or ArgumentException && plain is null)
        {
            return;
        }
        (ulong[] list, int size) = plain!.Value;
        Unless(PackedIds.Size(input.Span) == size && PackedIds.Count(input.Span) == list.Length, "another size or count");
        if (list.Length > 0) Unless(PackedIds.Min(input.Span) == list[0] && PackedIds.Max(input.Span) == list[^1], "another end");
        Span<uint> narrow = new(_room.EndingAtGuard(list.Length * sizeof(uint)), list.Length);
        try
        {
            PackedIds.Decode(input.Span, narrow);
            Unless(isNarrow, "ids of 64 bits are taken for 32");
            for (int i = 0; i < list.Length; i++) Unless(narrow[i] == list[i], $"id {i} of 32 bits");
        }
        catch (DamagedDataException)
        {
            Unless(!isNarrow, "ids of 32 bits are refused");
        }
        ulong[] above = [.. list.Where(id => id >= some)];
        int from = PackedIds.DecodeFrom(input.Span, some, ids);
        Unless(ids[..from].SequenceEqual(above), "other ids from one on");
        PackedIdsReader reader = new(input.Span);
        reader.AdvanceTo(some);
        int read = reader.ReadMany(ids);
        Unless(ids[..read].SequenceEqual(above), "a reader finds other ids");
        byte[] sure = PackedIdsLayout.Write(list), again = new byte[sure.Length];
        PackedIds.Encode(list, again, out int taken, out int written);
        Unless(taken == list.Length && again.AsSpan(0, written).SequenceEqual(sure), "the writer has another form");
        Change([.. list.Append(some).Order().Distinct()], (Span<byte> room, out int length) => PackedIds.TryAdd(room, some, out length));
        Change([.. list.Where(id => id != some)], (Span<byte> room, out int length) => PackedIds.TryRemove(room, some, out length));

        void Change(ulong[] expected, Changing change)
        {
            byte[] room = new byte[size + 40];
            input.Span[..size].CopyTo(room);
            byte[] form = PackedIdsLayout.Write(expected);
            bool isDone = change(room, out int length);
            if (expected.Length == list.Length) Unless(isDone && length == size, "a change that is none");
            else Unless(isDone == form.Length <= room.Length && (!isDone || room.AsSpan(0, length).SequenceEqual(form)), "another change");
        }
    }

    private delegate bool Changing(Span<byte> room, out int length);

    // Each way for itself, since each may meet the damage or not.
    private void Read(GuardedInput input, ulong some)
    {
        Span<ulong> ids = new(_room.EndingAtGuard(300 * sizeof(ulong)), 300);
        for (int way = 0; way < 4; way++)
        {
            try
            {
                if (way == 0) PackedIds.DecodeFrom(input.Span, some, ids);
                else if (way == 1) PackedIds.Size(input.Span);
                else if (PackedIds.Count(input.Span) > 0) _ = way == 2 ? PackedIds.Max(input.Span) : Skip(input.Span, some, ids);
            }
            catch (DamagedDataException)
            {
            }
        }
    }

    private static ulong Skip(ReadOnlySpan<byte> source, ulong some, Span<ulong> ids)
    {
        PackedIdsReader reader = new(source);
        reader.AdvanceTo(some);
        reader.TryRead(out ulong id);
        return id + (ulong)reader.ReadMany(ids);
    }
}

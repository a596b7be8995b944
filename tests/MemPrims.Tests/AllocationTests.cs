using System.Buffers;
using MemPrims.Buffers;
using MemPrims.Codecs;
using MemPrims.Pages;
using MemPrims.Sets;

namespace MemPrims.Tests;

public unsafe class AllocationTests
{
    // Made once: a Debug build makes an array of a list of constants each time it is met.
    private static readonly int[] s_lengths = [0, 1, 7, 24, 64, 100, 300, 5000, 1 << 16];

    [Fact]
    public void Nothing_allocates()
    {
        byte[] first = new byte[1 << 16], second = new byte[1 << 16];
        long sum = 0;
        for (int round = 0; round < 3; round++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            foreach (int length in s_lengths) sum += Everything(first, second, length);
            long allocated = GC.GetAllocatedBytesForCurrentThread() - before;
            // The first rounds may load types and libraries.
            if (round == 2) Assert.True(allocated == 0, $"{allocated} bytes allocated, {sum}");
        }
    }

    [Fact]
    public void Codecs_and_appenders_allocate_nothing()
    {
        byte[] room = new byte[4096], block = new byte[100];
        ulong[] numbers = [1, 300, ulong.MaxValue], read = new ulong[3];
        uint[] small = [.. Enumerable.Range(0, 100).Select(static i => (uint)i * 7919)], packed = new uint[100];
        string text = "größer";
        using SegmentList list = new();
        Assert.Empty(Allocations.Of(
        [
            ("Varint, PackedLength, LastUInt, SortableUInt", () =>
            {
                foreach (ulong number in numbers)
                    Assert.True(Varint.Write(room, number) == Varint.Size(number)
                        && PackedLength.Write(room, number) == PackedLength.Size(number)
                        && LastUInt.Write(room, number) == LastUInt.Size(number)
                        && SortableUInt.Write(room, number) == SortableUInt.Size(number));
            }),
            ("Varint, many", () =>
            {
                Varint.WriteMany(numbers, room, out _, out _);
                Varint.ReadMany(room, read, out _, out int count);
                Assert.True(count == read.Length && read[2] == numbers[2]);
            }),
            ("PackedIds", () =>
            {
                PackedIds.Encode(small, room, out int taken, out _);
                PackedIdsReader ids = new(room);
                ids.AdvanceTo(500);
                Assert.True(taken == small.Length && PackedIds.Decode(room, packed) == taken && PackedIds.Max(room) == small[^1]
                    && PackedIds.DecodeFrom(room, 500u, packed) > 0 && PackedIds.TryAdd(room, 500, out _) && ids.TryRead(out _));
            }),
            ("SortableKey", () => Assert.True(SortableKey.WriteText(room, text) + SortableKey.WriteInt(room, -5)
                + SortableKey.WriteBlock(room, block) > 0)),
            ("UnsafeAppender", () =>
            {
                list.Clear();
                using UnsafeAppender to = new(list, 2000);
                to.WriteVarint(300ul);
                to.Write(block);
                to.WriteUtf8(text);
                foreach (uint number in small) to.WriteVarint(number);
                to.Commit();
            }),
            ("ReservedAppender", () =>
            {
                list.Clear();
                using ReservedAppender to = new(list, 2000);
                to.WriteZigZag(-5);
                to.WriteBlock(block);
                to.LeaveHole(4).Fill(7);
                to.Commit();
            }),
            ("Appender, SpanReader", () =>
            {
                list.Clear();
                using (Appender to = new(list))
                {
                    to.WriteVarint(ulong.MaxValue);
                    to.WriteBlock(block);
                    to.Write(5L);
                    to.Commit();
                }
                list.AsSequence().CopyTo(room);
                SpanReader from = new(room.AsSpan(0, (int)list.Length));
                Assert.True(from.ReadVarint() == ulong.MaxValue && from.ReadBlock().Length == block.Length && from.Read<long>() == 5);
            }),
            ("SegmentReader", () =>
            {
                SegmentReader from = new(list);
                Assert.True(from.ReadVarint() == ulong.MaxValue && from.ReadBlock().Length == block.Length && from.Read<long>() == 5);
            }),
        ]));
    }

    [Fact]
    public void Sorted_pages_allocate_nothing()
    {
        using MemoryPages pages = new(4096);
        SortedTree tree = new(pages);
        byte[][] keys = [.. Enumerable.Range(0, 3000).Select(static i => System.Text.Encoding.UTF8.GetBytes($"orders/{i:D6}"))];
        foreach (byte[] key in keys) tree.Set(key, "value"u8);
        byte[] page = new byte[4096];
        SortedPage.Create(page);
        int at = 0;
        byte[] Next() => keys[(at += 7) % keys.Length];
        Assert.Empty(Allocations.Of(
        [
            ("SortedTree.TryGet", () => Assert.True(tree.TryGet(Next(), out ReadOnlySpan<byte> value) && value.Length == 5)),
            ("SortedTree.Set, in place", () => Assert.True(!tree.Set(Next(), "other"u8))),
            ("SortedTree.Remove and Set", () =>
            {
                byte[] key = Next();
                Assert.True(tree.Remove(key) && tree.Set(key, "value"u8));
            }),
            ("SortedTree.Scan", () =>
            {
                SortedCursor cursor = tree.Scan(Next());
                for (int i = 0; i < 100 && cursor.Next(); i++) Assert.True(cursor.Value.Length == 5);
            }),
            ("SortedTree.ScanAfter", () =>
            {
                SortedCursor cursor = tree.ScanAfter(Next());
                for (int i = 0; i < 100 && cursor.Next(); i++) Assert.True(cursor.Value.Length == 5);
            }),
            ("SortedPage", () =>
            {
                SortedPage sorted = SortedPage.Attach(page);
                byte[] key = Next();
                Assert.True(sorted.TrySet(key, "value"u8) && sorted.Find(key, out int position) && sorted.Value(position).Length == 5);
                for (int i = 0; i < sorted.Count; i++) Assert.True(sorted.Value(i).Length == 5);
                Assert.True(sorted.Remove(key));
            }),
        ]));
    }

    [Fact]
    public void Search_in_pages_of_the_caller_s_allocates_nothing()
    {
        using Pages.SlotPage page = new(isGuarded: false);
        page.Load([.. Enumerable.Range(0, 300).Select(static i => System.Text.Encoding.UTF8.GetBytes($"customers/of the north/{i:D6}"))]);
        nint start = (nint)page.Start;
        SlotSearch.RebuildHeads<Pages.ModelSlots<ulong>, ulong>(page.Start);
        byte[] key = "customers/of the north/000017"u8.ToArray(), numbers = new byte[200];
        ulong[] ids = [.. Enumerable.Range(0, 300).Select(static i => (ulong)i * 7)];
        UInt128[] wide = [.. ids.Select(static id => (UInt128)id)];
        Assert.Empty(Allocations.Of(
        [
            ("SlotSearch.Find", () => Assert.True(
                SlotSearch.Find<Pages.ModelSlots<ulong>>((byte*)start, key, out bool found) == 17 && found)),
            ("SlotSearch.FindByHead", () => Assert.True(
                SlotSearch.FindByHead<Pages.ModelSlots<ulong>, ulong>((byte*)start, key, out bool found) == 17 && found)),
            ("SlotSearch.RebuildHeads", () => SlotSearch.RebuildHeads<Pages.ModelSlots<ulong>, ulong>((byte*)start)),
            ("SlotSearch.HeadRemoved and HeadInserted", () =>
            {
                SlotSearch.HeadRemoved<Pages.ModelSlots<ulong>, ulong>((byte*)start, 5);
                SlotSearch.HeadInserted<Pages.ModelSlots<ulong>, ulong>((byte*)start, 5);
            }),
            ("SlotSearch.Find of numbers", () => Assert.True(SlotSearch.Find<ulong>(ids, 21, out bool found) == 3 && found
                && SlotSearch.Find<UInt128>(wide, 21, out found) == 3 && found && SlotSearch.Find<byte>(numbers, 1, out found) == 200)),
            ("SlotSearch.FindBigEndian", () => Assert.True(
                SlotSearch.FindBigEndian<ulong>(ids.AsSpan(0, 1), 0, out bool found) == 0 && found)),
        ]));
    }

    [Fact]
    public void Sets_allocate_nothing_where_they_only_look()
    {
        uint[] ids = [.. Enumerable.Range(0, 50_000).Select(static i => (uint)(i * 7))], some = ids[..1000], room = new uint[ids.Length];
        IdSet dense = IdSet.FromInterval(0, 200_000), sparse = IdSet.FromSorted(ids), few = IdSet.FromSorted(some);
        FacetField field = new();
        for (uint id = 0; id < 1000; id++) field.Add(id * 7, $"value {id % 20}");
        int[] counts = new int[field.ValueCount];
        uint at = 0;
        Assert.Empty(Allocations.Of(
        [
            ("IdSet.Contains, Rank, TryGetNext", () =>
                Assert.True(sparse.Contains(at += 7) && sparse.Rank(at) > 0 && sparse.TryGetNext(at, out uint next) && next >= at)),
            ("IdSet.Add and Remove", () => Assert.True(dense.Remove(at += 7) && dense.Add(at))),
            ("IdSet.CountIntersection, Overlaps, CountUnion", () => Assert.True(few.CountIntersection(sparse) == some.Length
                && few.Overlaps(dense) && dense.CountIntersection(sparse) > 0 && few.CountUnion(sparse) == ids.Length)),
            ("IdSet.CopyTo", () => few.CopyTo(room)),
            ("SortedIds", () => Assert.True(SortedIds.CountIntersection(ids, some) == some.Length
                && SortedIds.Intersect(ids, some, room) == some.Length && SortedIds.Union(ids, some, room) == ids.Length
                && SortedIds.Except(some, ids, room) == 0)),
            ("FacetField.Count", () =>
            {
                field.Count(few, counts);
                Assert.True(counts[0] == 50);
            }),
        ]));
    }

    private static long Everything(byte[] left, byte[] right, int length)
    {
        Span<byte> leftSpan = left.AsSpan(0, length), rightSpan = right.AsSpan(0, length);
        long sum = 0;
        fixed (byte* first = left, second = right)
        {
            Block.Fill(first, length, 3);
            Block.Clear(second, length);
            sum += Block.IsZero(second, length) ? 1 : 0;
            Block.Copy(second, first, length);
            Block.CopyStreaming(second, first, length);
            Block.Copy(rightSpan, leftSpan);
            sum += Block.Compare(first, second, length) + Block.Compare(first, second, length, out nint position) + position
                + Block.Compare(leftSpan, rightSpan);
            sum += Block.CommonPrefix(first, second, length) + Block.CommonPrefix(leftSpan, rightSpan);
            sum += (Block.Equal(first, second, length) ? 1 : 0) + (Block.Equal(leftSpan, rightSpan) ? 1 : 0);
            sum += Checksum.Crc32C(first, length) + Checksum.Crc32C(5, leftSpan);
            if (Libc.IsAvailable)
            {
                sum += Libc.Compare(first, second, length);
                Libc.Copy(second, first, length);
            }
            DropIn.Buffer.Memcpy(second, first, length);
            DropIn.Buffer.Memmove(second, first, (nuint)length);
            DropIn.Buffer.MemoryCopy(first, second, length, length);
            DropIn.Buffer.BlockCopy(left, 0, right, 0, length);
            sum += DropIn.Buffer.ByteLength(left) + DropIn.Buffer.GetByte(left, 0);
            DropIn.Buffer.SetByte(right, 0, 1);
        }
        return sum;
    }
}

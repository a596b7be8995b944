using System.Buffers;
using System.Diagnostics;
using MemPrims.Codecs;

namespace MemPrims.Tests.Codecs;

// Lists of ids, held to arrays and to a reader and writer of the page alone, at guard pages.
public sealed unsafe class PackedIdsTests
{
    [Theory]
    [InlineData(new ulong[0], "00")]
    [InlineData(new ulong[] { 0 }, "0100")]
    [InlineData(new ulong[] { ulong.MaxValue }, "01FFFFFFFFFFFFFFFFFF01")]
    [InlineData(new ulong[] { 5, 6 }, "0205000000")]
    [InlineData(new ulong[] { 5, 8, 9 }, "030500000202")]
    [InlineData(new ulong[] { 64, 128, 320 }, "03400600" + "02" + "08")]
    [InlineData(new ulong[] { 0, ulong.MaxValue }, "02000000" + "40" + "FEFFFFFFFFFFFFFF")]
    public void A_list_has_these_bytes(ulong[] ids, string hex)
    {
        byte[] bytes = new byte[100];
        Assert.Equal(OperationStatus.Done, PackedIds.Encode(ids, bytes, out int taken, out int written));
        Assert.Equal((ids.Length, hex), (taken, Convert.ToHexString(bytes.AsSpan(0, written))));
        Assert.Equal(bytes[..written], PackedIdsLayout.Write(ids));
    }

    // Uniform gaps of 1 to 16, 1 to 1,000, and 64 times 1 to 100, in pages of 4 KiB and more.
    [Theory]
    [InlineData(4096, 1, 16, 0.506)]
    [InlineData(4096, 1, 1000, 1.258)]
    [InlineData(4096, 64, 100, 0.882)]
    [InlineData(65_536, 1, 16, 0.503)]
    [InlineData(65_536, 1, 1000, 1.2535)]
    [InlineData(65_536, 64, 100, 0.879)]
    public void An_id_takes_so_many_bytes_of_a_page(int page, int times, int most, double expected)
    {
        Random random = Seeds.Random(9);
        ulong id = 1_000_000;
        ulong[] ids = [.. Enumerable.Range(0, 3 * page).Select(_ => id += (ulong)(times * random.Next(1, most + 1)))];
        PackedIds.Encode(ids, new byte[page], out int taken, out int written);
        Assert.InRange((double)written / taken, expected - 0.01, expected);
        Assert.InRange(written, page - 2, page);
    }

    [Theory]
    [InlineData("", "before the end of the count")]
    [InlineData("8080808008", "at most 16777216 ids")]
    [InlineData("01", "before the end of the first id")]
    [InlineData("8000", "The count is no varint")]
    [InlineData("020500", "before the end of the shape")]
    [InlineData("02050040", "shape 4000")]
    [InlineData("02050020", "shape 2000")]
    [InlineData("0205400001", "shape 0040")]
    [InlineData("02050000", "before the end of the widths")]
    [InlineData("020500004100", "width 65")]
    [InlineData("0205000008", "before the end of the block 0")]
    [InlineData("020500000103", "Bits behind the block are not 0")]
    [InlineData("0205000080" + "0001" + "0000", "no 0 exceptions of 1 bits")]
    [InlineData("0205000080" + "0101" + "0101", "place 1 behind -1")]
    [InlineData("0205000080" + "0101" + "0000", "upper bits 0")]
    [InlineData("02FFFFFFFFFFFFFFFFFF01" + "0000" + "00", "above 18446744073709551615")]
    [InlineData("0205000040" + "FFFFFFFFFFFFFFFF", "above 18446744073709551615")]
    [InlineData("820205000000008002", "step 256 is less")]
    [InlineData("82020500000000", "before the end of the least step")]
    [InlineData("820205000001008102", "before the end of the block 0")]
    public void Damage_is_named(string hex, string message)
    {
        byte[] bytes = Convert.FromHexString(hex);
        string told = Assert.Throws<DamagedDataException>(() => PackedIds.Decode(bytes, new ulong[300])).Message;
        Assert.Contains(message, told);
        Assert.Null(PackedIdsLayout.Read(bytes, ulong.MaxValue));
    }

    [Fact]
    public void Lists_of_every_shape_are_read_as_they_were_written() => Child.Run(Shapes).AssertSucceeded();

    [Fact]
    public void Small_lists_are_read_in_every_way_and_changed_in_place() => Child.Run(SmallLists).AssertSucceeded();

    [Fact]
    public void Every_byte_changed_and_every_end_gives_what_the_page_says() => Child.Run(Changes).AssertSucceeded();

    // Where a block begins, the least step may become a byte shorter than it was: the list takes less than its beginning.
    [Theory, InlineData(1UL, 0, 16_384), InlineData(64UL, 0, 16_384), InlineData(1UL, 0, 2_097_152), InlineData(1UL, 1, 16_384)]
    [InlineData(1UL, 0, 300)]
    public void As_many_ids_are_taken_as_fit_also_where_more_take_less(ulong unit, int noise, int step)
    {
        Random random = Seeds.Random(37);
        List<ulong> all = [];
        ulong start = 0;
        // The third step goes below the byte, and all three differ by so little that their bits stay in one.
        foreach (int more in (int[])[0, 1, -1, 1, 0, -2, 3, 0])
        {
            for (int i = 0; i < 257; i++) all.Add(start + unit * (ulong)(i + (i == 256 ? random.Next(noise + 1) : 0)));
            start += unit * (ulong)(step + more);
        }
        ulong[] ids = [.. all];
        int[] sizes = [.. Enumerable.Range(1, ids.Length).Select(count => PackedIdsLayout.Write(ids.AsSpan(0, count)).Length)];
        for (int room = 0; room <= sizes.Max(); room++)
        {
            byte[] bytes = new byte[room];
            PackedIds.Encode(ids, bytes, out int taken, out int written);
            Assert.Equal(1 + Array.FindLastIndex(sizes, size => size <= room), taken);
            Assert.Equal(taken == 0 ? 0 : sizes[taken - 1], written);
            if (taken > 0) Assert.Equal(PackedIdsLayout.Write(ids.AsSpan(0, taken)), bytes[..written]);
        }
    }

    [Fact]
    public void Ids_that_do_not_increase_are_refused_where_they_are()
    {
        foreach (int at in (int[])[1, 5, 8, 255, 256, 257, 258, 300, 599])
            foreach (ulong less in (ulong[])[0, 1, 1ul << 63, (1ul << 63) + 1])
            {
                ulong[] ids = [.. Enumerable.Range(0, 600).Select(i => (1ul << 63) + 1 + 10ul * (ulong)i)];
                ids[at] = ids[at - 1] - less;
                for (int i = at + 1; i < ids.Length; i++) ids[i] = Math.Max(ids[i], ids[i - 1] + 1);
                string message = Assert.Throws<ArgumentException>(() => PackedIds.Encode(ids, new byte[9000], out _, out _)).Message;
                Assert.Contains($"at position {at} the id {ids[at]} follows {ids[at - 1]}", message);
            }
    }

    [Fact]
    public void Ids_of_32_bits_are_not_read_from_a_list_that_has_wider_ones()
    {
        byte[] bytes = new byte[100];
        PackedIds.Encode([uint.MaxValue - 1ul, uint.MaxValue], bytes, out _, out _);
        uint[] ids = new uint[2];
        Assert.Equal(2, PackedIds.Decode(bytes, ids));
        Assert.Equal([uint.MaxValue - 1, uint.MaxValue], ids);
        PackedIds.Encode([uint.MaxValue, 1ul + uint.MaxValue], bytes, out _, out _);
        Assert.Throws<DamagedDataException>(() => PackedIds.Decode(bytes, ids));
        PackedIds.Encode([1ul + uint.MaxValue], bytes, out _, out _);
        Assert.Throws<DamagedDataException>(() => PackedIds.Decode(bytes, ids));
    }

    [Fact]
    public void What_cannot_be_said_is_refused()
    {
        Assert.Throws<InvalidOperationException>(() => PackedIds.Min([0]));
        Assert.Throws<InvalidOperationException>(() => PackedIds.Max([0]));
        Assert.Throws<ArgumentException>(() => PackedIds.Decode([1, 5], Span<ulong>.Empty));
        Assert.Equal(OperationStatus.DestinationTooSmall, PackedIds.Encode(Span<ulong>.Empty, [], out int taken, out int written));
        Assert.Equal((0, 0), (taken, written));
        Assert.Equal(OperationStatus.DestinationTooSmall, PackedIds.Encode([300ul], new byte[2], out taken, out written));
        Assert.Equal((0, 0), (taken, written));
    }

    [PythonFact]
    public void A_reader_in_python_of_a_page_reads_the_same()
    {
        string script = Path.Combine(Repository.Root, "src", "MemPrims", "Codecs", "read_packed_ids.py");
        Assert.InRange(File.ReadAllLines(script).Length, 20, 60);
        using TempFolder folder = new();
        Random random = Seeds.Random(3);
        foreach (ulong[] ids in PackedIdsSamples.Lists(random).Where((_, i) => i % 61 == 0))
        {
            byte[] bytes = [.. PackedIdsLayout.Write(ids), 1, 2, 3];
            File.WriteAllBytes(folder.File("list"), bytes);
            Assert.Equal([.. ids.Select(id => $"{id}"), $"end {bytes.Length - 3}"], Run());
        }
        File.WriteAllBytes(folder.File("list"), [2, 5, 0, 0, 1, 3]);
        Assert.Equal(["damaged: padding"], Run());

        string[] Run()
        {
            ProcessStartInfo start = new("python3", [script, folder.File("list")])
            {
                RedirectStandardOutput = true, RedirectStandardError = true,
            };
            using Process process = Process.Start(start)!;
            Task<string> errors = process.StandardError.ReadToEndAsync();
            string output = process.StandardOutput.ReadToEnd();
            return (output + errors.Result).Split('\n', StringSplitOptions.RemoveEmptyEntries);
        }
    }

    private static void Shapes(string[] _)
    {
        using PackedIdsCheck check = new();
        Random random = Seeds.Random(1);
        foreach (ulong[] ids in PackedIdsSamples.Lists(random)) check.List(ids, random);
    }

    private static void SmallLists(string[] _)
    {
        using PackedIdsCheck check = new();
        // Every set of the numbers up to 9, moved and spread.
        foreach ((ulong start, int shift) in ((ulong, int)[])[(0, 0), (ulong.MaxValue - 9, 0), (1ul << 40, 3), (0, 60)])
            for (int set = 0; set < 1 << 10; set++)
            {
                ulong[] ids = [.. Enumerable.Range(0, 10).Where(i => (set >> i & 1) != 0).Select(i => start + ((ulong)i << shift))];
                check.Ways(ids, PackedIdsLayout.Write(ids), [.. Enumerable.Range(0, 10).Select(i => start + ((ulong)i << shift))]);
                foreach (int i in (int[])[0, 3, 9]) check.Change(ids, start + ((ulong)i << shift));
            }
        Random random = Seeds.Random(2);
        foreach (ulong[] ids in PackedIdsSamples.Lists(random).Where((_, i) => i % 7 == 0))
        {
            if (ids.Length == 0) continue;
            ulong some = ids[random.Next(ids.Length)];
            foreach (ulong id in (ulong[])[0, some, some + 1, some - 1, ids[^1] + 1, ulong.MaxValue]) check.Change(ids, id);
        }
    }

    private static void Changes(string[] _)
    {
        using PackedIdsCheck check = new();
        Random random = Seeds.Random(5);
        foreach (ulong[] ids in PackedIdsSamples.Lists(random).Where((ids, i) => ids.Length < 30 || i % 19 == 0))
        {
            byte[] bytes = PackedIdsLayout.Write(ids);
            int step = 1 + bytes.Length / 40;
            for (int length = 0; length <= bytes.Length; length += length + step < bytes.Length - 12 ? step : 1)
                check.Bytes(bytes.AsSpan(0, length), ids.Length);
            for (int at = 0; at < bytes.Length; at += at < 40 ? 1 : step)
                foreach (byte change in (byte[])[1, 0x80, 0xFF, bytes[at], (byte)(1 << random.Next(8))])
                {
                    byte[] changed = [.. bytes];
                    changed[at] ^= change;
                    check.Bytes(changed, ids.Length);
                }
        }
    }

    // Skipped, and says so, where python3 is not in the path.
    private sealed class PythonFactAttribute : FactAttribute
    {
        public PythonFactAttribute()
        {
            string[] folders = (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator);
            if (!folders.Any(folder => File.Exists(Path.Combine(folder, "python3")))) Skip = "needs python3";
        }
    }

    // All widths are tried here; the product leaves out those at which there are no more exceptions than at the ones beside them.
    [Fact]
    public unsafe void Of_all_ways_to_write_a_block_it_is_the_shortest_with_the_fewest_exceptions()
    {
        Random random = Seeds.Random();
        uint* low = stackalloc uint[PackedBlock.MostGaps];
        for (int round = 0; round < LongRuns.Of(3_000, 100_000); round++)
        {
            int gaps = random.Next(1, PackedBlock.MostGaps + 1), most = random.Next(1, 50), rare = random.Next(1, 100);
            ulong[] ids = new ulong[gaps + 1];
            for (int i = 1; i <= gaps; i++)
                ids[i] = ids[i - 1] + 1 + (ulong)random.NextInt64(1L << random.Next(random.Next(rare) == 0 ? most : most / 4 + 1));
            ulong[] less = [.. ids.Zip(ids.Skip(1), static (id, next) => next - id - 1)];
            int length = PackedBits.Length(less.Aggregate(static (all, one) => all | one));
            (int Bits, int Width, int Exceptions) best = (gaps * length, length, 0);
            for (int width = length - 1; width >= 0; width--)
            {
                int above = less.Count(one => one >> width != 0), bits = gaps * width + 16 + above * (8 + length - width);
                if (bits < best.Bits) best = (bits, width, above);
            }
            fixed (ulong* from = ids)
            {
                Assert.True(PackedBlock.TryOf(from, gaps, low, out PackedBlock block));
                Assert.Equal((round, best.Width, best.Exceptions), (round, block.Width, block.Exceptions));
                Assert.Equal((best.Bits + 7) / 8, block.Size(0));
            }
        }
    }

    [Fact]
    public void Nothing_behind_the_ids_is_read() => Child.Run(IdsAtTheGuard).AssertSucceeded();

    private static unsafe void IdsAtTheGuard(string[] arguments)
    {
        using GuardedMemory memory = new(8 * 4096);
        Random random = Seeds.Random();
        byte[] list = new byte[65_536];
        for (int count = 1; count < 600; count++)
        {
            CaseNote.Set("ids at the guard", count);
            Span<ulong> ids = new(memory.EndingAtGuard(8 * count), count);
            ulong id = 0;
            foreach (ref ulong next in ids) next = id += random.Next(20) == 0 ? 1ul << random.Next(30, 50) : 1ul + (ulong)random.Next(3);
            Assert.Equal(OperationStatus.Done, PackedIds.Encode(ids, list, out int taken, out int written));
            ulong[] read = new ulong[count];
            Assert.Equal((count, count), (taken, PackedIds.Decode(list.AsSpan(0, written), read)));
            Assert.True(ids.SequenceEqual(read));
        }
    }

    [Fact]
    public unsafe void Ids_that_change_while_they_are_written_stay_inside()
    {
        ulong[] ids = [.. Enumerable.Range(0, PackedBlock.MostIds).Select(i => (ulong)i + (i > 100 ? 1u << 20 : 0u))];
        uint* low = stackalloc uint[PackedBlock.MostGaps];
        byte[] room = new byte[4096];
        fixed (ulong* from = ids)
        fixed (byte* to = room)
        {
            Assert.True(PackedBlock.TryOf(from, PackedBlock.MostGaps, low, out PackedBlock block));
            Assert.Equal(1, block.Exceptions);
            new Span<uint>(low, PackedBlock.MostGaps).Fill(1u << 20);
            int size = block.Size(0);
            block.Write(from, low, 0, to, to + size);
            Assert.False(room.AsSpan(size).ContainsAnyExcept((byte)0));
        }
    }
}

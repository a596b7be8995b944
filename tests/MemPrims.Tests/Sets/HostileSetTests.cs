using MemPrims.Sets;

namespace MemPrims.Tests.Sets;

// Damaged bytes give an exception of the library's own or a sound set, and nothing outside them is read. To show that, they end at a guard
// page in a child process.
public class HostileSetTests
{
    private static byte[][] Samples() =>
    [
        new IdSet().ToByteArray(),
        IdSet.From([1, 2, 70_000, 200_000]).ToByteArray(),
        IdSet.FromInterval(100, 300).Or(IdSet.From([70_000, 70_003])).ToByteArray(),
        IdSet.FromInterval(65_000, 5 * 65_536).Xor(IdSet.From([70_000, 70_005, 140_000])).ToByteArray(),
        IdSet.FromSorted([.. Enumerable.Range(0, 4097).Select(i => (uint)i * 2)]).ToByteArray(),
    ];

    [Fact]
    public void Every_length_of_a_truncated_set_is_refused()
    {
        foreach (byte[] bytes in Samples())
            for (int length = 0; length < bytes.Length; length++)
            {
                Assert.Throws<IdSetDamagedException>(() => IdSet.Deserialize(bytes.AsSpan(0, length)));
                Assert.Throws<IdSetDamagedException>(() => IdSet.OpenFrozen(bytes.AsMemory(0, length)));
            }
        byte[] wide = IdSet64.From([1, 1ul << 40]).ToByteArray();
        for (int length = 0; length < wide.Length; length++)
        {
            Assert.Throws<IdSetDamagedException>(() => IdSet64.Deserialize(wide.AsSpan(0, length)));
            Assert.Throws<IdSetDamagedException>(() => IdSet64.OpenFrozen(wide.AsMemory(0, length)));
            // The bytes that are missing lie after the ones that are given.
            Assert.Throws<IdSetDamagedException>(() => IdSet64.Deserialize(wide.AsSpan(0, length), out _));
            Assert.Throws<IdSetDamagedException>(() => OpenAt(wide, length));
        }
    }

    [Fact]
    public void Every_flipped_bit_gives_an_exception_or_a_sound_set_and_nothing_outside_is_read() => Child.Run(FlipBits).AssertSucceeded();

    [Theory]
    [InlineData("3A30000001000000" + "00000100" + "10000000" + "05000500", "id at position 1")]
    [InlineData("3A30000001000000" + "00000100" + "10000000" + "05000400", "id at position 1")]
    [InlineData("3A30000001000000" + "00000100" + "11000000" + "05000600", "said to start at byte 17")]
    [InlineData("3A30000002000000" + "0000000000000000" + "180000001A000000" + "05000500", "key 0")]
    [InlineData("3B300000" + "01" + "00000A00" + "0100" + "64000900", "should have 11 ids, but has 10")]
    [InlineData("3B300000" + "01" + "00000300" + "0200" + "0000010001000100", "run 1 starts at 1")]
    [InlineData("3B300000" + "01" + "00000300" + "0100" + "FFFF0300", "ends above 65535")]
    [InlineData("3B300000" + "01" + "00000000" + "0000", "should have 1 ids, but has 0")]
    [InlineData("3930000001000000", "not with 12345")]
    [InlineData("3A30000001000100", "at most 65536 containers")]
    public void Damage_is_named(string hex, string message)
    {
        byte[] bytes = Convert.FromHexString(hex);
        Assert.Contains(message, Assert.Throws<IdSetDamagedException>(() => IdSet.Deserialize(bytes)).Message);
        Assert.Contains(message, Assert.Throws<IdSetDamagedException>(() => IdSet.OpenFrozen(bytes, validate: true)).Message);
    }

    [Fact]
    public void A_bitmap_with_another_number_of_bits_than_it_says_is_refused()
    {
        byte[] bytes = IdSet.FromSorted([.. Enumerable.Range(0, 5000).Select(i => (uint)i * 3)]).ToByteArray();
        bytes[^1] ^= 0x80;
        Assert.Contains("should have 5000 ids, but has 5001",
            Assert.Throws<IdSetDamagedException>(() => IdSet.Deserialize(bytes)).Message);
        IdSet frozen = IdSet.OpenFrozen(bytes);
        Assert.Throws<IdSetDamagedException>(() => frozen.ToArray());
        Assert.Throws<IdSetDamagedException>(() => frozen.Clone());
    }

    [Fact]
    public void Keys_out_of_order_are_refused_without_a_check_of_the_contents()
    {
        // Four containers of one id each, without runs: a header of 8 bytes, then key and cardinality of each.
        byte[] bytes = IdSet.FromSorted([5, 5 + (1 << 16), 5 + (2 << 16), 5 + (3 << 16)]).ToByteArray();
        Assert.Equal(4, IdSet.OpenFrozen(bytes, validate: false).Count);
        bytes[8 + 2 * 4] = 0;
        Assert.Throws<IdSetDamagedException>(() => IdSet.OpenFrozen(bytes, validate: false));
    }

    [Fact]
    public void Loading_takes_less_than_eight_times_the_bytes()
    {
        // The worst case: as many containers as possible, of one id each.
        IdSet set = IdSet.FromSorted([.. Enumerable.Range(0, 65536).Select(i => (uint)i << 16)]);
        byte[] bytes = set.ToByteArray();
        IdSet.Deserialize(bytes);
        long before = GC.GetAllocatedBytesForCurrentThread();
        IdSet.Deserialize(bytes);
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, bytes.Length, 8L * bytes.Length);
    }

    private static unsafe void FlipBits(string[] arguments)
    {
        using GuardedMemory memory = new(16384);
        IdSet other = IdSet.FromInterval(0, 200_000).Xor(IdSet.FromSorted([.. Enumerable.Range(0, 20_000).Select(i => (uint)i * 7)]));
        foreach (byte[] bytes in Samples())
        {
            byte* start = memory.EndingAtGuard(bytes.Length);
            Span<byte> there = new(start, bytes.Length);
            int step = bytes.Length > 1000 ? LongRuns.Of(149, 37) : 1;
            for (int bit = 0; bit < bytes.Length * 8; bit += bit < 300 ? 1 : step)
            {
                bytes.CopyTo(there);
                there[bit >> 3] ^= (byte)(1 << (bit & 7));
                CaseNote.Set("flipped bit", bytes.Length, bit);
                if (Try(() => IdSet.Deserialize(new ReadOnlySpan<byte>(start, bytes.Length))) is { } loaded)
                {
                    uint[] ids = loaded.ToArray();
                    byte[] written = loaded.ToByteArray();
                    // Only runs that touch make the written set shorter: they are joined.
                    bool isWritten = written.AsSpan().SequenceEqual(there) || written.Length < there.Length
                        && IdSet.Deserialize(written).SetEquals(loaded);
                    if (!SortedIds.IsSorted(ids) || ids.Length != loaded.Count || !isWritten) throw new InvalidOperationException(
                        $"bit {bit}: loaded, but not sound");
                    Use(loaded, other);
                }
                if (Try(() => IdSet.OpenFrozen(start, bytes.Length)) is not { } frozen) continue;
                Use(frozen, other);
                // The bytes change after they were checked, as those of a mapped file can.
                for (int i = 0; i < LongRuns.Of(2, 5); i++)
                {
                    Random random = Seeds.Random(bit * 5 + i);
                    for (int k = 0; k < 4; k++) there[random.Next(there.Length)] = (byte)random.Next(256);
                    Use(frozen, other);
                }
            }
        }

        static void Use(IdSet set, IdSet other)
        {
            Action[] uses =
            [
                () => set.CountIntersection(other), () => other.CountIntersection(set), () => set.CountIntersection(set),
                () => set.And(other), () => other.And(set), () => set.Or(other), () => set.Or(set), () => set.Xor(other),
                () => other.AndNot(set), () => set.AndNot(other), () => set.ToArray(), () => set.Rank(70_000),
                () => set.TryGetMax(out _), () => set.TryGetNext(70_001, out _), () => set.Contains(70_003),
                () => set.Contains(120), () => _ = set.Count(), () => _ = set.Backwards().Count(), () => set.Clone().Remove(70_000),
                () => IdSet.OrMany(set, other, set), () => set.SetEquals(other),
                () => set.ToByteArray(),
                () => new FacetField().Count(set, []), () => Read(set.GetReader()), () => Read(set.GetReverseReader()),
            ];
            foreach (Action use in uses) Try(() => { use(); return set; });
            // The damaged heads may have fewer ids. Then the rank is refused as any other would be.
            try
            {
                set.IdAt(2);
                set.IdsAt([0], new uint[1]);
            }
            catch (Exception e) when (
                e is IdSetDamagedException or ArgumentOutOfRangeException or InvalidOperationException { TargetSite.Name: "ThrowEmpty" })
            {
            }
        }

        static void Read(IdSetReader reader)
        {
            uint[] some = new uint[100];
            reader.AdvanceTo(70_000);
            for (int blocks = 0; blocks < 5000 && reader.ReadMany(some) > 0; blocks++)
            {
            }
        }

        static IdSet? Try(Func<IdSet> use)
        {
            try
            {
                return use();
            }
            catch (IdSetDamagedException)
            {
                return null;
            }
        }
    }

    private static unsafe IdSet64 OpenAt(byte[] bytes, int length)
    {
        fixed (byte* first = bytes) return IdSet64.OpenFrozen(first, length);
    }
}

using MemPrims.Sets;

namespace MemPrims.Tests.Sets;

// Edges that random sets seldom meet. Each test was written for a planted bug that the others let through.
public sealed class SetEdgeTests
{
    [Fact]
    public void The_common_ids_of_many_sets_are_in_every_one_of_them()
    {
        Random random = Seeds.Random();
        for (int round = 0; round < 50; round++)
        {
            IdSet[] sets = [.. Enumerable.Range(0, 2 + round % 5).Select(_ => IdSet.From(
                [.. Enumerable.Range(0, 150).Select(_ => (uint)random.Next(200) * 1000)]))];
            IEnumerable<uint> expected = sets.Select(set => (IEnumerable<uint>)set.ToArray()).Aggregate((a, b) => a.Intersect(b)).Order();
            Assert.Equal(expected, IdSet.AndMany(sets).ToArray());
        }
    }

    [Fact]
    public void A_skip_back_to_an_upper_half_that_is_not_there_ends_below_it()
    {
        IdSet64 set = IdSet64.From([1, 2, 5L << 32, (9L << 32) + 7, (9L << 32) + 8]);
        (ulong, ulong)[] cases = [(7L << 32, 5L << 32), (4L << 32, 2), ((9L << 32) + 7, (9L << 32) + 7)];
        foreach ((ulong target, ulong found) in cases)
        {
            IdSet64Reader reader = set.GetReverseReader();
            reader.AdvanceTo(target);
            Assert.True(reader.TryRead(out ulong id));
            Assert.Equal(found, id);
        }
    }

    [Fact]
    public void A_large_result_in_place_is_that_of_a_new_set_and_can_be_changed()
    {
        IdSet left = Sparse(0), right = Sparse(1), set = left.Clone();
        set.UnionWith(right);
        Assert.Equal(left.Or(right).ToArray(), set.ToArray());
        uint last = set.Max;
        Assert.True(set.Remove(last) && set.Add(last + 2));
        Assert.Equal(last + 2, set.Max);
        Assert.Equal(left.CountUnion(right), set.Count);
    }

    [Theory]
    [InlineData(65_535u)]
    [InlineData(65_536u)]
    [InlineData(131_071u)]
    [InlineData(uint.MaxValue)]
    public void A_flip_ends_with_its_last_id(uint last)
    {
        IdSet set = IdSet.From([last - 1]);
        set.SymmetricExceptWith(IdSet.FromInterval(last - 3, last));
        Assert.Equal([last - 3, last - 2, last], set.ToArray());
    }

    // Up to 64 ids are put in and taken out one by one where a set has more than 10,000.
    [Theory]
    [InlineData(1u), InlineData(2u), InlineData(63u), InlineData(64u), InlineData(65u)]
    public void A_short_range_of_a_large_set_ends_with_its_last_id(uint length)
    {
        foreach (uint first in (uint[])[0, 100, 65_530, 30_000 - length, uint.MaxValue - length + 1])
        {
            uint last = first + (length - 1);
            IdSet set = IdSet.FromInterval(0, 29_999);
            HashSet<uint> model = [.. set];
            IdSet64 wide = IdSet64.FromInterval(5ul << 32, (5ul << 32) + 29_999);
            set.AddInterval(first, last);
            wide.AddInterval((5ul << 32) + first, (5ul << 32) + last);
            for (uint i = 0; i < length; i++) model.Add(first + i);
            Assert.Equal(model.Order(), set);
            Assert.Equal(model.Order().Select(id => id + (5ul << 32)), wide);
            set.RemoveInterval(first, last);
            wide.RemoveInterval((5ul << 32) + first, (5ul << 32) + last);
            for (uint i = 0; i < length; i++) model.Remove(first + i);
            Assert.Equal(model.Order(), set);
            Assert.Equal(model.Order().Select(id => id + (5ul << 32)), wide);
        }
    }

    [Fact]
    public void An_enumerator_answers_0_before_the_first_and_after_the_last_id()
    {
        foreach (IdSet set in (IdSet[])[new(), IdSet.From([7]), IdSet.FromInterval(5, 70_000)])
        {
            IdSet.Enumerator ids = set.GetEnumerator(), none = default;
            for (int round = 0; round < 2; round++)
            {
                Assert.Equal(0u, ids.Current);
                long count = 0, sum = 0;
                for (; ids.MoveNext(); count++) sum += ids.Current;
                Assert.Equal((set.Count, set.ToArray().Sum(id => id)), (count, sum));
                Assert.Equal(0u, ids.Current);
                Assert.False(ids.MoveNext());
                Assert.Equal(0u, ids.Current);
                ids.Reset();
                Assert.False(none.MoveNext());
                Assert.Equal(0u, none.Current);
                none.Reset();
                none.Dispose();
            }
        }
        using IEnumerator<ulong> wide = IdSet64.From([7]).GetEnumerator();
        Assert.Equal(0ul, wide.Current);
        Assert.True(wide.MoveNext() && wide.Current == 7 && !wide.MoveNext() && !wide.MoveNext());
    }

    [Fact]
    public void A_change_before_the_first_step_of_an_enumerator_is_told()
    {
        IdSet set = IdSet.From([1, 2]);
        IdSet64 wide = IdSet64.From([1, 1ul << 40]);
        IEnumerator<uint> ids = ((IEnumerable<uint>)set).GetEnumerator();
        IEnumerator<ulong> wideIds = wide.GetEnumerator();
        set.Add(3);
        wide.Add(3);
        Assert.Throws<InvalidOperationException>(() => ids.MoveNext());
        Assert.Throws<InvalidOperationException>(() => wideIds.MoveNext());
    }

    [Fact]
    public void More_ids_than_an_int_counts_are_told_with_the_count_that_fits()
    {
        foreach (IReadOnlyCollection<uint> ids in (IReadOnlyCollection<uint>[])[
            IdSet.FromInterval(0, int.MaxValue), IdSet.FromInterval(0, uint.MaxValue)])
        {
            OverflowException told = Assert.Throws<OverflowException>(() => ids.Count);
            Assert.Contains($"has {((IdSet)ids).Count} ids", told.Message);
            Assert.Contains("long", told.Message);
        }
        IReadOnlyCollection<uint> most = IdSet.FromInterval(1, int.MaxValue);
        Assert.Equal(int.MaxValue, most.Count);
        IReadOnlyCollection<ulong> wide = IdSet64.FromInterval(0, 1ul << 32);
        Assert.Contains("4294967297", Assert.Throws<OverflowException>(() => wide.Count).Message);
    }

    // 20 bitmaps of every fourth id, too large for one image. Neighbours differ.
    private static IdSet Sparse(int first) => IdSet.FromSorted(
        [.. Enumerable.Range(0, 20 << 14).Select(i => (uint)(i * 4 + first + (i >> 14) % 2))]);
}

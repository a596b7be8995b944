using MemPrims.Sets;

namespace MemPrims.Tests.Sets;

public class IdSet64Tests
{
    [Fact]
    public void Sets_of_64_bits_answer_and_combine_as_HashSet_does()
    {
        Random random = Seeds.Random();
        for (int round = 0; round < 200 * Seeds.Scale; round++)
        {
            ulong[] a = Ids(random), b = Ids(random);
            foreach (IdSet64 x in new[] { IdSet64.From(a), IdSet64.OpenFrozen(IdSet64.From(a).ToByteArray(), validate: true) })
            {
                IdSet64 y = IdSet64.Deserialize(IdSet64.FromSorted([.. b.Order()]).ToByteArray());
                Assert.Equal(a.Order(), x.ToArray());
                Assert.Equal(a.Intersect(b).Order(), x.And(y));
                Assert.Equal(a.Union(b).Order(), x.Or(y));
                Assert.Equal(a.Except(b).Order(), x.AndNot(y));
                Assert.Equal(a.Union(b).Except(a.Intersect(b)).Order(), x.Xor(y));
                Assert.Equal((a.Intersect(b).Count(), a.Union(b).Count(), a.Except(b).Count()),
                    (x.CountIntersection(y), x.CountUnion(y), x.CountAndNot(y)));
                Assert.Equal(x.Xor(y).Count, x.CountXor(y));
                Assert.Equal((!a.Except(b).Any(), !b.Except(a).Any(), a.Intersect(b).Any()),
                    (x.IsSubsetOf(y), x.IsSupersetOf(y), x.Overlaps(y)));
                foreach (ulong id in a.Take(5).Concat(b.Take(5)))
                {
                    Assert.Equal(a.Contains(id), x.Contains(id));
                    Assert.Equal(a.Count(other => other <= id), x.Rank(id));
                }
                if (a.Length == 0) continue;
                Assert.Equal((a.Min(), a.Max(), a.Order().ElementAt(a.Length / 2)), (x.Min, x.Max, x.IdAt(a.Length / 2)));
            }
        }

        static ulong[] Ids(Random random) =>
            [.. Enumerable.Range(0, random.Next(60))
                .Select(_ => (ulong)random.Next(4) << 62 | (ulong)random.Next(3) << 32 | (uint)random.Next(3) << 30 | (uint)random.Next(5))
                .Distinct()];
    }

    [Fact]
    public void A_set_with_an_upper_half_more_is_no_part_of_the_other()
    {
        IdSet64 more = IdSet64.From([1, 1ul << 40]), less = IdSet64.From([1, 2]);
        Assert.False(more.IsSubsetOf(less) || less.IsSupersetOf(more) || more.SetEquals(less));
        Assert.True(more.IsSupersetOf(IdSet64.From([1])) && IdSet64.From([1ul << 40]).IsProperSubsetOf(more));
    }

    [Fact]
    public void A_set_of_64_bits_has_the_bytes_of_the_format()
    {
        IdSet64 set = IdSet64.From([5, 0x7_0000_0001]);
        Assert.Equal("0200000000000000" + "00000000" + "3A30000001000000000000001000000005 00".Replace(" ", "") + "07000000"
            + "3A30000001000000000000001000000001 00".Replace(" ", ""),
            Convert.ToHexString(set.ToByteArray()));
        Assert.Equal(set.ToByteArray().Length, set.SerializedSize);
    }

    [Fact]
    public void Ids_are_added_and_removed_until_none_is_left()
    {
        IdSet64 set = new();
        Assert.True(set.Add(1ul << 40) && set.Add(3) && !set.Add(3) && set.Contains(3) && !set.Contains(4));
        Assert.True(set.Remove(3) && !set.Remove(3) && !set.Remove(9) && set.Remove(1ul << 40) && set.IsEmpty);
        Assert.Throws<InvalidOperationException>(() => set.Max);
        IdSet64 frozen = IdSet64.OpenFrozen(IdSet64.From([7]).ToByteArray());
        Assert.Throws<NotSupportedException>(() => frozen.Add(1));
        Assert.Throws<NotSupportedException>(() => frozen.Remove(1));
    }
}

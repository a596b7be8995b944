using System.Buffers.Binary;
using FsCheck;
using FsCheck.Fluent;
using MemPrims.Sets;

namespace MemPrims.Tests.Sets;

/// <summary>
/// Every way of counting gives what counting one by one gives. Queries have few ids, arrays, bitmaps, runs, or most of all ids. Columns
/// are narrow, wide and packed.
/// </summary>
public class FacetIndexTests
{
    /// <summary>Documents from 0 on, each in facets of its own; a query by ranges, so that its containers are of every kind.</summary>
    private sealed record Case(int Facets, int Each, int Filled, int[][] FacetsOf, IdSet Query)
    {
        public override string ToString() =>
            $"{Facets} facets, at most {Each} each, {Filled} % of {FacetsOf.Length} documents, a query of {Query.Count}";
    }

    private static Gen<IdSet> Query(int documents) =>
        from seed in Gen.Choose(0, int.MaxValue)
        from shape in Gen.Choose(0, 6)
        select Query(shape, documents, new Random(seed));

    private static IdSet Query(int shape, int documents, Random random)
    {
        uint last = (uint)documents + 200, from = (uint)random.Next(documents), to = (uint)random.Next((int)from, (int)last);
        return shape switch
        {
            0 => IdSet.From([.. Enumerable.Range(0, random.Next(12)).Select(_ => (uint)random.Next((int)last))]),
            1 => Share(random.NextDouble() * 0.05),
            2 => Share(0.1 + random.NextDouble() * 0.8),
            3 => Share(0.97 + random.NextDouble() * 0.03),
            4 => IdSet.FromInterval(from, to),
            5 => IdSet.FromInterval(0, last).Xor(IdSet.FromInterval(from, Math.Min(to, from + 40))),
            _ => Stretches(),
        };

        IdSet Share(double share) =>
            IdSet.From([.. Enumerable.Range(0, (int)last).Where(_ => random.NextDouble() < share).Select(id => (uint)id)]);

        IdSet Stretches()
        {
            List<uint> ids = [];
            for (uint id = (uint)random.Next(50); id < last; id += (uint)random.Next(1, 60))
                for (int length = random.Next(1, 50); length > 0 && id < last; length--) ids.Add(id++);
            return IdSet.FromSorted(ids.ToArray());
        }
    }

    private static Gen<Case> Cases(int[] facetCounts, int documents) =>
        from facets in Gen.Elements(facetCounts)
        from each in Gen.Elements(1, 1, 3)
        from filled in Gen.Elements(1, 4, 30, 100)
        from seed in Gen.Choose(0, int.MaxValue)
        from query in Query(documents)
        select new Case(facets, each, filled, FacetsOf(facets, each, filled, documents, new Random(seed)), query);

    private static int[][] FacetsOf(int facets, int each, int filled, int documents, Random random)
    {
        // One facet has most of the documents, as it often is with values.
        return [.. Enumerable.Range(0, documents).Select(
            _ => random.Next(100) >= filled ? [] : Enumerable.Range(0, random.Next(1, each + 1))
            .Select(_ => random.Next(3) == 0 ? 0 : random.Next(facets)).Distinct().ToArray())];
    }

    private static IdSet[] Sets(Case of)
    {
        List<uint>[] ids = [.. Enumerable.Range(0, of.Facets).Select(_ => new List<uint>())];
        for (int document = 0; document < of.FacetsOf.Length; document++)
            foreach (int facet in of.FacetsOf[document]) ids[facet].Add((uint)document);
        return [.. ids.Select(list => IdSet.FromSorted(list.ToArray()))];
    }

    private static long[] Naive(Case of)
    {
        long[] counts = new long[of.Facets];
        foreach (uint document in of.Query)
            if (document < of.FacetsOf.Length)
                foreach (int facet in of.FacetsOf[document]) counts[facet]++;
        return counts;
    }

    private static bool CountsAsOneByOne(Case of)
    {
        IdSet[] facets = Sets(of);
        FacetIndex index = new(facets);
        long[] expected = Naive(of);
        IdSet frozen = IdSet.OpenFrozen(of.Query.ToByteArray());
        return Is(to => index.Count(of.Query, to)) && Is(to => index.Count(frozen, to))
            && Is(to => index.Count(of.Query, to, new() { MaxDegreeOfParallelism = 2 }))
            && Is(to => Facets.Count(of.Query, facets, to)) && Is(to => Facets.Count(frozen, facets, to, new()));

        bool Is(Action<long[]> count)
        {
            long[] counts = [.. Enumerable.Repeat(-7L, of.Facets)];
            count(counts);
            return counts.AsSpan().SequenceEqual(expected);
        }
    }

    [Fact]
    public void Any_query_counts_any_facets_as_one_by_one() =>
        Prop.ForAll(Cases([1, 2, 9, 100, 255, 256, 700], 150_000).ToArbitrary(), CountsAsOneByOne)
            .Check(Config.QuickThrowOnFailure.WithMaxTest(40 * Seeds.Scale).WithReplay((ulong)Seeds.Seed, gamma: 1));

    [Fact]
    public void So_it_does_in_a_container_that_is_not_full() =>
        Prop.ForAll(Cases([2, 100, 300], 20_000).ToArbitrary(), CountsAsOneByOne)
            .Check(Config.QuickThrowOnFailure.WithMaxTest(100 * Seeds.Scale).WithReplay((ulong)Seeds.Seed, gamma: 1));

    [Theory]
    [InlineData(255, 100), InlineData(256, 100), InlineData(65_535, 100), InlineData(65_536, 100), InlineData(70_000, 100),
        InlineData(70_000, 5), InlineData(3000, 5)]
    public void Facets_at_the_limits_of_a_byte_and_of_two_are_told_apart(int facets, int filled)
    {
        const int documents = 140_000;
        Random random = Seeds.Random(facets);
        int[][] facetsOf = FacetsOf(facets, 1, filled, documents, random);
        // The last facet: its ordinal is next to the one that means no facet.
        facetsOf[7] = [facets - 1];
        facetsOf[documents - 1] = [facets - 1, 0];
        for (int shape = 0; shape < 7; shape++) Assert.True(
            CountsAsOneByOne(new(facets, 1, filled, facetsOf, Query(shape, documents, random))), $"shape {shape}");
        Assert.True(CountsAsOneByOne(new(facets, 1, filled, facetsOf, IdSet.From([7, documents - 1]))));
    }

    [Fact]
    public void Containers_that_have_other_facets_than_their_neighbours_number_them_for_themselves()
    {
        // 400 facets, of which each container has 100. So an ordinal of a byte means another facet in the next container.
        const int documents = 4 * 65_536;
        Random random = Seeds.Random();
        int[][] facetsOf = [.. Enumerable.Range(0, documents).Select(id => new[] { id / 65_536 * 100 + random.Next(100) })];
        for (int shape = 0; shape < 7; shape++) Assert.True(
            CountsAsOneByOne(new(400, 1, 100, facetsOf, Query(shape, documents, random))), $"shape {shape}");
    }

    [Fact]
    public void One_facet_of_nearly_all_ids_overflows_no_table()
    {
        // More than 65,536 hits of one facet in one open table.
        const int documents = 700_000;
        int[][] facetsOf = [.. Enumerable.Range(0, documents).Select(id => new[] { id % 1000 == 0 ? 1 : 0 })];
        IdSet half = IdSet.FromSorted([.. Enumerable.Range(0, documents).Where(id => id % 2 == 0).Select(id => (uint)id)]);
        foreach (IdSet query in new[] { half, IdSet.FromInterval(100, 699_000).AndNot(half), IdSet.FromInterval(30_000, 699_999) })
            Assert.True(CountsAsOneByOne(new(120, 1, 100, facetsOf, query)));
    }

    [Fact]
    public void A_table_that_is_full_is_added_to_the_counts_before_it_overflows()
    {
        long[] counts = new long[2];
        int[] facets = [0, 1];
        FacetTally tally = new(counts, new int[FacetTally.TotalSize], ids: 1000);
        const int most = int.MaxValue / 2 + 1;
        for (int i = 0; i < 4; i++) tally.Open(facets, 1, most)[1] += most;
        tally.Open(facets, -1, 3)[0] += 3;
        tally.Close();
        Assert.Equal([-3, 4L * most], counts);
    }

    [Fact]
    public void A_query_of_other_containers_than_the_facets_shares_nothing()
    {
        IdSet[] facets = [IdSet.From([1, 2, 900_000]), IdSet.FromInterval(70_000, 80_000), new()];
        FacetIndex index = new(facets);
        long[] counts = new long[3];
        foreach (IdSet query in new[] { new IdSet(), IdSet.From([4_000_000_000]), IdSet.FromInterval(1_000_000, 2_000_000) })
        {
            counts.AsSpan().Fill(5);
            index.Count(query, counts);
            Assert.Equal([0, 0, 0], counts);
        }
        index.Count(IdSet.FromInterval(2, 4_000_000_000), counts);
        Assert.Equal([2, 10_001, 0], counts);
        new FacetIndex([]).Count(facets[0], []);
        new FacetIndex([new IdSet()]).Count(facets[0], counts);
        Assert.Equal(0, counts[0]);
    }

    [Theory]
    [InlineData(1), InlineData(2)]
    public void Queries_of_few_ids_in_any_containers_are_counted_as_one_by_one(int each)
    {
        // The index knows the keys 3 to 8, but not 6. The queries go beyond on both sides.
        Random random = Seeds.Random(each);
        List<uint>[] lists = [.. Enumerable.Range(0, 50).Select(_ => new List<uint>())];
        for (uint id = 3 << 16; id < 9 << 16; id++)
            for (int k = 0; k < each && id >> 16 != 6; k++) lists[(random.Next(25) * 2) + k].Add(id);
        IdSet[] facets = [.. lists.Select(list => IdSet.FromSorted(list.ToArray()))];
        FacetIndex index = new(facets);
        long[] counts = new long[50];
        foreach (int size in new[] { 0, 1, 2, 3, 15, 16, 17, 40, 100, 500, 1020, 1024, 1025, 3000 })
            foreach (int keys in new[] { 1, 2, 3, 5, 12 })
                for (int round = 0; round < 4; round++)
                {
                    int first = random.Next(1, 9), one = random.Next(Math.Max(1, size));
                    IdSet query = IdSet.From(
                        [.. Enumerable.Range(0, size).Select(i => (uint)(first + random.Next(keys)) << 16 | (uint)random.Next(65536))]);
                    counts.AsSpan().Fill(9);
                    index.Count(query, counts);
                    Assert.Equal(facets.Select(facet => facet.CountIntersection(query)), counts);
                    // The same, by a query that is no image.
                    query.Remove(query.IsEmpty ? 0 : query.IdAt(one % query.Count));
                    index.Count(query, counts);
                    Assert.Equal(facets.Select(facet => facet.CountIntersection(query)), counts);
                }
    }

    [Fact]
    public void Frozen_queries_of_few_ids_are_read_inside_their_bytes() => Child.Run(CountBetweenGuards).AssertSucceeded();

    // Every id has a facet: where a third have none, the ordinals are packed and few ids take another way.
    private static FacetIndex OneInTwenty() => new([.. Enumerable.Range(0, 20).Select(facet => IdSet.FromSorted(
        [.. Enumerable.Range(0, 1 << 18).Where(i => i % 20 == facet).Select(i => (uint)i)]))]);

    private static unsafe void CountBetweenGuards(string[] arguments)
    {
        using GuardedMemory memory = new(4096);
        FacetIndex index = OneInTwenty();
        Random random = Seeds.Random();
        long[] counts = new long[20];
        for (int round = 0; round < 3000; round++)
        {
            uint[] ids = [.. Enumerable.Range(0, random.Next(1, 30)).Select(_ => (uint)random.Next(random.Next(2) * 150_000 + 40_000))];
            byte[] bytes = IdSet.From(ids).ToByteArray();
            byte* start = round % 2 == 0 ? memory.Start : memory.EndingAtGuard(bytes.Length);
            bytes.CopyTo(new Span<byte>(start, bytes.Length));
            CaseNote.Set("few hits", bytes.Length, round);
            index.Count(IdSet.OpenFrozen(start, bytes.Length), counts);
            ids = [.. ids.Distinct()];
            for (int facet = 0; facet < counts.Length; facet++)
                if (counts[facet] != ids.Count(id => id % 20 == facet))
                    throw new InvalidOperationException($"round {round}: {counts[facet]} in facet {facet}");
            // Heads that say more ids than there are.
            for (int i = 0; i < 3; i++) start[random.Next(8, bytes.Length)] = (byte)random.Next(256);
            try
            {
                index.Count(IdSet.OpenFrozen(start, bytes.Length), counts);
            }
            catch (IdSetDamagedException)
            {
            }
        }
    }

    [Fact]
    public void A_frozen_query_that_tells_more_ids_than_it_has_is_read_inside_its_bytes()
    {
        // 100 ids in each of 4 containers, no runs. After the check the first one says that it has 700.
        uint[] ids = [.. Enumerable.Range(0, 400).Select(i => (uint)(i / 100 << 16 | i % 100 * 3))];
        FacetIndex index = OneInTwenty();
        byte[] bytes = IdSet.FromSorted(ids).ToByteArray();
        IdSet query = IdSet.OpenFrozen(bytes, validate: true);
        long[] counts = new long[20];
        index.Count(query, counts);
        Assert.Equal(400, counts.Sum());
        BinaryPrimitives.WriteUInt16LittleEndian(bytes.AsSpan(8 + 2), 700 - 1);
        index.Count(query, counts);
        Assert.InRange(counts.Sum(), 0, 400);
    }

    [Fact]
    public void The_sets_of_an_index_must_not_change()
    {
        IdSet[] facets = [IdSet.FromInterval(0, 60_000), IdSet.FromInterval(0, 65_535).Xor(IdSet.From([5, 9]))];
        FacetIndex index = new(facets);
        facets[1].Clear();
        IdSet bits = IdSet.From([.. Enumerable.Range(0, 20_000).Select(i => (uint)i * 3)]);
        Assert.Contains("facet 1", Assert.Throws<InvalidOperationException>(() => index.Count(bits, new long[2])).Message);
    }

    [Fact]
    public void A_document_in_more_facets_than_columns_are_worth_is_counted_in_the_sets()
    {
        int[][] facetsOf = [.. Enumerable.Range(0, 3000).Select(id => id == 5 ? Enumerable.Range(0, 300).ToArray() : [id % 300])];
        Random random = Seeds.Random();
        for (int shape = 0; shape < 7; shape++) Assert.True(
            CountsAsOneByOne(new(300, 300, 100, facetsOf, Query(shape, 3000, random))), $"shape {shape}");
    }

    [Theory]
    [InlineData(1), InlineData(2)]
    public void What_is_told_of_the_progress_only_rises_and_ends_at_one(int threads)
    {
        IdSet[] facets = [IdSet.FromInterval(0, 3_000_000), IdSet.FromInterval(5, 2_000_000)];
        List<double> told = [];
        long[] counts = new long[2];
        new FacetIndex(facets).Count(
            IdSet.FromInterval(3, 2_500_000), counts, new() { MaxDegreeOfParallelism = threads, Progress = new Told(told.Add) });
        Assert.Equal([2_499_998, 1_999_996], counts);
        Assert.Equal(told.Order(), told);
        Assert.Equal(46, told.Distinct().Count());
        Assert.Equal(1.0, told[^1]);
    }

    [Theory]
    [InlineData(1), InlineData(2)]
    public void A_question_to_an_index_can_be_cancelled_under_way(int threads)
    {
        IdSet all = IdSet.FromInterval(0, 3_000_000);
        using CancellationTokenSource source = new();
        int parts = 0;
        FacetOptions options = new()
        {
            MaxDegreeOfParallelism = threads, Cancellation = source.Token,
            Progress = new Told(_ => { if (++parts == 3) source.Cancel(); }),
        };
        Assert.ThrowsAny<OperationCanceledException>(() => new FacetIndex([all, all]).Count(all, new long[2], options));
        Assert.InRange(parts, 3, 3 + threads);
    }

    [Fact]
    public void Damaged_bytes_of_a_frozen_query_end_in_counts_or_in_the_exception_for_them()
    {
        Random random = Seeds.Random();
        int[][] facetsOf = FacetsOf(100, 2, 30, 70_000, random);
        FacetIndex index = new(Sets(new(100, 2, 30, facetsOf, new())));
        long[] counts = new long[100];
        for (int shape = 0; shape < 7; shape++)
        {
            byte[] whole = Query(shape, 70_000, random).ToByteArray();
            for (int i = 0; i < 200; i++)
            {
                byte[] bytes = [.. whole];
                if (bytes.Length > 0) for (int k = 0; k < 5; k++) bytes[random.Next(bytes.Length)] = (byte)random.Next(256);
                try
                {
                    index.Count(IdSet.OpenFrozen(bytes), counts);
                }
                catch (IdSetDamagedException)
                {
                }
            }
        }
    }

    private sealed class Told(Action<double> report) : IProgress<double>
    {
        public void Report(double value) => report(value);
    }
}

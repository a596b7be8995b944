using MemPrims.Sets;

namespace MemPrims.Tests.Sets;

public class FacetTests
{
    [Theory]
    [InlineData(100, 1, 200_000), InlineData(3, 1, 200_000), InlineData(300, 1, 90_000), InlineData(20, 3, 100_000),
        InlineData(12, 12, 70_000), InlineData(5, 1, 50)]
    public void Facets_of_documents_with_one_or_several_values_are_counted_as_one_by_one(int values, int most, int documents)
    {
        Random random = Seeds.Random(values);
        List<uint>[] ids = [.. Enumerable.Range(0, values).Select(_ => new List<uint>())];
        for (uint document = 0; document < documents; document++)
            foreach (int value in Enumerable.Range(0, random.Next(most == 1 ? 1 : 0, most + 1)).Select(
                _ => random.Next(values)).Distinct()) ids[value].Add(document * 3 / 2);
        IdSet[] facets = [.. ids.Select(list => IdSet.From([.. list]))];
        FacetIndex index = new(facets);
        Assert.Equal(values, index.NumberOfFacets);
        foreach (IdSet query in Queries(random, documents))
        {
            long[] expected = [.. ids.Select(list => list.LongCount(query.Contains))];
            foreach (Action<long[]> count in new Action<long[]>[]
            {
                to => Facets.Count(query, facets, to),
                to => index.Count(query, to),
                to => Facets.Count(IdSet.OpenFrozen(query.ToByteArray()), facets, to),
                to => index.Count(IdSet.OpenFrozen(query.ToByteArray()), to),
                to => Facets.Count(query, facets, to, new() { MaxDegreeOfParallelism = 3 }),
                to => index.Count(query, to, new() { MaxDegreeOfParallelism = -1 }),
            })
            {
                long[] counts = [.. Enumerable.Repeat(-5L, values + 1)];
                count(counts);
                Assert.Equal(expected, counts[..values]);
                Assert.Equal(-5, counts[values]);
            }
            FacetCount[] top = new FacetCount[7];
            FacetCount[] best = [.. expected.Select((count, facet) => new FacetCount(facet, count))
                .Where(f => f.Count > 0).OrderByDescending(f => f.Count).ThenBy(f => f.Facet).Take(7)];
            Assert.Equal(best, top[..index.Top(query, top)]);
        }
    }

    [Fact]
    public void Bands_have_the_ids_whose_values_lie_between_their_bounds()
    {
        Random random = Seeds.Random();
        uint[] ids = [.. Enumerable.Range(0, 100_000).Select(i => (uint)i * 2)];
        long[] prices = [.. ids.Select(_ => random.NextInt64(-50, 1050))], bounds = [0, 10, 100, 1000], counts = new long[3];
        FacetIndex index = FacetIndex.FromBands(ids, prices, bounds);
        IdSet query = IdSet.FromInterval(1000, 150_000);
        index.Count(query, counts);
        for (int band = 0; band < 3; band++)
            Assert.Equal(ids.Zip(prices).Count(
                d => d.First is >= 1000 and <= 150_000 && d.Second >= bounds[band] && d.Second < bounds[band + 1]), counts[band]);
        Assert.Contains("position 2", Assert.Throws<ArgumentException>(() => FacetIndex.FromBands(ids, prices, [1, 3, 3])).Message);
        Assert.Throws<ArgumentException>(() => FacetIndex.FromBands(ids, prices.AsSpan(1), bounds));
    }

    [Fact]
    public void Too_little_room_for_the_counts_is_refused_untouched()
    {
        IdSet[] facets = [IdSet.From([1]), IdSet.From([2])];
        long[] one = [9];
        Assert.Throws<ArgumentException>(() => Facets.Count(facets[0], facets, one));
        Assert.Throws<ArgumentException>(() => new FacetIndex(facets).Count(facets[0], one));
        Assert.Equal([9], one);
        Facets.Count(facets[0], [], []);
    }

    [Theory]
    [InlineData(1), InlineData(2)]
    public void A_count_can_be_cancelled_under_way_and_tells_its_progress(int threads)
    {
        IdSet all = IdSet.FromInterval(0, 3_000_000);
        IdSet[] facets = [all, IdSet.FromInterval(5, 9)];
        long[] counts = new long[2];
        List<double> told = [];
        FacetOptions options = new() { MaxDegreeOfParallelism = threads, Progress = new Told(share => { lock (told) told.Add(share); }) };
        Facets.Count(all, facets, counts, options);
        Assert.Equal([3_000_001, 5], counts);
        Assert.Equal(46, told.Count);
        Assert.Equal(1.0, told.Max());

        using CancellationTokenSource source = new();
        int parts = 0;
        FacetOptions cancelling = new()
        {
            MaxDegreeOfParallelism = threads, Cancellation = source.Token,
            Progress = new Told(_ => { if (Interlocked.Increment(ref parts) == 3) source.Cancel(); }),
        };
        Assert.ThrowsAny<OperationCanceledException>(() => Facets.Count(all, facets, counts, cancelling));
        Assert.InRange(parts, 3, 3 + threads);
        Assert.ThrowsAny<OperationCanceledException>(() => new FacetIndex(facets).Count(all, counts, cancelling));
        Assert.Throws<ArgumentOutOfRangeException>(() => new FacetOptions { MaxDegreeOfParallelism = 0 });
    }

    private static IEnumerable<IdSet> Queries(Random random, int documents)
    {
        yield return new();
        yield return IdSet.From([0, 3, 100_000_000]);
        foreach (double share in new[] { 0.001, 0.05, 0.5, 0.97 })
            yield return IdSet.From(
                [.. Enumerable.Range(0, documents * 3 / 2).Where(_ => random.NextDouble() < share).Select(id => (uint)id)]);
        yield return IdSet.FromInterval(0, uint.MaxValue);
        yield return IdSet.FromInterval(0, (uint)documents);
        yield return IdSet.FromInterval(40_000, 80_000).Xor(IdSet.FromInterval(50_000, 50_010));
    }

    private sealed class Told(Action<double> report) : IProgress<double>
    {
        public void Report(double value) => report(value);
    }
}

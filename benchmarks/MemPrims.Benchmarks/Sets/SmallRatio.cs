using MemPrims.Benchmarks.Ratio;
using MemPrims.Sets;

namespace MemPrims.Benchmarks.Sets;

/// <summary>
/// Sets of 1 to 1000 ids asked for ids, and counted against one another, beside HashSet. 256 sets; the ids asked for are drawn anew for
/// every batch.
/// </summary>
public sealed class SmallRatio : IRatioCases
{
    private const int Sets = 256, Probes = 32;

    public static IEnumerable<RatioCase> Cases()
    {
        foreach (long universe in new[] { 60_000, 10_000_000 })
            foreach (int count in new[] { 1, 10, 100, 1000 })
            {
                yield return Case($"Contains, {count} ids in {universe:N0}", count, universe);
            }
    }

    private static RatioCase Case(string name, int count, long universe) => new("Sets/small", name, () =>
    {
        Random random = new(4);
        uint[][] ids = [.. Enumerable.Range(0, Sets).Select(i => IdSamples.Uniform(count, universe, i))];
        IdSet[] sets = [.. ids.Select(some => IdSet.FromSorted(some))];
        HashSet<uint>[] hashes = [.. ids.Select(some => some.ToHashSet())];
        uint[] probes = new uint[Sets * Probes];
        Redraw();
        return new(probes.Length, new("IdSet", Ours), new Contender("HashSet", ByHash, 0.8)) { Redraw = Redraw };

        void Redraw()
        {
            for (int i = 0; i < probes.Length; i++)
                probes[i] = random.Next(2) == 0 ? ids[i / Probes][random.Next(count)] : (uint)random.NextInt64(universe);
        }

        long Ours()
        {
            long found = 0;
            for (int i = 0; i < probes.Length; i++) found += sets[i / Probes].Contains(probes[i]) ? 1 : 0;
            return found;
        }

        long ByHash()
        {
            long found = 0;
            for (int i = 0; i < probes.Length; i++) found += hashes[i / Probes].Contains(probes[i]) ? 1 : 0;
            return found;
        }
    });
}

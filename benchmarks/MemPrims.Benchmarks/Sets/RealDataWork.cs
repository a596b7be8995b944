using System.Globalization;
using MemPrims.Sets;

namespace MemPrims.Benchmarks.Sets;

/// <summary>The sets of one folder, a file of numbers each, and what is done with all pairs of neighbours.</summary>
internal sealed class RealDataWork
{
    private readonly Random _random = new(17);
    private readonly PairWork _pairs;

    public RealDataWork(string folder)
    {
        Folder = folder;
        uint[][] ids = [.. Directory.GetFiles(folder, "*.txt").Order(StringComparer.Ordinal).Select(Read)];
        Sets = ids.Length;
        Use = new([.. ids]);
        _pairs = new([.. Enumerable.Range(0, ids.Length).Select(i => (ids[i], ids[(i + 1) % ids.Length]))]);
    }

    public string Folder { get; }

    public int Sets { get; }

    /// <summary>What is done with one set at a time.</summary>
    public UseWork Use { get; }

    public long Count() => _pairs.Count();

    public long CountByCRoaring() => _pairs.CountByCRoaring();

    public Func<long> Make(Func<IdSet, IdSet, IdSet> operation, bool clears) => _pairs.Make(operation, clears);

    public Func<long> MakeByCRoaring(string name) => _pairs.MakeByCRoaring(name);

    public void Redraw()
    {
        _pairs.Shuffle(_random);
        Use.DrawProbes(1);
    }

    // A file of the weather data ends in a torn number.
    public static uint[] Read(string file) =>
        [.. File.ReadAllText(file).Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries)
            .Select(id => uint.Parse(id, CultureInfo.InvariantCulture)).Order().Distinct()];
}

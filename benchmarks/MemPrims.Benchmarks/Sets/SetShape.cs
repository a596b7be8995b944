namespace MemPrims.Benchmarks.Sets;

/// <summary>
/// Sets as real data has them: so many containers, at neighbouring or scattered keys, each with ids, bits or runs of one kind.
/// </summary>
/// <param name="Name">As the table tells it.</param>
/// <param name="Containers">The containers of a set.</param>
/// <param name="Kind">Array, bitmap or runs; or mixed: of ten containers six arrays, three of runs and one bitmap.</param>
/// <param name="Size">The ids, or the runs, of a container.</param>
/// <param name="Scattered">Whether the keys are drawn from all 65,536, not from 0 on.</param>
internal sealed record SetShape(string Name, int Containers, string Kind, int Size, bool Scattered = false)
{
    public static readonly SetShape[] Kinds =
    [
        new("array 30", 16, "array", 30), new("array 3000", 16, "array", 3000), new("bitmap", 16, "array", 20_000),
        new("runs 20", 16, "runs", 20), new("runs 1000", 16, "runs", 1000),
    ];

    public static readonly SetShape[] Mixed =
    [
        new("1 container", 1, "mixed", 30), new("16 containers", 16, "mixed", 30), new("300 containers", 300, "mixed", 30),
        new("300 scattered", 300, "mixed", 30, Scattered: true), new("1000 scattered", 1000, "mixed", 30, Scattered: true),
    ];

    /// <summary>The ids of so many different sets.</summary>
    public uint[][] Draw(int sets, int seed = 11)
    {
        Random random = new(seed);
        return [.. Enumerable.Range(0, sets).Select(_ => Ids(random))];
    }

    private uint[] Ids(Random random)
    {
        SortedSet<int> keys = [.. Scattered ? [] : Enumerable.Range(0, Containers)];
        while (keys.Count < Containers) keys.Add(random.Next(65536));
        List<uint> ids = [];
        foreach (int key in keys)
        {
            (string kind, int size) = Kind != "mixed" ? (Kind, Size)
                : random.Next(10) switch
                {
                    < 6 => ("array", random.Next(1, 2 * Size)),
                    < 9 => ("runs", random.Next(1, Size)),
                    _ => ("array", 6000),
                };
            foreach (int id in Container(random, kind, size)) ids.Add((uint)(key << 16 | id));
        }
        return [.. ids];
    }

    private static IEnumerable<int> Container(Random random, string kind, int size)
    {
        int wanted = kind == "runs" ? 2 * size : size;
        List<int> marks = [];
        while (marks.Count < wanted)
        {
            while (marks.Count < wanted) marks.Add(random.Next(65536));
            marks = [.. marks.Distinct()];
        }
        marks.Sort();
        // A run goes from a mark to the next one, which it does not have.
        return kind != "runs" ? marks : marks.Chunk(2).SelectMany(run => Enumerable.Range(run[0], run[1] - run[0]));
    }
}

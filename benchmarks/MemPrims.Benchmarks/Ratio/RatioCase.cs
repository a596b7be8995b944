namespace MemPrims.Benchmarks.Ratio;

/// <summary>
/// One row of the ratio table: the same batch of work done by MemPrims and by its peers. A batch returns a number that depends on
/// every result in it, so that nothing can be optimised away. <paramref name="Prepare"/> allocates and fills: it runs only when the case
/// does.
/// </summary>
public sealed record RatioCase(string Group, string Name, Func<Contest> Prepare);

/// <summary>The contenders of a case. <paramref name="Operations"/>: calls in one batch, so that times are told per call.</summary>
public sealed record Contest(long Operations, Contender Ours, params Contender[] Peers)
{
    /// <summary>Draws the inputs anew. It is called before every timed batch: a predictor learns a batch that is repeated by
    /// heart.</summary>
    public Action Redraw { get; init; } = () => { };

    /// <summary>Frees what the case holds.</summary>
    public Action Close { get; init; } = () => { };

    /// <summary>For batches of a second and more: so many rounds, after one that is not counted. 0: as many as fit the time, after a
    /// warm-up.</summary>
    public int Rounds { get; init; }
}

/// <summary>
/// A batch and who does it. <paramref name="AtLeast"/>: the ratio, peer's time by ours, that is to be reached; 0 where there is none.
/// </summary>
public sealed record Contender(string Name, Func<long> Batch, double AtLeast = 0);

/// <summary>Where a capability lists its cases. A class of it is found by reflection: adding one needs no list.</summary>
public interface IRatioCases
{
    static abstract IEnumerable<RatioCase> Cases();
}

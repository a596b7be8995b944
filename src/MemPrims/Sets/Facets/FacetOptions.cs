namespace MemPrims.Sets;

/// <summary>How facets are counted.</summary>
public sealed class FacetOptions
{
    /// <summary>How many threads may work at once: 1, unless asked for more; -1 for as many as there are cores.</summary>
    public int MaxDegreeOfParallelism { get; init; } = 1;

    /// <summary>Ends the count early, with an <see cref="OperationCanceledException"/>; the counts are then undefined.</summary>
    public CancellationToken Cancellation { get; init; }

    /// <summary>Is told the share of the work that is done, rising to 1; from any thread, one at a time.</summary>
    public IProgress<double>? Progress { get; init; }

    internal int Threads => MaxDegreeOfParallelism switch
    {
        -1 => Environment.ProcessorCount,
        > 0 => MaxDegreeOfParallelism,
        _ => throw new InvalidOperationException($"MaxDegreeOfParallelism is {MaxDegreeOfParallelism}. Give a positive number, or -1 for all cores."),
    };
}

/// <summary>A facet among those that were counted: its position and the ids it shares with the query.</summary>
/// <param name="Facet">The facet's position.</param>
/// <param name="Count">The ids in both.</param>
public readonly record struct FacetCount(int Facet, long Count);

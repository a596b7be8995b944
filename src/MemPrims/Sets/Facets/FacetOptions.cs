namespace MemPrims.Sets;

/// <summary>How facets are counted.</summary>
public sealed class FacetOptions
{
    /// <summary>How many threads may work at once: 1, unless asked for more; -1 for as many as there are cores.</summary>
    /// <exception cref="ArgumentOutOfRangeException">0, or below -1.</exception>
    public int MaxDegreeOfParallelism
    {
        get;
        init => field = value is > 0 or -1 ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, "Give a positive number of threads, or -1 for all cores.");
    } = 1;

    /// <summary>Ends the count early, with an <see cref="OperationCanceledException"/>; the counts are then undefined.</summary>
    public CancellationToken Cancellation { get; init; }

    /// <summary>Is told the share of the work that is done, rising to 1; from any thread, one at a time.</summary>
    public IProgress<double>? Progress { get; init; }

    internal int Threads => MaxDegreeOfParallelism == -1 ? Environment.ProcessorCount : MaxDegreeOfParallelism;
}

/// <summary>A facet among those that were counted: its position and the ids it shares with the query.</summary>
/// <param name="Facet">The facet's position.</param>
/// <param name="Count">The ids in both.</param>
public readonly record struct FacetCount(int Facet, long Count);

namespace MemPrims.Benchmarks.Latency;

/// <summary>
/// One row of the latency table: the same operation done by MemPrims and by its peers. <paramref name="Group"/>: operations in one call
/// where one alone is too short for the clock; each then counts as a share of the group. <paramref name="Writes"/>: whether bytes written
/// are told.
/// <paramref name="Prepare"/> allocates and fills: it runs only when the case does.
/// </summary>
internal sealed record LatencyCase(string Name, int Group, bool Writes, Func<LatencyContender[]> Prepare);

/// <summary>
/// Who does it. <paramref name="Once"/> returns a number that depends on every result. <paramref name="Written"/>: the bytes it has
/// written so far, where what the system counts is not all.
/// </summary>
internal sealed record LatencyContender(string Name, Func<long> Once, Func<long>? Written = null);

/// <summary>Nanoseconds, bytes allocated and bytes written, each per operation. Bytes are null where they were not counted.</summary>
internal sealed record LatencyResult(string Case, string Contender, int Calls, double P50, double P99, double Allocated, double? Written);

namespace MemPrims.Tool.Measure;

/// <summary>What many rounds of a batch took.</summary>
/// <param name="Minimum">Nanoseconds per call in the fastest round.</param>
/// <param name="Median">Nanoseconds per call in the middle one.</param>
public readonly record struct Timing(double Minimum, double Median)
{
    /// <summary>The timing of some rounds, which are sorted by this.</summary>
    /// <param name="times">Nanoseconds per call, one value a round.</param>
    /// <returns>Their minimum and median.</returns>
    public static Timing Of(List<double> times)
    {
        times.Sort();
        return new(times[0], times[times.Count / 2]);
    }

    /// <summary>The mean of ratios: of 2 and ½ it is 1.</summary>
    /// <param name="ratios">Positive numbers, at least one.</param>
    /// <returns>Their geometric mean.</returns>
    public static double GeometricMean(IEnumerable<double> ratios) => Math.Exp(ratios.Average(Math.Log));
}

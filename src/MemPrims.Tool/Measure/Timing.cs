namespace MemPrims.Tool.Measure;

// What many rounds of a batch took, in nanoseconds a call: in the fastest round, and in the middle one.
public readonly record struct Timing(double Minimum, double Median)
{
    // Of nanoseconds a call, one value a round. They are sorted by this.
    public static Timing Of(List<double> times)
    {
        times.Sort();
        return new(times[0], times[times.Count / 2]);
    }

    // The mean of ratios: of 2 and ½ it is 1.
    public static double GeometricMean(IEnumerable<double> ratios) => Math.Exp(ratios.Average(Math.Log));
}

namespace Rig;

/// <summary>The middle of many figures, and between which two lie eight of ten.</summary>
internal static class Spread
{
    public static double Median(double[] figures) => At(figures, 0.5);

    public static string Of(double[] ratios) => $"{At(ratios, 0.5):F2} ({At(ratios, 0.1):F2}–{At(ratios, 0.9):F2})";

    private static double At(double[] figures, double share)
    {
        double[] sorted = [.. figures.Order()];
        return sorted[(int)Math.Round((sorted.Length - 1) * share)];
    }
}

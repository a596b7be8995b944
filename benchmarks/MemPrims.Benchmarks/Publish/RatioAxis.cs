using System.Globalization;
using System.Text;

namespace MemPrims.Benchmarks.Publish;

/// <summary>
/// What the pictures of ratios have in common: a logarithmic axis, to the right of 1 where MemPrims is faster and to the left, in another
/// color, where it is slower. What lies beyond the axis ends at its edge. Colors have contrast on white and on black, and text takes the
/// color scheme of the reader.
/// </summary>
internal sealed record RatioAxis(double Slowest, double Fastest, int Left, int Right)
{
    public const int Width = 760, Top = 52, Step = 20;

    private const string Style = "text { fill: #333 } .grid { stroke: #8884 } .one { stroke: #888 } .faster { fill: #0a7dd6 } "
        + ".slower { fill: #d95f02 } @media (prefers-color-scheme: dark) { text { fill: #ddd } }";

    /// <summary>The head of a picture of so many rows, and the lines of its axis.</summary>
    public StringBuilder Begin(string title, string below, int rows)
    {
        int bottom = Top + rows * Step;
        StringBuilder svg = new();
        svg.AppendLine($"""
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {Width} {bottom + 24}" font-family="sans-serif" font-size="12"
              role="img" aria-label="MemPrims beside what one would otherwise use: peer time divided by ours">
            <style>{Style}</style>
            <text x="8" y="18" font-size="14">{title}</text>
            <text x="8" y="36">{below}</text>
            """);
        for (double tick = Slowest; tick <= Fastest; tick *= 2)
            svg.AppendLine($"""
                <line class="{(tick == 1 ? "one" : "grid")}" x1="{Text(X(tick))}" y1="{Top - 6}" x2="{Text(X(tick))}" y2="{bottom}"/>
                <text x="{Text(X(tick))}" y="{bottom + 16}" text-anchor="middle">{Text(tick)}</text>
                """);
        return svg;
    }

    public double X(double ratio) =>
        Left + (Width - Left - Right) * Math.Log(Math.Clamp(ratio, Slowest, Fastest) / Slowest) / Math.Log(Fastest / Slowest);

    public static string Color(double ratio) => ratio < 1 ? "slower" : "faster";

    public static string Figure(double ratio) => ratio.ToString(ratio < 9.95 ? "0.00" : "0", CultureInfo.InvariantCulture);

    public static string Text(double number) => number.ToString("0.##", CultureInfo.InvariantCulture);
}

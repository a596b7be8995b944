namespace MemPrims.Tool.Measure;

// One routine at one size on one tier: the time of each method, fastest batch and median.
public sealed record SizePoint(string Tier, string Routine, string Method, int Length, Timing Time);

// Time against size as SVG: both axes logarithmic, a line a method. The colors have contrast on white and on black, and text takes the
// color scheme of the reader, so the same file serves both.
public static class SizePlot
{
    private const int Width = 760, Height = 400, Left = 56, Right = 90, Top = 34, Bottom = 44;

    private static readonly Dictionary<string, string> s_colors =
        new() { ["MemPrims"] = "#0a7dd6", ["BCL"] = "#d95f02", ["libc"] = "#7a8793" };

    private const string Style =
        "text { fill: #333 } .grid { stroke: #8884 } @media (prefers-color-scheme: dark) { text { fill: #ddd } }";

    // The plot of the points of one routine on one tier.
    public static string Of(string title, IReadOnlyList<SizePoint> points)
    {
        StringBuilder svg = new();
        double lowest = points.Min(p => p.Time.Median), highest = points.Max(p => p.Time.Median);
        int longest = points.Max(p => p.Length);
        svg.AppendLine($"""
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {Width} {Height}" font-family="sans-serif" font-size="12"
              role="img" aria-label="{title}">
            <style>{Style}</style>
            <text x="{Left}" y="18" font-size="14">{title}</text>
            """);
        for (int size = 1; size <= longest; size *= 4)
            Line(svg, X(size), Top, X(size), Height - Bottom, X(size), Height - Bottom + 16, "middle",
                size < 1024 ? $"{size}" : $"{size / 1024} KiB");
        int middle = (Left + Width - Right) / 2;
        svg.AppendLine($"""<text x="{middle}" y="{Height - 8}" text-anchor="middle">bytes (0 at the left edge)</text>""");
        for (double ns = Math.Pow(10, Math.Floor(Math.Log10(lowest))); ns <= highest; ns *= 10)
            foreach (double tick in (double[])[ns, 2 * ns, 5 * ns])
                if (tick >= lowest && tick <= highest)
                    Line(svg, Left, Y(tick), Width - Right, Y(tick), Left - 6, Y(tick) + 4, "end", $"{Text(tick)} ns");
        List<double> taken = [];
        foreach (IGrouping<string, SizePoint> method in points.GroupBy(p => p.Method))
        {
            string color = s_colors[method.Key], path = string.Join(' ', method.OrderBy(p => p.Length)
                .Select(p => $"{Text(X(p.Length))},{Text(Y(p.Time.Median))}"));
            svg.AppendLine($"""<polyline fill="none" stroke="{color}" stroke-width="2" points="{path}"/>""");
            double at = Y(method.MaxBy(p => p.Length)!.Time.Median) + 4;
            while (taken.Any(y => Math.Abs(y - at) < 14)) at += 14;
            taken.Add(at);
            svg.AppendLine($"""<text x="{Width - Right + 8}" y="{Text(at)}" style="fill:{color}">{method.Key}</text>""");
        }
        return svg.AppendLine("</svg>").ToString();

        double X(int size) => Left + (Width - Left - Right) * Math.Log2(size + 1) / Math.Log2(longest + 1);
        double Y(double ns) => Height - Bottom - (Height - Top - Bottom) * Math.Log(ns / lowest) / Math.Log(highest / lowest);
    }

    private static void Line(StringBuilder svg, double x1, double y1, double x2, double y2, double textX, double textY, string anchor,
        string text) => svg.AppendLine($"""
            <line class="grid" x1="{Text(x1)}" y1="{Text(y1)}" x2="{Text(x2)}" y2="{Text(y2)}"/>
            <text x="{Text(textX)}" y="{Text(textY)}" text-anchor="{anchor}">{text}</text>
            """);

    private static string Text(double number) => number.ToString("0.##", CultureInfo.InvariantCulture);
}

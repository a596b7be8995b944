using System.Security;
using System.Text;
using static MemPrims.Benchmarks.Publish.RatioAxis;

namespace MemPrims.Benchmarks.Publish;

/// <summary>All that was compared in a room, as SVG: a line a group, a point a comparison. So nothing is chosen, and one sees how far the
/// cases of a group lie apart. A point tells its case, peer and ratio where a pointer rests on it.</summary>
internal static class RoomPlot
{
    private static readonly RatioAxis s_axis = new(0.125, 128, 300, 16);

    public static string Of(string title, string processor, Comparison[] comparisons)
    {
        IGrouping<string, Comparison>[] groups = [.. comparisons.GroupBy(c => c.Group)];
        StringBuilder svg = s_axis.Begin($"{title}: a point a comparison; left of 1: slower",
            $"{processor}; peer's time divided by ours, medians", groups.Length);
        int y = Top + Step / 2;
        foreach (IGrouping<string, Comparison> group in groups)
        {
            svg.AppendLine($"""<text x="{s_axis.Left - 8}" y="{y + 4}" text-anchor="end">{SecurityElement.Escape(group.Key)}</text>""");
            foreach (Comparison c in group)
                svg.AppendLine($"""<circle class="{Color(c.Ratio)}" cx="{Text(s_axis.X(c.Ratio))}" cy="{y}" r="4" fill-opacity="0.6">"""
                    + $"<title>{SecurityElement.Escape($"{c.Case} | {c.Peer}")}: {Figure(c.Ratio)}</title></circle>");
            y += Step;
        }
        return svg.AppendLine("</svg>").ToString();
    }
}

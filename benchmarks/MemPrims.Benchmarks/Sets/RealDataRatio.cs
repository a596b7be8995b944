using MemPrims.Benchmarks.Ratio;

namespace MemPrims.Benchmarks.Sets;

/// <summary>
/// CRoaring's own data sets, columns of real tables: 200 sets each, of one to a million ids. They are its folder benchmarks/realdata,
/// which the environment variable MEMPRIMS_REALDATA names; without it there are no cases. All neighbouring pairs are counted and made a
/// new set of, in an order that is drawn anew before every batch. CRoaring's results are freed; ours are cleared, or left to the garbage
/// collector ("left").
/// </summary>
public sealed class RealDataRatio : IRatioCases
{
    /// <summary>Where the data is found.</summary>
    private const string Variable = "MEMPRIMS_REALDATA";

    private static RealDataWork? s_work;

    public static IEnumerable<RatioCase> Cases()
    {
        foreach (string folder in Folders())
        {
            yield return Case(folder, "count", work => work.Count, work => work.CountByCRoaring);
            yield return Case(folder, "And", work => work.Make(static (x, y) => x.And(y), clears: true), work =>
                work.MakeByCRoaring("And"));
            yield return Case(folder, "And, left", work => work.Make(static (x, y) => x.And(y), clears: false), work =>
                work.MakeByCRoaring("And"), 0.9);
            yield return Case(folder, "Or", work => work.Make(static (x, y) => x.Or(y), clears: true), work => work.MakeByCRoaring("Or"));
            yield return Case(folder, "Or, left", work => work.Make(static (x, y) => x.Or(y), clears: false), work =>
                work.MakeByCRoaring("Or"), 0.9);
            yield return Case(folder, "Contains", work => work.Use.ContainsOneEach, work => work.Use.ContainsOneEachByCRoaring);
            yield return Case(folder, "iterate, foreach", work => work.Use.Iterate, work => work.Use.ReadByCRoaring);
            yield return Case(folder, "iterate, blocks of 1024", work => work.Use.Read, work => work.Use.ReadByCRoaring);
            yield return Case(folder, "decode", work => work.Use.Decode, work => work.Use.DecodeByCRoaring);
            yield return Case(folder, "OpenFrozen and ask", work => work.Use.Open, work => work.Use.OpenByCRoaring);
        }
    }

    /// <summary>The data sets that are here.</summary>
    public static string[] Folders() => Environment.GetEnvironmentVariable(Variable) is { Length: > 0 } root
        ? [.. Directory.GetDirectories(root).Order(StringComparer.Ordinal)] : [];

    private static RatioCase Case(string folder, string use, Func<RealDataWork, Func<long>> ours, Func<RealDataWork, Func<long>> theirs,
        double atLeast = 1) =>
        new("Sets/real data", $"{Path.GetFileName(folder)}, {use}", () =>
        {
            RealDataWork work = s_work is { } last && last.Folder == folder ? last : s_work = new(folder);
            work.Redraw();
            return new(work.Sets, new("IdSet", ours(work)), CRoaring.IsAvailable ? [new("CRoaring", theirs(work), atLeast)] : [])
            {
                Redraw = work.Redraw,
            };
        });
}

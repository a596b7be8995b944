using MemPrims.Benchmarks.Ratio;

namespace MemPrims.Benchmarks.Sets;

/// <summary>
/// Shapes at half of a threshold, at it, and at twice it. The constants name the case that set them; to sweep one, make it a field and
/// let both ways compete.
/// </summary>
public sealed class ThresholdRatio : IRatioCases
{
    private const int Pairs = 64;

    public static IEnumerable<RatioCase> Cases()
    {
        foreach (int size in new[] { 48, 96, 192 }) yield return Count("few of many", ("array", 30), ("array", size));
        foreach (int size in new[] { 128, 256, 512 }) yield return Count("few of many", ("array", 30), ("array", size));
        foreach (int size in new[] { 256, 512, 1024 }) yield return And("halves", ("array", size), ("array", size));
        foreach (int size in new[] { 128, 256, 512 }) yield return Or("parts", ("array", size), ("array", size));
        foreach (int size in new[] { 62, 125, 250 }) yield return And("uneven", ("array", size), ("array", 1500));
        foreach (int size in new[] { 31, 62, 125 }) yield return Or("uneven", ("array", size), ("array", 1500));
        foreach (int size in new[] { 512, 1024, 2048 }) yield return Count("one of many", ("array", 1), ("array", size));
        foreach (int size in new[] { 4, 8, 16 }) yield return Count("runs of a bitmap", ("runs", size), ("array", 20_000));
        foreach (int size in new[] { 47, 78, 94 }) yield return And("stretches", ("runs", size), ("array", 3000));
        foreach (int size in new[] { 94, 125, 188 }) yield return Count("stretches", ("runs", size), ("array", 3000));
        foreach (int size in new[] { 125, 250, 500 }) yield return Count("each in runs", ("array", size), ("runs", 1000));
        foreach (int size in new[] { 4, 8, 16 }) yield return Count("few runs", ("runs", 4), ("runs", size));
        foreach (int size in new[] { 64, 128, 256 }) yield return Count("one of runs", ("array", 1), ("runs", size));
    }

    private static RatioCase Count(string what, (string, int) a, (string, int) b) => Of(what, a, b, "count", Counted);

    private static RatioCase And(string what, (string, int) a, (string, int) b) => Of(what, a, b, "And", static work => (
        work.Make(static (x, y) => x.And(y), clears: true), work.MakeByCRoaring("And")));

    private static RatioCase Or(string what, (string, int) a, (string, int) b) => Of(what, a, b, "Or", static work => (
        work.Make(static (x, y) => x.Or(y), clears: true), work.MakeByCRoaring("Or")));

    private static (Func<long>, Func<long>) Counted(PairWork work) => (work.Count, work.CountByCRoaring);

    private static RatioCase Of(string what, (string Kind, int Size) a, (string Kind, int Size) b, string operation,
        Func<PairWork, (Func<long>, Func<long>)> contenders) =>
        new("Sets/thresholds", $"{what}: {a.Kind} {a.Size} × {b.Kind} {b.Size}, {operation}", () =>
        {
            PairWork work = new([.. new SetShape("", 16, a.Kind, a.Size).Draw(Pairs)
                .Zip(new SetShape("", 16, b.Kind, b.Size).Draw(Pairs, 12))]);
            (Func<long> ours, Func<long> theirs) = contenders(work);
            return new(work.Counts, new("IdSet", ours), CRoaring.IsAvailable ? [new("CRoaring", theirs, 1)] : []);
        });
}

using MemPrims.Benchmarks.Ratio;

namespace MemPrims.Benchmarks.Sets;

/// <summary>
/// What is done with one set: asked for ids, decoded, gone through, opened, written. Against CRoaring's newest release
/// (<see cref="CRoaring"/> says how to get it), over 256 different sets, 32 of large containers; the ids asked for are drawn anew for
/// every batch.
/// </summary>
public sealed class UseRatio : IRatioCases
{
    public static IEnumerable<RatioCase> Cases()
    {
        foreach (SetShape shape in (SetShape[])[.. SetShape.Kinds, .. SetShape.Mixed])
        {
            yield return Case("Contains", shape, work => work.Contains, work => work.ContainsByCRoaring, work => work.DrawProbes(64));
            yield return Case("Contains, a set each", shape, work => work.ContainsOneEach, work => work.ContainsOneEachByCRoaring, work =>
                work.DrawProbes(1));
        }
        foreach (SetShape shape in SetShape.Kinds)
        {
            yield return Case("decode", shape, work => work.Decode, work => work.DecodeByCRoaring);
            yield return Case("iterate, foreach", shape, work => work.Iterate, work => work.ReadByCRoaring);
            yield return Case("iterate, blocks of 1024", shape, work => work.Read, work => work.ReadByCRoaring);
        }
        foreach (SetShape shape in SetShape.Mixed)
        {
            yield return Case("OpenFrozen and ask", shape, work => work.Open, work => work.OpenByCRoaring, work => work.DrawProbes(1));
            yield return Case("serialize", shape, work => work.Serialize, work => work.SerializeByCRoaring);
            yield return Case("serialize the result of an Or", shape, work => work.SerializeResults, work =>
                work.SerializeResultsByCRoaring);
        }
    }

    private static UseWork? s_work;

    private static RatioCase Case(
        string use, SetShape shape, Func<UseWork, Func<long>> ours, Func<UseWork, Func<long>> theirs, Action<UseWork>? redraw = null) =>
        new("Sets/use", $"{use}, {shape.Name}", () =>
        {
            UseWork work = s_work is { } last && last.Shape == shape ? last : s_work = new(shape);
            redraw?.Invoke(work);
            return new(work.Operations(use), new("IdSet", ours(work)), CRoaring.IsAvailable ? [new("CRoaring", theirs(work), 1)] : [])
            {
                Redraw = () => redraw?.Invoke(work),
            };
        });
}

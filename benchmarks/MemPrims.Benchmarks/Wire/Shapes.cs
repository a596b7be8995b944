using MemPrims.Benchmarks.Wire.Generated;
using MemPrims.Wire;

namespace MemPrims.Benchmarks.Wire;

/// <summary>How each shape is read, field by field, on both sides: by handles here, by properties there.</summary>
internal static class Shapes
{
    private static readonly MixedHandles s_mixed = new();
    private static readonly MessageType s_small = Samples.Schema["memprims.bench.Small"], s_nest = Samples.Schema["memprims.bench.Nest"];
    private static readonly FieldHandle<int> s_smallId = s_small.Field<int>("id"), s_nestId = s_nest.Field<int>("id");
    private static readonly FieldHandle<string> s_smallKey = s_small.Field<string>("key"), s_nestName = s_nest.Field<string>("name");
    private static readonly FieldHandle<bool> s_smallLive = s_small.Field<bool>("live");
    private static readonly FieldHandle<uint> s_smallHash = s_small.Field<uint>("hash");
    private static readonly FieldHandle<Message> s_nestChild = s_nest.Field<Message>("child");
    private static readonly FieldHandle<int> s_packedValues = Samples.Schema["memprims.bench.Packed"].Field<int>("values");
    private static readonly FieldHandle<double> s_packedWeights = Samples.Schema["memprims.bench.Packed"].Field<double>("weights");

    private static readonly MessageType s_varied = Samples.Schema["memprims.bench.Varied"];
    private static readonly FieldHandle<Message> s_head = s_varied.Field<Message>("head");
    private static readonly FieldHandle<string> s_tags = s_varied.Field<string>("tags");
    private static readonly FieldHandle<int> s_scores = s_varied.Field<int>("scores");

    // A message is emptied for the peer's MergeFrom by what it would take to make it new: its strings and numbers are replaced anyway.
    public static Shape<Mixed> Mixed() => new(Samples.Mixed(), "memprims.bench.Mixed", Generated.Mixed.Parser, s_mixed.Read,
        MixedHandles.Read, _ => { });

    public static Shape<Small> Small() => new(Samples.Small(), "memprims.bench.Small", Generated.Small.Parser,
        m => m.Get(s_smallId) + m.Get(s_smallKey).Length + (m.Get(s_smallLive) ? 1 : 0) + m.Get(s_smallHash),
        m => m.Id + m.Key.Length + (m.Live ? 1 : 0) + m.Hash, _ => { });

    public static Shape<Nest> Nest(int depth) => new(Samples.Nest(depth), "memprims.bench.Nest", Generated.Nest.Parser, ReadNest,
        ReadNest, _ => { });

    public static Shape<Packed> Packed() => new(Samples.Packed(), "memprims.bench.Packed", Generated.Packed.Parser,
        m =>
        {
            double sum = 0;
            foreach (int value in m.GetSpan(s_packedValues)) sum += value;
            foreach (double weight in m.GetSpan(s_packedWeights)) sum += weight;
            return (long)sum;
        },
        m =>
        {
            double sum = 0;
            for (int i = 0; i < m.Values.Count; i++) sum += m.Values[i];
            for (int i = 0; i < m.Weights.Count; i++) sum += m.Weights[i];
            return (long)sum;
        },
        m => { m.Values.Clear(); m.Weights.Clear(); });

    public static Shape<Generated.Wide> Wide() => new(Samples.Wide(), "memprims.bench.Wide", Generated.Wide.Parser,
        m => m.CountOf("labels") + m.CountOf("counts") + m.CountOf("tags"), m => m.Labels.Count + m.Counts.Count + m.Tags.Count,
        m => { m.Labels.Clear(); m.Counts.Clear(); m.Tags.Clear(); });

    // Its fields are set in some messages only, so a reused one of the peer's would have to be emptied field by field: it is made new.
    public static Shape<Varied> Varied() => new(Samples.Varied(), "memprims.bench.Varied", Generated.Varied.Parser,
        m =>
        {
            long sum = s_mixed.Read(m.Get(s_head));
            for (int i = m.CountOf(s_tags) - 1; i >= 0; i--) sum += m.GetAt(s_tags, i).Length;
            foreach (int score in m.GetSpan(s_scores)) sum += score;
            return sum;
        },
        m =>
        {
            long sum = MixedHandles.Read(m.Head);
            for (int i = m.Tags.Count - 1; i >= 0; i--) sum += m.Tags[i].Length;
            for (int i = 0; i < m.Scores.Count; i++) sum += m.Scores[i];
            return sum;
        },
        _ => { });

    private static long ReadNest(Message message)
    {
        long sum = 0;
        for (Message? at = message; at is not null; at = at.Get(s_nestChild)) sum += at.Get(s_nestId) + at.Get(s_nestName).Length;
        return sum;
    }

    private static long ReadNest(Nest message)
    {
        long sum = 0;
        for (Nest? at = message; at is not null; at = at.Child) sum += at.Id + at.Name.Length;
        return sum;
    }
}

using MemPrims.Benchmarks.Ratio;

namespace MemPrims.Benchmarks.Buffers;

/// <summary>
/// One u64 after the other: the three appenders, with and without `using`, against writers of others and a plain store into memory
/// already there. The messages also go against the writer by hand that asks for one span a message.
/// </summary>
public sealed class AppendCases : IRatioCases
{
    public static IEnumerable<RatioCase> Cases()
    {
        const string group = "Appending u64";
        yield return new(group, "Appender", () => Of(w => new("Appender", w.Appender),
            w => [new("ArrayPoolBufferWriter", w.ArrayPoolBufferWriter, 3), new("BinaryWriter", w.BinaryWriter, 9), new("raw store",
                w.RawStore)]));
        yield return new(group, "ReservedAppender", () => Of(w => new("ReservedAppender", w.Reserved), w => [new("raw store",
            w.RawStore, 0.7)]));
        yield return new(group, "UnsafeAppender", () => Of(w => new("UnsafeAppender", w.Unsafe), w => [new("raw store", w.RawStore,
            0.9)]));
        yield return new(group, "the same by using", () => Of(w => new("UnsafeAppender, using", w.UnsafeByUsing),
            w => [new("ReservedAppender, using", w.ReservedByUsing), new("Appender, using", w.AppenderByUsing), new("raw store",
                w.RawStore)]));
        yield return new(group, "SegmentList as IBufferWriter", () => Of(w => new("SegmentList", w.ListAsBufferWriter), w =>
            [new("ArrayPoolBufferWriter", w.ArrayPoolBufferWriter)]));
        yield return new(group, "a message of ten fields", () => Of(w => new("SegmentList.Append", w.Readings), w =>
            [new("ArrayPoolBufferWriter, a span a field",
            w.ReadingsByBufferWriter, 4), new("one span a message", w.ReadingsByOneSpan)], ofMessages: true));
        yield return new(group, "a message of ten fields, one a name", () => Of(w => new("SegmentList.Append", w.Orders), w =>
            [new("ArrayPoolBufferWriter, a span a field",
            w.OrdersByBufferWriter, 4), new("one span a message", w.OrdersByOneSpan)], ofMessages: true));
    }

    private static Contest Of(Func<AppendWork, Contender> ours, Func<AppendWork, Contender[]> peers, bool ofMessages = false)
    {
        AppendWork work = new();
        // What a case does not use is not drawn: it would only push the others' memory out of the cache.
        Action redraw = ofMessages ? work.RedrawMessages : work.RedrawNumbers;
        return new(AppendWork.Count, ours(work), peers(work)) { Redraw = redraw };
    }
}

using MemPrims.Sets;

namespace MemPrims.Tool.Files;

// A set of ids, of 32 or of 64 bits, in the portable Roaring format. All else here is said once, of ids of 64 bits.
internal sealed class SetFile(string path, bool isWide) : StoredFile
{
    public override string Kind => isWide ? "a set of 64-bit ids (portable Roaring format)" : "a set of ids (portable Roaring format)";

    public override void Describe(Report report)
    {
        using MappedBytes bytes = new(path);
        Contents set = Open(bytes, validate: false);
        report.Add("ids", set.Count);
        if (set.Least is ulong least) report.Add("least", least);
        if (set.Greatest is ulong greatest) report.Add("greatest", greatest);
    }

    public override void Verify(Report report, Action<long, long> progress)
    {
        using MappedBytes bytes = new(path);
        report.Add("ids checked", Open(bytes, validate: true).Count);
        report.Add("not checked", "Whether the ids are those that were written: the format has no checksum.");
    }

    public override void WriteTo(Dump dump)
    {
        using MappedBytes bytes = new(path);
        foreach (ulong id in Open(bytes, validate: true).Ids.TakeWhile(_ => !dump.IsFull)) dump.Line(("id", id));
    }

    private Contents Open(MappedBytes bytes, bool validate)
    {
        bytes.RequireAll();
        if (isWide)
        {
            IdSet64 wide = IdSet64.OpenFrozen(bytes.Handle, 0, bytes.Length, validate);
            return new(wide.Count, wide.TryGetMin(out ulong least) ? least : null, wide.TryGetMax(out ulong greatest) ? greatest : null,
                wide);
        }
        IdSet set = IdSet.OpenFrozen(bytes.Handle, 0, bytes.Length, validate);
        return new(set.Count, set.TryGetMin(out uint first) ? first : null, set.TryGetMax(out uint last) ? last : null,
            set.Select(static id => (ulong)id));
    }

    // What a set of either width holds, for as long as its bytes are mapped.
    private readonly record struct Contents(long Count, ulong? Least, ulong? Greatest, IEnumerable<ulong> Ids);
}

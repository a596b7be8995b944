using MemPrims.Sets;
using MemPrims.Tool.Output;

namespace MemPrims.Tool.Files;

/// <summary>A set of 32-bit ids in the portable Roaring format.</summary>
internal sealed class SetFile(string path) : StoredFile
{
    private const int IdsAtOnce = 1024;

    public override string Kind => "a set of ids (portable Roaring format)";

    public override void Describe(Report report)
    {
        using MappedBytes bytes = new(path);
        IdSet set = IdSet.OpenFrozen(bytes.Handle, 0, bytes.Length);
        report.Add("ids", set.Count);
        if (set.TryGetMin(out uint least)) report.Add("least", (long)least);
        if (set.TryGetMax(out uint greatest)) report.Add("greatest", (long)greatest);
    }

    public override void Verify(Report report, Action<long, long> progress)
    {
        using MappedBytes bytes = new(path);
        report.Add("ids checked", IdSet.OpenFrozen(bytes.Handle, 0, bytes.Length, validate: true).Count);
        report.Add("not checked", "Whether the ids are those that were written: the format has no checksum.");
    }

    public override void WriteTo(Dump dump)
    {
        using MappedBytes bytes = new(path);
        IdSetReader reader = IdSet.OpenFrozen(bytes.Handle, 0, bytes.Length, validate: true).GetReader();
        uint[] ids = new uint[IdsAtOnce];
        for (int read; !dump.IsFull && (read = reader.ReadMany(ids)) > 0;)
            foreach (uint id in ids.AsSpan(0, read)) dump.Line(("id", (long)id));
    }
}

/// <summary>A set of 64-bit ids in the portable Roaring format.</summary>
internal sealed class Set64File(string path) : StoredFile
{
    private const int IdsAtOnce = 1024;

    public override string Kind => "a set of 64-bit ids (portable Roaring format)";

    public override void Describe(Report report)
    {
        using MappedBytes bytes = new(path);
        IdSet64 set = IdSet64.OpenFrozen(bytes.Handle, 0, bytes.Length);
        report.Add("ids", set.Count);
        if (set.TryGetMin(out ulong least)) report.Add("least", least);
        if (set.TryGetMax(out ulong greatest)) report.Add("greatest", greatest);
    }

    public override void Verify(Report report, Action<long, long> progress)
    {
        using MappedBytes bytes = new(path);
        report.Add("ids checked", IdSet64.OpenFrozen(bytes.Handle, 0, bytes.Length, validate: true).Count);
        report.Add("not checked", "Whether the ids are those that were written: the format has no checksum.");
    }

    public override void WriteTo(Dump dump)
    {
        using MappedBytes bytes = new(path);
        IdSet64Reader reader = IdSet64.OpenFrozen(bytes.Handle, 0, bytes.Length, validate: true).GetReader();
        ulong[] ids = new ulong[IdsAtOnce];
        for (int read; !dump.IsFull && (read = reader.ReadMany(ids)) > 0;)
            foreach (ulong id in ids.AsSpan(0, read)) dump.Line(("id", id));
    }
}

namespace MemPrims.Wire;

// Takes every value of a path with [*].
internal abstract class PathValues
{
    public abstract int Count { get; }

    // The value that the scanner found.
    public abstract void Add(in PathScanner scanner);

    // Drops the values from an index on: a oneof was set to another member, or an entry of a map replaced.
    public abstract void Drop(int from);
}

internal sealed class PathValues<T>(FieldPath path) : PathValues
{
    public List<T> Taken { get; } = [];

    public override int Count => Taken.Count;

    public override void Add(in PathScanner scanner) => Taken.Add(path.Taken<T>(in scanner));

    public override void Drop(int from) => Taken.RemoveRange(from, Taken.Count - from);
}

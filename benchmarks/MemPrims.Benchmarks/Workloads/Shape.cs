namespace MemPrims.Benchmarks.Workloads;

/// <summary>Blocks of lengths that vary, at random offsets.</summary>
public enum Shape
{
    UpTo16,
    UpTo64,
    UpTo128,
    UpTo256,

    /// <summary>What programs do: <see cref="Lengths.Measured"/>.</summary>
    Measured,

    /// <summary>Up to 64 bytes, of which some differ.</summary>
    Mixed64,

    /// <summary>Up to 128 bytes, of which some differ.</summary>
    Mixed128,

    /// <summary>Keys of 11 to 13 bytes that share ten: <see cref="CasePairs.IndexInsertKeys"/>.</summary>
    IndexInsertKeys,
}

public static class Shapes
{
    public static BlockPairs Prepare(Shape shape) => shape switch
    {
        Shape.UpTo16 => BlockPairs.Equal(Lengths.UpTo(16), 16),
        Shape.UpTo64 => BlockPairs.Equal(Lengths.UpTo(64), 64),
        Shape.UpTo128 => BlockPairs.Equal(Lengths.UpTo(128), 128),
        Shape.UpTo256 => BlockPairs.Equal(Lengths.UpTo(256), 256),
        Shape.Measured => BlockPairs.Equal(Lengths.Measured, Lengths.MeasuredLongest),
        Shape.Mixed64 => CasePairs.Differing(Lengths.UpTo(64), 64),
        Shape.Mixed128 => CasePairs.Differing(Lengths.UpTo(128), 128),
        Shape.IndexInsertKeys => CasePairs.IndexInsertKeys(),
        _ => throw new ArgumentOutOfRangeException(nameof(shape), shape, "There is no such shape."),
    };
}

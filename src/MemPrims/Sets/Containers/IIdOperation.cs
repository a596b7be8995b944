namespace MemPrims.Sets;

/// <summary>One of the four ways to make a set of two.</summary>
internal interface IIdOperation
{
    /// <summary>Whether ids of the left side alone are kept.</summary>
    static abstract bool KeepsLeft { get; }

    /// <summary>Whether ids of the right side alone are kept.</summary>
    static abstract bool KeepsRight { get; }

    /// <summary>Whether ids of both sides are kept.</summary>
    static abstract bool KeepsBoth { get; }

    /// <summary>Applies it to two arrays of ids.</summary>
    static abstract int Run(ReadOnlySpan<ushort> left, ReadOnlySpan<ushort> right, Span<ushort> destination);

    /// <summary>Applies it to bits.</summary>
    static abstract void Run(ref ulong words, in ContainerView right);
}

internal readonly struct AndIds : IIdOperation
{
    public static bool KeepsLeft => false;
    public static bool KeepsRight => false;
    public static bool KeepsBoth => true;
    public static int Run(ReadOnlySpan<ushort> left, ReadOnlySpan<ushort> right, Span<ushort> destination) => SortedKernels.Intersect(left, right, destination);

    public static void Run(ref ulong words, in ContainerView right)
    {
        // Runs clear what they leave out, so they become bits first.
        Span<ulong> other = stackalloc ulong[Bitmap.WordCount];
        Bitmap.Expand(other, right);
        Bitmap.Combine<AndBits>(ref words, ref other[0]);
    }
}

internal readonly struct OrIds : IIdOperation
{
    public static bool KeepsLeft => true;
    public static bool KeepsRight => true;
    public static bool KeepsBoth => true;
    public static int Run(ReadOnlySpan<ushort> left, ReadOnlySpan<ushort> right, Span<ushort> destination) => SortedKernels.Union(left, right, destination);
    public static void Run(ref ulong words, in ContainerView right) => Bitmap.Apply<OrBits>(ref words, right);
}

internal readonly struct XorIds : IIdOperation
{
    public static bool KeepsLeft => true;
    public static bool KeepsRight => true;
    public static bool KeepsBoth => false;
    public static int Run(ReadOnlySpan<ushort> left, ReadOnlySpan<ushort> right, Span<ushort> destination) => SortedMerge.Xor(left, right, destination);
    public static void Run(ref ulong words, in ContainerView right) => Bitmap.Apply<XorBits>(ref words, right);
}

internal readonly struct AndNotIds : IIdOperation
{
    public static bool KeepsLeft => true;
    public static bool KeepsRight => false;
    public static bool KeepsBoth => false;
    public static int Run(ReadOnlySpan<ushort> left, ReadOnlySpan<ushort> right, Span<ushort> destination) => SortedKernels.Except(left, right, destination);
    public static void Run(ref ulong words, in ContainerView right) => Bitmap.Apply<AndNotBits>(ref words, right);
}

namespace MemPrims.Sets;

/// <summary>
/// A vector of ids at one width. Its value counts, lane by lane, how many ids have met. The block kernels of
/// <see cref="SortedBlocks{T, TLanes}"/> are written once over it and compile to the same instructions as a version for each width.
/// </summary>
internal interface ILanes<T> : IProbe<T> where T : unmanaged
{
    /// <summary>
    /// One bit for each of the <see cref="IProbe{T}.Count"/> ids at <paramref name="block"/> that is among the eight at
    /// <paramref name="eight"/>.
    /// </summary>
    static abstract ulong Matches(ref T block, ref T eight);

    /// <summary>
    /// Counts the ids at <paramref name="block"/> that are among the eight at <paramref name="eight"/>. The counts stay in a vector, so no
    /// mask is made for each meeting.
    /// </summary>
    void Meet(ref T block, ref T eight);

    /// <summary>The ids counted.</summary>
    long Total { get; }

    /// <summary>
    /// Writes the ids at <paramref name="block"/> whose bit is set in <paramref name="mask"/>. It overwrites <see cref="IProbe{T}.Count"/>
    /// places.
    /// </summary>
    static abstract void Pack(ref T block, ulong mask, ref T to);

    /// <summary>
    /// Which neighbours are in order: bit i is set if id i is below id i + 1. Reads <see cref="IProbe{T}.Count"/> + 1 ids.
    /// </summary>
    static abstract ulong Ascending(ref T block);
}

/// <summary>
/// The ids that a search compares in its last step.
/// </summary>
internal interface IProbe<T> where T : unmanaged
{
    /// <summary>The ids in a vector, at most 32.</summary>
    static abstract int Count { get; }

    /// <summary>1 when <paramref name="id"/> is among the <see cref="Count"/> ids at <paramref name="block"/>, else 0.</summary>
    static abstract int Holds(ref T block, T id);

    /// <summary>How many of the <see cref="Count"/> ids at <paramref name="block"/> are at or below <paramref name="id"/>.</summary>
    static abstract int CountUpTo(ref T block, T id);
}

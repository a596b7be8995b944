using System.Numerics;
using System.Runtime.CompilerServices;

namespace MemPrims;

/// <summary>
/// What a caller wants to know of two blocks. The loops of Windows are compiled once for each answer, so that none computes what is not
/// asked for: order does not need a position, and equality needs no place at all.
/// </summary>
internal interface IAnswer<TResult>
{
    /// <summary>Whether the answer depends on where the blocks differ.</summary>
    static abstract bool NeedsPlace { get; }

    /// <summary>A byte differs.</summary>
    /// <param name="offset">Where the vectors begin that were compared.</param>
    /// <param name="different">Bit i is set where byte i differs.</param>
    /// <param name="greater">Bit i is set where byte i of the left vector is greater.</param>
    static abstract TResult Different(nint offset, ulong different, ulong greater);
}

/// <summary>Whether the blocks are equal.</summary>
internal readonly struct AreEqual : IAnswer<bool>
{
    public static bool NeedsPlace => false;

    public static bool Different(nint offset, ulong different, ulong greater) => false;
}

/// <summary>Negative when the left block is less, positive when it is greater.</summary>
internal readonly struct WhichIsGreater : IAnswer<int>
{
    public static bool NeedsPlace => true;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Different(nint offset, ulong different, ulong greater) =>
        ((int)(greater >> BitOperations.TrailingZeroCount(different)) & 1) * 2 - 1;
}

/// <summary>Where the blocks differ first, and which is greater there.</summary>
internal readonly struct WhereTheyDiffer : IAnswer<Difference>
{
    public static bool NeedsPlace => true;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Difference Different(nint offset, ulong different, ulong greater) => Difference.At(offset, different, greater);
}

using System.Runtime.CompilerServices;

namespace MemPrims;

/// <summary>How two blocks lie to each other.</summary>
internal static unsafe class Overlap
{
    /// <summary>Whether no byte belongs to both.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool IsNone(byte* one, byte* other, nint length) =>
        (nuint)(one - other) >= (nuint)length && (nuint)(other - one) >= (nuint)length;
}

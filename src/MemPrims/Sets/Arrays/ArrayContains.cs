using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace MemPrims.Sets;

/// <summary>
/// Whether one id is in the array of a container. Few ids are compared with all: a vector of them, or two that overlap. More are
/// searched: <see cref="ArraySearch"/> looks where an evenly spread id lies.
/// </summary>
internal static class ArrayContains
{
    /// <summary>The ids of two vectors of 256 bits.</summary>
    private const int Sixteen = 16, Most = 2 * Sixteen;

    public static bool Holds(ref ushort first, int count, ushort id)
    {
        if (Hardware.Tier == Tier.Scalar || count < Vector128<ushort>.Count) return HoldsOneByOne(ref first, count, id);
        if (count < Sixteen)
            return Vector128.EqualsAny(Vector128.LoadUnsafe(ref first), Vector128.Create(id))
                | Vector128.EqualsAny(Vector128.LoadUnsafe(ref first, (nuint)(count - Vector128<ushort>.Count)), Vector128.Create(id));
        if (count <= Most)
            return Vector256.EqualsAny(Vector256.LoadUnsafe(ref first), Vector256.Create(id))
                | Vector256.EqualsAny(Vector256.LoadUnsafe(ref first, (nuint)(count - Sixteen)), Vector256.Create(id));
        return FewIds.Contains(MemoryMarshal.CreateReadOnlySpan(ref first, count), id);
    }

    private static bool HoldsOneByOne(ref ushort first, int count, ushort id)
    {
        if (count >= Vector128<ushort>.Count)
        {
            ReadOnlySpan<ushort> ids = MemoryMarshal.CreateReadOnlySpan(ref first, count);
            int at = (int)SortedSearch.LowerBound(ids, id);
            return at < count && ids[at] == id;
        }
        bool found = false;
        for (int i = 0; i < count; i++) found |= Unsafe.Add(ref first, i) == id;
        return found;
    }
}

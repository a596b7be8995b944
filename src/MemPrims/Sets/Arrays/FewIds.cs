using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace MemPrims.Sets;

/// <summary>
/// Looks up a few ids in the array of a container, one by one. With 512 bits, an array that fits one vector is loaded by a mask, so no
/// branch depends on its length.
/// </summary>
internal static class FewIds
{
    /// <summary>Up to this many ids on the shorter side: Sets/shapes, 10 × 10 in 100.</summary>
    public const int Most = 16;

    public static bool Contains(ReadOnlySpan<ushort> ids, ushort id) => Count(new(in id), ids) != 0;

    public static int Count(ReadOnlySpan<ushort> few, ReadOnlySpan<ushort> many) => Hardware.Tier switch
    {
        Tier.Vector512 => many.Length <= Vector512<ushort>.Count ? CountInVector(few, many) : Count<Lanes512<ushort>>(few, many),
        Tier.Vector256 when many.Length >= Vector256<ushort>.Count => Count<Lanes256<ushort>>(few, many),
        Tier.Vector128 when many.Length >= Vector128<ushort>.Count => Count<Lanes128<ushort>>(few, many),
        _ => (int)SortedSearch.CountUneven(few, many),
    };

    /// <summary>
    /// Writes the few that are among the many, or that are not, and returns how many. The destination takes all of them.
    /// </summary>
    public static int Select<TOperation>(ReadOnlySpan<ushort> few, ReadOnlySpan<ushort> many, ref ushort to)
        where TOperation : struct, IIdOperation => Hardware.Tier switch
        {
            Tier.Vector512 when many.Length >= Vector512<ushort>.Count => Select<TOperation, Lanes512<ushort>>(few, many, ref to),
            Tier.Vector256 when many.Length >= Vector256<ushort>.Count => Select<TOperation, Lanes256<ushort>>(few, many, ref to),
            Tier.Vector128 when many.Length >= Vector128<ushort>.Count => Select<TOperation, Lanes128<ushort>>(few, many, ref to),
            _ => SortedSearch.SelectUneven<ushort, TOperation>(few, many, MemoryMarshal.CreateSpan(ref to, few.Length)),
        };

    private static int Select<TOperation, TProbe>(ReadOnlySpan<ushort> few, ReadOnlySpan<ushort> many, ref ushort to)
        where TOperation : struct, IIdOperation
        where TProbe : struct, IProbe<ushort>
    {
        int written = 0, flip = TOperation.KeepsBoth ? 0 : 1;
        foreach (ushort id in few)
        {
            Unsafe.Add(ref to, written) = id;
            written += ArraySearch.Holds<TProbe>(many, id) ^ flip;
        }
        return written;
    }

    private static unsafe int CountInVector(ReadOnlySpan<ushort> few, ReadOnlySpan<ushort> many)
    {
        Vector512<ushort> lanes = Vector512.LessThan(Vector512<ushort>.Indices, Vector512.Create((ushort)many.Length)), ids;
        fixed (ushort* first = many) ids = Avx512BW.MaskLoad(first, lanes, Vector512<ushort>.Zero);
        int count = 0;
        foreach (ushort id in few) count += (Vector512.Equals(ids, Vector512.Create(id)) & lanes) != Vector512<ushort>.Zero ? 1 : 0;
        return count;
    }

    private static int Count<TProbe>(ReadOnlySpan<ushort> few, ReadOnlySpan<ushort> many) where TProbe : struct, IProbe<ushort>
    {
        int count = 0;
        foreach (ushort id in few) count += ArraySearch.Holds<TProbe>(many, id);
        return count;
    }
}

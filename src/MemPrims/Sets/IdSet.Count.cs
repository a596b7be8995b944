using System.Runtime.CompilerServices;

namespace MemPrims.Sets;

/// <content>
/// Counting without making the result. Containers are paired key by key without a branch on which key is lower. Where one set has many
/// times the containers of the other, those of the smaller set are looked up in the larger one.
/// </content>
public sealed partial class IdSet
{
    /// <summary>From this ratio of containers on, the fewer are looked up.</summary>
    private const int Uneven = 8;

    /// <summary>How many ids are in both sets.</summary>
    public long CountIntersection(IdSet other)
    {
        ArgumentNullException.ThrowIfNull(other);
        return CountKept(other, long.MaxValue);
    }

    /// <summary>How many ids are in one set or the other, or in both.</summary>
    public long CountUnion(IdSet other)
    {
        ArgumentNullException.ThrowIfNull(other);
        return Count + other.Count - CountIntersection(other);
    }

    /// <summary>How many ids are in one set and not in the other.</summary>
    public long CountXor(IdSet other)
    {
        ArgumentNullException.ThrowIfNull(other);
        return Count + other.Count - 2 * CountIntersection(other);
    }

    /// <summary>How many ids are in this set and not in the other.</summary>
    public long CountAndNot(IdSet other) => Count - CountIntersection(other);

    // A frozen set holds its bytes' owner. Without these the collector could end it while its bytes are read.
    private long CountKept(IdSet other, long enough)
    {
        long count = CountShared(other, enough);
        GC.KeepAlive(this);
        GC.KeepAlive(other);
        return count;
    }

    /// <summary>Counts the ids in both sets until there are <paramref name="enough"/>.</summary>
    private long CountShared(IdSet other, long enough)
    {
        SetView a = View(), b = other.View();
        if ((long)a.Length * Uneven < b.Length) return CountFew(this, other, enough);
        if ((long)b.Length * Uneven < a.Length) return CountFew(other, this, enough);
        if (a.Length >= SparseKeys.Fewest && b.Length >= SparseKeys.Fewest && AreSparse(this, other))
            return CountSparse(this, other, enough);
        long count = 0;
        for (int i = 0, j = 0; i < a.Length && j < b.Length;)
        {
            int keyA = a.Key(i), keyB = b.Key(j);
            if (keyA == keyB)
            {
                count += ContainerCount.Intersection(a[i], b[j]);
                if (count >= enough) break;
            }
            i += keyA <= keyB ? 1 : 0;
            j += keyB <= keyA ? 1 : 0;
        }
        return count;
    }

    // Views that are handed on lie in memory from then on: these make their own.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool AreSparse(IdSet left, IdSet right) => SparseKeys.Suit(left.View()) && SparseKeys.Suit(right.View());

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long CountSparse(IdSet left, IdSet right, long enough) => SparseKeys.Count(left.View(), right.View(), enough);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long CountFew(IdSet few, IdSet many, long enough)
    {
        SetView a = few.View(), b = many.View();
        long count = 0;
        if (a.Length < KeySeeker.FewestKeys || b.HasNoGap)
        {
            for (int i = 0; i < a.Length && count < enough; i++)
            {
                int at = b.Find(a.Key(i));
                if (at >= 0) count += ContainerCount.Intersection(a[i], b[at]);
            }
            return count;
        }
        KeySeeker seeker = new(b);
        for (int i = 0; i < a.Length && count < enough; i++)
        {
            seeker.Expect(b, a.Key(Math.Min(i + KeySeeker.Ahead, a.Length - 1)));
            int at = seeker.Seek(b, a.Key(i));
            if (at < b.Length && b.Key(at) == a.Key(i)) count += ContainerCount.Intersection(a[i], b[at]);
        }
        return count;
    }
}

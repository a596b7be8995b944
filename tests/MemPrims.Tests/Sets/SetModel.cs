using System.Numerics;
using MemPrims.Sets;

namespace MemPrims.Tests.Sets;

// What is asked of sets of 32 and of 64 bits alike.
internal static class SetModel
{
    public delegate int ReadMany<T>(Span<T> ids);

    // Changes a set by sets, ranges and lists, and a SortedSet<T> with it.
    public static void Change<TSet, TId>(Random random, Func<TId[]> some, Func<(TId First, TId Last)> interval, Action<TId[], TSet> same)
        where TSet : IdSetBase<TSet, TId>, IIdSet<TSet, TId>
        where TId : unmanaged, IBinaryInteger<TId>, IMinMaxValue<TId>
    {
        TSet set = IdSetBase<TSet, TId>.From(some());
        SortedSet<TId> model = [.. set.ToArray()];
        for (int step = 0; step < 12; step++)
        {
            TId[] ids = some();
            TSet other = IdSetBase<TSet, TId>.From(ids);
            (TId first, TId last) = interval();
            switch (random.Next(11))
            {
                case 0: set.IntersectWith(other); model.IntersectWith(ids); break;
                case 1: set.UnionWith(other); model.UnionWith(ids); break;
                case 2: set.SymmetricExceptWith(other); model.SymmetricExceptWith(other.ToArray()); break;
                case 3: set.ExceptWith(other); model.ExceptWith(ids); break;
                case 4: set.AddInterval(first, last); model.UnionWith(Range(first, last)); break;
                case 5: set.RemoveInterval(first, last); model.ExceptWith(Range(first, last)); break;
                case 6:
                    set.SymmetricExceptWith(IdSetBase<TSet, TId>.FromInterval(first, last));
                    model.SymmetricExceptWith(Range(first, last));
                    break;
                case 7: set.AddRange(ids); model.UnionWith(ids); break;
                case 8: set.RemoveRange(ids); model.ExceptWith(ids); break;
                case 9: foreach (TId id in ids) Assert.Equal(model.Add(id), set.Add(id)); break;
                default: foreach (TId id in ids) Assert.Equal(model.Remove(id), set.Remove(id)); break;
            }
            same([.. model], set);
        }
        set.Clear();
        Assert.True(set.IsEmpty);
        Assert.True(set.Add(TId.One));
    }

    // All that a reader has, a block at a time.
    public static List<T> InBlocks<T>(int block, ReadMany<T> read)
    {
        List<T> all = [];
        T[] some = new T[block];
        for (int count = read(some); count > 0; count = read(some)) all.AddRange(some.AsSpan(0, count));
        return all;
    }

    private static IEnumerable<TId> Range<TId>(TId first, TId last)
        where TId : IBinaryInteger<TId>
    {
        for (TId id = first; id <= last; id++) yield return id;
    }
}

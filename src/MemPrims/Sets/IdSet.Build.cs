
namespace MemPrims.Sets;

public sealed partial class IdSet
{
    /// <summary>Builds a set of ids that are strictly increasing.</summary>
    /// <exception cref="ArgumentException">They are not; the message says where the order breaks.</exception>
    public static IdSet FromSorted(ReadOnlySpan<uint> ids)
    {
        SortedIds.CheckSorted(ids);
        return FromOrdered(ids);
    }

    /// <summary>Builds a set of ids in any order, repeated or not.</summary>
    public static IdSet From(ReadOnlySpan<uint> ids)
    {
        if (SortedIds.IsSorted(ids)) return FromOrdered(ids);
        uint[] sorted = ids.ToArray();
        Array.Sort(sorted);
        int count = 1;
        for (int i = 1; i < sorted.Length; i++)
        {
            bool isNew = sorted[i] != sorted[count - 1];
            sorted[count] = sorted[i];
            count += isNew ? 1 : 0;
        }
        return FromOrdered(sorted.AsSpan(0, count));
    }

    /// <summary>Builds the set of all ids from <paramref name="first"/> to <paramref name="last"/>, both included.</summary>
    public static IdSet FromInterval(uint first, uint last)
    {
        if (first > last) throw new ArgumentException($"The first id, {first}, is above the last, {last}. Swap them.", nameof(first));
        IdSet set = new();
        for (uint key = first >> KeyShift; key <= last >> KeyShift; key++)
        {
            int start = key == first >> KeyShift ? (ushort)first : 0, end = key == last >> KeyShift ? (ushort)last : ushort.MaxValue;
            set.Append((int)key, end - start + 1, ContainerBuild.OfRun(start, end));
        }
        return set.Packed();
    }

    /// <summary>
    /// Turns every container into the kind that takes the fewest bytes. Building does so by itself, adding and removing do not.
    /// </summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public void Optimize()
    {
        BeforeChange();
        _runHeader = false;
        for (int i = 0; i < _length; i++) ContainerAt(i) = ContainerBuild.Smallest(View()[i]);
        Packed();
    }

    private static IdSet FromOrdered(ReadOnlySpan<uint> ids)
    {
        IdSet set = new();
        ushort[] low = new ushort[Math.Min(ids.Length, Container.Universe)];
        while (!ids.IsEmpty)
        {
            uint key = ids[0] >> KeyShift;
            ulong next = (ulong)(key + 1) << KeyShift;
            int count = next > uint.MaxValue ? ids.Length : (int)SortedSearch.GallopTo(ids, (uint)next);
            ReadOnlySpan<uint> mine = ids[..count];
            for (int i = 0; i < mine.Length; i++) low[i] = (ushort)mine[i];
            set.Append((int)key, count, ContainerBuild.OfIds(low.AsSpan(0, count)));
            ids = ids[count..];
        }
        return set.Packed();
    }
}

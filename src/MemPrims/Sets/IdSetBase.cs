using System.Collections;
using System.ComponentModel;

namespace MemPrims.Sets;

/// <summary>
/// What <see cref="IdSet"/> and <see cref="IdSet64"/> say alike: changes of many ids, how two sets relate, and all ids at once, each made
/// of the few operations that a set does in its own way. Many threads may read a set at once, as long as none changes it.
/// <see cref="SetEquals"/> compares the ids; Equals compares references.
/// </summary>
/// <remarks>
/// Changes of a frozen set throw <see cref="NotSupportedException"/>. Where damaged bytes were opened without a check, any member may
/// throw <see cref="IdSetDamagedException"/>.
/// </remarks>
/// <typeparam name="TSet">The set.</typeparam>
/// <typeparam name="TId">What its ids are.</typeparam>
[SuppressMessage("Naming", "CA1710", Justification = "The name is that of the thing; Collection would add nothing.")]
[SuppressMessage("Design", "CA1000", Justification = "These are called by the names of the sets: IdSet.From.")]
public abstract partial class IdSetBase<TSet, TId> : IReadOnlyCollection<TId>
    where TSet : IdSetBase<TSet, TId>, IIdSet<TSet, TId>
    where TId : unmanaged, IBinaryInteger<TId>, IMinMaxValue<TId>
{
    // Up to this number, ids are put in or taken out one by one, which does not depend on the size of the set. Each takes 0.2 to 2 µs; to
    // make the content anew takes 370 µs for 20,000 containers and 117 for 3 million dense ids.
    private const int MostOneByOne = 64;

    // Sets of fewer ids are made anew at every interval.
    private const int FewestToKeep = 10_000;

    private protected IdSetBase()
    {
    }

    /// <summary>The number of ids in the set. Of 2^64 ids, which do not fit, it is <see cref="long.MaxValue"/>.</summary>
    public abstract long Count { get; }

    int IReadOnlyCollection<TId>.Count => Count is var count and <= int.MaxValue ? (int)count
        : throw new OverflowException($"The set has {Count} ids, more than an int counts. Use the Count of the set itself, a long.");

    /// <summary>Whether the set has no ids.</summary>
    public abstract bool IsEmpty { get; }

    /// <summary>Whether the set lies in bytes of its caller's, and cannot be changed.</summary>
    public abstract bool IsFrozen { get; }

    // Rises with every change, so that a reader notices that the set is no longer the one it began to read.
    internal int Version { get; private protected set; }

    private TSet Self => (TSet)this;

    /// <summary>Builds a set of ids that are strictly increasing.</summary>
    /// <exception cref="ArgumentException">They are not; the message says where the order breaks.</exception>
    public static TSet FromSorted(ReadOnlySpan<TId> ids)
    {
        SortedIds.Check(ids);
        return TSet.FromOrdered(ids);
    }

    /// <summary>Builds a set of ids in any order, repeated or not.</summary>
    public static TSet From(ReadOnlySpan<TId> ids) =>
        TSet.FromOrdered(SortedKernels.FirstDisorder(ids) == ids.Length ? ids : SortedIds.Distinct(ids));

    /// <summary>
    /// Builds the set of all ids from <paramref name="first"/> to <paramref name="last"/>, both included. In 64 bits, a range over many
    /// upper halves takes some 900 KB for each, so one over millions of them ends in an <see cref="OutOfMemoryException"/>.
    /// </summary>
    /// <exception cref="ArgumentException">The first is above the last.</exception>
    public static TSet FromInterval(TId first, TId last)
    {
        CheckInterval(first, last);
        return TSet.OfInterval(first, last);
    }

    /// <summary>The ids that are in both sets: <c>a &amp; b</c> is <c>a.And(b)</c>.</summary>
    public static TSet operator &(IdSetBase<TSet, TId> left, TSet right) => SetErrors.NotNull(left).And(right);

    /// <summary>The ids that are in either set: <c>a | b</c> is <c>a.Or(b)</c>.</summary>
    public static TSet operator |(IdSetBase<TSet, TId> left, TSet right) => SetErrors.NotNull(left).Or(right);

    /// <summary>The ids that are in one set and not in the other: <c>a ^ b</c> is <c>a.Xor(b)</c>.</summary>
    public static TSet operator ^(IdSetBase<TSet, TId> left, TSet right) => SetErrors.NotNull(left).Xor(right);

    /// <summary>The ids of the first set that are not in the second: <c>a - b</c> is <c>a.AndNot(b)</c>.</summary>
    public static TSet operator -(IdSetBase<TSet, TId> left, TSet right) => SetErrors.NotNull(left).AndNot(right);

    /// <summary>The ids that are in both sets: <c>IdSet.And(a, b)</c> is <c>a.And(b)</c>.</summary>
    public static TSet And(TSet left, TSet right) => left & right;

    /// <summary>The ids that are in either set: <c>IdSet.Or(a, b)</c> is <c>a.Or(b)</c>.</summary>
    public static TSet Or(TSet left, TSet right) => left | right;

    /// <summary>The ids that are in one set and not in the other: <c>IdSet.Xor(a, b)</c> is <c>a.Xor(b)</c>.</summary>
    public static TSet Xor(TSet left, TSet right) => left ^ right;

    /// <summary>The ids of the first set that are not in the second: <c>IdSet.AndNot(a, b)</c> is <c>a.AndNot(b)</c>.</summary>
    public static TSet AndNot(TSet left, TSet right) => left - right;

    /// <summary>Whether <paramref name="id"/> is in the set.</summary>
    public abstract bool Contains(TId id);

    /// <summary>Whether an id of a signed type is in the set, which negative ids never are.</summary>
    public bool Contains(long id) => IsId(id) && Contains(TId.CreateTruncating(id));

    /// <summary>Puts an id into the set; false when it was there.</summary>
    public abstract bool Add(TId id);

    /// <summary>The same for an id of a signed type, which is checked.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The id is negative, or above what an id can be.</exception>
    public bool Add(long id) => Add(Checked(id));

    /// <summary>Takes an id out of the set; false when it was not there.</summary>
    public abstract bool Remove(TId id);

    /// <inheritdoc cref="Add(long)"/>
    public bool Remove(long id) => Remove(Checked(id));

    /// <summary>Adds ids in any order, repeated or not.</summary>
    /// <remarks>
    /// Changes of many ids make the new content in one pass and put it in the place of the old, so they take time in proportion to the
    /// whole set. Only a few ids are put in or taken out one by one.
    /// </remarks>
    public void AddRange(ReadOnlySpan<TId> ids)
    {
        ThrowIfFrozen();
        if (ids.Length <= MostOneByOne)
            foreach (TId id in ids) Add(id);
        else UnionWith(From(ids));
    }

    /// <summary>Takes out ids in any order, repeated or not.</summary>
    /// <inheritdoc cref="AddRange"/>
    public void RemoveRange(ReadOnlySpan<TId> ids)
    {
        ThrowIfFrozen();
        if (ids.Length <= MostOneByOne)
            foreach (TId id in ids) Remove(id);
        else ExceptWith(From(ids));
    }

    /// <summary>Adds all ids from <paramref name="first"/> to <paramref name="last"/>, both included.</summary>
    /// <exception cref="ArgumentException">The first is above the last.</exception>
    public void AddInterval(TId first, TId last)
    {
        ThrowIfFrozen();
        if (IsShort(first, last))
            for (int i = 0; i <= int.CreateTruncating(last - first); i++) Add(first + TId.CreateTruncating(i));
        else UnionWith(FromInterval(first, last));
    }

    /// <summary>Takes out all ids from <paramref name="first"/> to <paramref name="last"/>, both included.</summary>
    /// <inheritdoc cref="AddInterval"/>
    public void RemoveInterval(TId first, TId last)
    {
        ThrowIfFrozen();
        CheckInterval(first, last);
        if (IsShort(first, last))
            for (int i = 0; i <= int.CreateTruncating(last - first); i++) Remove(first + TId.CreateTruncating(i));
        else RemoveAll(first, last);
    }

    /// <summary>
    /// Takes out all ids. The thread keeps the memory of large results' bitmaps, up to 512 KiB, for its next results. So clearing a
    /// result that is no longer needed makes the next one faster.
    /// </summary>
    public void Clear() => Replace(null);

    /// <summary>
    /// Turns every container into the kind that takes the fewest bytes. Building does so by itself, adding and removing do not.
    /// </summary>
    public abstract void Optimize();

    /// <summary>A new set of the ids that are in both.</summary>
    public abstract TSet And(TSet other);

    /// <summary>A new set of the ids that are in either.</summary>
    public abstract TSet Or(TSet other);

    /// <summary>A new set of the ids that are in one and not in the other.</summary>
    public abstract TSet Xor(TSet other);

    /// <summary>A new set of the ids of this one that are not in the other.</summary>
    public abstract TSet AndNot(TSet other);

    /// <summary>A new set of the same ids, which can be changed.</summary>
    public TSet Clone() => Or(TSet.FromOrdered([]));

    /// <summary>Keeps the ids that are in the other set too.</summary>
    public void IntersectWith(TSet other) => Replace(And(other));

    /// <summary>Adds the ids of the other set.</summary>
    public void UnionWith(TSet other) => Replace(Or(other));

    /// <summary>Adds the ids that only the other set has, and takes out those that both have.</summary>
    public void SymmetricExceptWith(TSet other) => Replace(Xor(other));

    /// <summary>Takes out the ids of the other set.</summary>
    public void ExceptWith(TSet other) => Replace(AndNot(other));

    /// <summary>A new set of the ids that are in any of the sets.</summary>
    /// <remarks>
    /// Container by container: where three sets or more have the same one, their ids become bits of one bitmap, which are counted once at
    /// the end.
    /// </remarks>
    public static TSet OrMany(params ReadOnlySpan<TSet> sets)
    {
        foreach (TSet set in sets) ArgumentNullException.ThrowIfNull(set, nameof(sets));
        return TSet.Union(sets);
    }

    /// <summary>A new set of the ids that are in all of the sets.</summary>
    /// <exception cref="ArgumentException">There are no sets: all ids would be in them.</exception>
    public static TSet AndMany(params ReadOnlySpan<TSet> sets)
    {
        if (sets.IsEmpty) throw new ArgumentException("There are no sets to take the common ids of. Give at least one.", nameof(sets));
        TSet[] fewestFirst = sets.ToArray();
        foreach (TSet set in fewestFirst) ArgumentNullException.ThrowIfNull(set, nameof(sets));
        // The two smallest first: what they share is small for all that follow.
        Array.Sort([.. fewestFirst.Select(set => set.Count)], fewestFirst);
        if (fewestFirst.Length == 1) return fewestFirst[0].Clone();
        TSet common = fewestFirst[0].And(fewestFirst[1]);
        for (int i = 2; i < fewestFirst.Length && !common.IsEmpty; i++) common = common.And(fewestFirst[i]);
        return common;
    }

    /// <summary>How many ids are in both sets.</summary>
    public abstract long CountIntersection(TSet other);

    /// <summary>How many ids are in one set or the other, or in both.</summary>
    public long CountUnion(TSet other) => CountAndNot(other) + other.Count;

    /// <summary>How many ids are in one set and not in the other.</summary>
    public long CountXor(TSet other) => Count + SetErrors.NotNull(other).Count - 2 * CountIntersection(other);

    /// <summary>How many ids are in this set and not in the other.</summary>
    public long CountAndNot(TSet other) => Count - CountIntersection(other);

    /// <summary>Whether there is an id in both sets.</summary>
    public bool Overlaps(TSet other) => CountShared(SetErrors.NotNull(other), 1) != 0;

    /// <summary>Whether both sets have the same ids.</summary>
    public bool SetEquals(TSet other) => Count == SetErrors.NotNull(other).Count && CountIntersection(other) == Count;

    /// <summary>Whether all ids of this set are in the other.</summary>
    public bool IsSubsetOf(TSet other) => Count <= SetErrors.NotNull(other).Count && CountIntersection(other) == Count;

    /// <summary>Whether all ids of this set are in the other, which has more.</summary>
    public bool IsProperSubsetOf(TSet other) => Count < SetErrors.NotNull(other).Count && IsSubsetOf(other);

    /// <summary>Whether all ids of the other set are in this.</summary>
    public bool IsSupersetOf(TSet other) => SetErrors.NotNull(other).IsSubsetOf(Self);

    /// <summary>Whether all ids of the other set are in this, which has more.</summary>
    public bool IsProperSupersetOf(TSet other) => SetErrors.NotNull(other).IsProperSubsetOf(Self);

    /// <summary>All ids in order.</summary>
    /// <exception cref="InvalidOperationException">An array does not take so many.</exception>
    public TId[] ToArray()
    {
        long count = Count;
        if (count > Array.MaxLength)
            throw new InvalidOperationException($"The set has {count} ids, more than an array takes. Read them in blocks: GetReader().");
        // Foreign bytes may change meanwhile and leave a part unwritten: that part must not show old memory.
        TId[] ids = IsFrozen ? new TId[count] : GC.AllocateUninitializedArray<TId>((int)count);
        if (Decode(ids) != count) SetErrors.ThrowBytesChanged(0);
        return ids;
    }

    /// <summary>Writes all ids in order.</summary>
    /// <exception cref="ArgumentException">
    /// The destination is too short; nothing is written. It may be so for a destination of <see cref="Count"/> ids, if the bytes of a
    /// frozen set have changed meanwhile.
    /// </exception>
    public void CopyTo(Span<TId> destination)
    {
        long count = Count;
        if (destination.Length < count) SetErrors.ThrowNoRoom(count, destination.Length);
        Decode(destination[..(int)count]);
    }

    /// <summary>The ids from the greatest to the least.</summary>
    /// <exception cref="InvalidOperationException">The set was changed meanwhile.</exception>
    public IEnumerable<TId> Backwards()
    {
        IEnumerator<TId> ids = Enumerate(backwards: true);
        while (ids.MoveNext()) yield return ids.Current;
    }

    IEnumerator<TId> IEnumerable<TId>.GetEnumerator() => Enumerate(backwards: false);

    IEnumerator IEnumerable.GetEnumerator() => Enumerate(backwards: false);

    /// <summary>The least id.</summary>
    /// <exception cref="InvalidOperationException">The set is empty.</exception>
    public TId Min => TryGetMin(out TId id) ? id : ThrowNoId();

    /// <summary>The greatest id.</summary>
    /// <exception cref="InvalidOperationException">The set is empty.</exception>
    public TId Max => TryGetMax(out TId id) ? id : ThrowNoId();

    /// <summary>The least id; false when the set is empty.</summary>
    public bool TryGetMin(out TId id) => TryGetNext(TId.MinValue, out id);

    /// <summary>The greatest id; false when the set is empty.</summary>
    public bool TryGetMax(out TId id) => TryGetPrevious(TId.MaxValue, out id);

    /// <summary>The least id at or above <paramref name="from"/>; false when there is none.</summary>
    public abstract bool TryGetNext(TId from, out TId id);

    /// <summary>The greatest id at or below <paramref name="from"/>; false when there is none.</summary>
    public abstract bool TryGetPrevious(TId from, out TId id);

    /// <summary>How many ids are at or below <paramref name="id"/>.</summary>
    public abstract long Rank(TId id);

    /// <summary>The id that has <paramref name="rank"/> ids below it.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The set has not that many ids.</exception>
    /// <exception cref="InvalidOperationException">The set is empty.</exception>
    public abstract TId IdAt(long rank);

    /// <summary>Writes for each rank the id that has so many ids below it.</summary>
    /// <exception cref="ArgumentException">The destination is shorter than the ranks.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The set has not that many ids; nothing is written.</exception>
    public abstract void IdsAt(ReadOnlySpan<long> ranks, Span<TId> ids);

    internal void ThrowIfChangedSince(int version)
    {
        if (Version != version) SetErrors.ThrowChangedMeanwhile();
    }

    private protected void Replace(TSet? by)
    {
        ThrowIfFrozen();
        Become(by);
        Version++;
    }

    private protected void ThrowIfFrozen()
    {
        if (IsFrozen) SetErrors.ThrowFrozen();
    }

    // Where the first container lies in the bytes that the caller gave.
    private protected virtual long FirstContainerAt => 0;

    // Takes the content of a result, which nobody else has; of none, no ids.
    private protected abstract void Become(TSet? result);

    // Takes out a range that is in order.
    private protected virtual void RemoveAll(TId first, TId last) => ExceptWith(TSet.OfInterval(first, last));

    // Counts the ids in both sets until there are `enough`.
    internal abstract long CountShared(TSet other, long enough);

    // Writes all ids in order, and returns how many. The destination was large enough when the ids were counted: if it no longer is, the
    // bytes of a frozen set have changed.
    private protected abstract int Decode(Span<TId> destination);

    private protected abstract IEnumerator<TId> Enumerate(bool backwards);

    // Few ids, in a set that is large enough for them to be few. Small sets keep the smallest kind of container by being made anew.
    private bool IsShort(TId first, TId last) =>
        first <= last && last - first < TId.CreateTruncating(MostOneByOne) && Count > FewestToKeep;

    private static bool IsId(long id) => id >= 0 && (ulong)id <= ulong.CreateTruncating(TId.MaxValue);

    private static TId Checked(long id) => IsId(id) ? TId.CreateTruncating(id)
        : throw new ArgumentOutOfRangeException(nameof(id), id, $"Ids of this set go from 0 to {TId.MaxValue}.");

    private static void CheckInterval(TId first, TId last)
    {
        if (first > last) throw new ArgumentException($"The first id, {first}, is above the last, {last}. Swap them.", nameof(first));
    }

    private TId ThrowNoId()
    {
        if (IsEmpty) SetErrors.ThrowEmpty();
        throw new IdSetDamagedException(FirstContainerAt, "The container has no ids");
    }
}

/// <summary>How a set is made, for <see cref="IdSetBase{TSet, TId}"/>. No other types implement it.</summary>
/// <typeparam name="TSet">The set.</typeparam>
/// <typeparam name="TId">What its ids are.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IIdSet<TSet, TId>
{
    // Of ids that are strictly increasing.
    internal static abstract TSet FromOrdered(ReadOnlySpan<TId> ids);

    // Of a range whose first id is not above the last.
    internal static abstract TSet OfInterval(TId first, TId last);

    // Of the ids of any number of sets, none of them null.
    internal static abstract TSet Union(ReadOnlySpan<TSet> sets);

    // Reads the set at the start of the bytes and checks all of it.
    internal static abstract TSet Read(ReadOnlySpan<byte> source, out int consumed);

    // Opens the set at the start of its caller's bytes, and says where it ends.
    internal static abstract TSet Open(ForeignBytes bytes, bool validate, out long end);
}

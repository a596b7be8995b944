using System.Numerics;
using MemPrims.Sets;
using static MemPrims.Fuzz.WrongAnswerException;

namespace MemPrims.Fuzz;

/// <summary>
/// Sets in the Roaring format: loaded, opened where they lie with a check and without. The ways agree; what a sound set answers is held to
/// its ids one by one; what was not checked gives answers or says that it is damaged.
/// </summary>
internal sealed unsafe class IdSetTarget<TSet, TId>(string name) : Target
    where TSet : IdSetBase<TSet, TId>, IIdSet<TSet, TId>
    where TId : unmanaged, IBinaryInteger<TId>, IMinMaxValue<TId>
{
    private const int MostIds = 1 << 17, FewIds = 512;

    private readonly TSet _other = IdSetBase<TSet, TId>.FromSorted([.. Enumerable.Range(0, 6000).Select(i => TId.CreateChecked(i * 3)),
        .. Enumerable.Range(70_000, 3000).Select(TId.CreateChecked), TId.MaxValue]);

    public override string Name => name;

    public override int HeadBytes => 0;

    public override int Rounds => 4_000;

    public override IEnumerable<byte[]> Seeds()
    {
        TSet[] sets = [IdSetBase<TSet, TId>.From([]), Of(1, 2, 70_000, 200_000), Interval(100, 300), Interval(65_000, 5 * 65_536),
            Interval(0, 9000), Interval(100, 300).Or(Of(70_000, 70_003)), Interval(65_530, 3 * 65_536).Xor(Of(70_000, 70_005, 140_000)),
            IdSetBase<TSet, TId>.FromSorted([.. Enumerable.Range(0, 4097).Select(i => TId.CreateChecked(i * 2))]),
            IdSetBase<TSet, TId>.FromSorted([TId.Zero, TId.MaxValue - TId.One, TId.MaxValue])];
        foreach (TSet set in sets) yield return set.ToByteArray();
        foreach (TSet set in sets)
        {
            set.Optimize();
            yield return set.ToByteArray();
        }
    }

    public override void Run(ReadOnlySpan<byte> head, GuardedInput input)
    {
        TSet? loaded = Try(() => IdSetBase<TSet, TId>.Deserialize(input.Span));
        TSet? frozen = Try(() => IdSetBase<TSet, TId>.OpenFrozen(input.Start, input.Length, validate: true));
        TSet? managed = Try(() => IdSetBase<TSet, TId>.OpenFrozen(input.Memory, validate: true));
        Unless(loaded is null == frozen is null && loaded is null == managed is null, "loading and opening do not agree");
        TSet? first = Try(() => IdSetBase<TSet, TId>.Deserialize(input.Span, out int consumed) is var set && consumed <= input.Length
            ? set : throw new WrongAnswerException("more was read than there is"));
        if (loaded is not null)
        {
            Unless(loaded.SetEquals(frozen!) && frozen!.SetEquals(loaded) && loaded.SetEquals(managed!) && loaded.SetEquals(first!),
                "loaded and opened sets differ");
            byte[] written = loaded.ToByteArray();
            TSet again = IdSetBase<TSet, TId>.Deserialize(written);
            Unless(again.SetEquals(loaded) && again.ToByteArray().AsSpan().SequenceEqual(written)
                && frozen.ToByteArray().AsSpan().SequenceEqual(written), "a set that was written is another one");
            if (loaded.Count <= MostIds) CheckIds(loaded, frozen);
        }
        if (Try(() => IdSetBase<TSet, TId>.OpenFrozen(input.Start, input.Length)) is not { } open)
        {
            Unless(loaded is null, "a sound set is not opened");
            return;
        }
        bool isWhole = Use(open);
        if (loaded is not null) Unless(isWhole && open.SetEquals(loaded), "a sound set is called damaged");
        else if (first is not null) Unless(isWhole, "a sound set with bytes behind it is called damaged");
    }

    private void CheckIds(TSet set, TSet frozen)
    {
        TId[] ids = set.ToArray();
        for (int i = 1; i < ids.Length; i++) Unless(ids[i - 1] < ids[i], "ids are not in order");
        Unless(ids.Length == set.Count && ids.AsSpan().SequenceEqual(frozen.ToArray()) && set.Backwards().Reverse().SequenceEqual(ids),
            "ways of reading ids do not agree");
        Unless(IdSetBase<TSet, TId>.FromSorted(ids).SetEquals(set), "a set of the ids is another one");
        HashSet<TId> known = [.. ids], other = [.. _other];
        for (int i = 0, step = ids.Length / 40 + 1; i < ids.Length; i += step)
        {
            Unless(set.Contains(ids[i]) && frozen.Contains(ids[i]) && set.IdAt(i) == ids[i] && frozen.IdAt(i) == ids[i]
                && set.Rank(ids[i]) == frozen.Rank(ids[i]), $"id {ids[i]} is not found");
            TId next = ids[i] + TId.One;
            Unless(set.Contains(next) == known.Contains(next), $"id {next}");
        }
        int both = ids.Count(other.Contains);
        foreach (TSet it in (TSet[])[set, frozen])
        {
            Unless(it.CountIntersection(_other) == both && it.CountUnion(_other) == ids.Length + other.Count - both
                && it.CountAndNot(_other) == ids.Length - both && it.CountXor(_other) == ids.Length + other.Count - 2 * both,
                "counts of two sets are wrong");
            Unless(it.And(_other).Count == both && it.Or(_other).Count == ids.Length + other.Count - both
                && it.AndNot(_other).Count == ids.Length - both && _other.AndNot(it).Count == other.Count - both
                && it.Xor(_other).Count == ids.Length + other.Count - 2 * both, "results of two sets are wrong");
        }
        if (ids.Length > FewIds) return;
        Unless(set.And(_other).ToArray().AsSpan().SequenceEqual([.. ids.Where(other.Contains)])
            && set.AndNot(_other).ToArray().AsSpan().SequenceEqual([.. ids.Where(id => !other.Contains(id))]), "results have other ids");
        TSet changed = frozen.Clone();
        foreach (TId id in ids) Unless(changed.Remove(id) && !changed.Remove(id), "an id cannot be removed");
        Unless(changed.IsEmpty && frozen.Count == ids.Length, "a set without its ids is not empty");
        foreach (TId id in ids) changed.Add(id);
        Unless(changed.SetEquals(set), "a set with its ids again is another one");
    }

    // Whether nothing was found damaged.
    private bool Use(TSet set)
    {
        bool isWhole = true;
        bool isSmall = set.Count <= MostIds;
        Action[] uses =
        [
            () => set.CountIntersection(_other), () => _other.CountIntersection(set), () => set.And(_other), () => _other.And(set),
            () => set.Or(_other), () => set.Xor(_other), () => _other.AndNot(set), () => set.AndNot(_other), () => set.SetEquals(_other),
            () => set.Rank(TId.CreateChecked(70_000)), () => set.TryGetMax(out _), () => set.TryGetMin(out _),
            () => set.TryGetNext(TId.CreateChecked(70_001), out _), () => set.TryGetPrevious(TId.CreateChecked(70_001), out _),
            () => set.Contains(TId.CreateChecked(120)), () => set.Clone().Remove(TId.CreateChecked(70_000)), () => set.ToByteArray(),
            () => IdSetBase<TSet, TId>.OrMany([set, _other, set]), () => IdSetBase<TSet, TId>.AndMany([set, _other]),
        ];
        foreach (Action use in uses) Do(use);
        if (isSmall)
        {
            Do(() => set.ToArray());
            Do(() => _ = set.Count());
            Do(() => _ = set.Backwards().Count());
        }
        // An unchecked head may count other ids than there are.
        try
        {
            if (set.Count > 2) set.IdAt(2);
            if (set.Count > 0) set.IdsAt([0], new TId[1]);
        }
        catch (Exception e) when (e is IdSetDamagedException or ArgumentOutOfRangeException)
        {
            isWhole = false;
        }
        return isWhole;

        void Do(Action use)
        {
            try
            {
                use();
            }
            catch (IdSetDamagedException)
            {
                isWhole = false;
            }
        }
    }

    private static TSet Of(params uint[] ids) => IdSetBase<TSet, TId>.From([.. ids.Select(TId.CreateChecked)]);

    private static TSet Interval(int first, int last) =>
        IdSetBase<TSet, TId>.FromInterval(TId.CreateChecked(first), TId.CreateChecked(last));

    private static TSet? Try(Func<TSet> make)
    {
        try
        {
            return make();
        }
        catch (IdSetDamagedException)
        {
            return null;
        }
    }
}

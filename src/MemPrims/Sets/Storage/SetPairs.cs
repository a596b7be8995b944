namespace MemPrims.Sets;

// Pairs the containers of sets key by key. What two containers make is in PairTable. To count, neither key is branched on. Where one set
// has many times the containers of the other, those of the smaller set are looked up in the larger one. Contents that nobody has checked
// are checked before they become part of a result: a result is always sound.
internal static class SetPairs
{
    // From this ratio of containers on, the fewer are looked up.
    private const int Uneven = 8;

    // A new set of what the operation keeps.
    public static IdSet Combine<TOperation>(IdSet left, IdSet right) where TOperation : struct, IIdOperation
    {
        ArgumentNullException.ThrowIfNull(right, "other");
        SetHeads a = left.Heads(), b = right.Heads();
        if (!(TOperation.KeepsLeft | TOperation.KeepsRight) && a.LieApart(b)) return new();
        // A guess: what is kept of one side alone is most of the result. Where it is wrong, the writer finds out by itself.
        long bytes = Math.Max(TOperation.KeepsLeft ? left.ByteCount : 0, TOperation.KeepsRight ? right.ByteCount : 0);
        int containers = TOperation.KeepsRight ? Math.Max(a.Length, b.Length) : TOperation.KeepsLeft ? a.Length
            : Math.Min(a.Length, b.Length);
        SetWriter result = SetWriter.Rent(bytes, containers);
        bool isUneven = (long)a.Length * Uneven < b.Length || (long)b.Length * Uneven < a.Length;
        int i = 0, j = 0;
        while (i < a.Length && j < b.Length)
        {
            int keyA = a.Key(i), keyB = b.Key(j);
            if (keyA == keyB) CombineAt<TOperation>(left, i++, right, j++, keyA, result);
            else if (!(TOperation.KeepsLeft | TOperation.KeepsRight | isUneven))
            {
                // Which key is lower is not branched on.
                i += keyA < keyB ? 1 : 0;
                j += keyB < keyA ? 1 : 0;
            }
            else if (keyA < keyB) i = TOperation.KeepsLeft ? TakeUntil(keyB, left, i, result) : a.Seek(keyB, i);
            else j = TOperation.KeepsRight ? TakeUntil(keyA, right, j, result) : b.Seek(keyA, j);
        }
        if (TOperation.KeepsLeft && i < a.Length) TakeUntil(Container.Universe, left, i, result);
        if (TOperation.KeepsRight && j < b.Length) TakeUntil(Container.Universe, right, j, result);
        GC.KeepAlive(left);
        GC.KeepAlive(right);
        IdSet set = new(result);
        if (left.IsFrozen | right.IsFrozen) CheckResult(set);
        return set;
    }

    // The union of any number of sets. A heap holds the next key of each set and gives the least.
    public static IdSet Union(ReadOnlySpan<IdSet> sets)
    {
        PriorityQueue<int, int> byKey = new(sets.Length);
        bool anyFrozen = false;
        for (int i = 0; i < sets.Length; i++)
        {
            SetView view = sets[i].View();
            if (view.Length > 0) byKey.Enqueue(i, view.Key(0));
            anyFrozen |= sets[i].IsFrozen;
        }
        int[] next = new int[sets.Length];
        List<int> there = [];
        SetWriter result = SetWriter.Rent();
        while (byKey.TryPeek(out _, out int key))
        {
            there.Clear();
            while (byKey.TryPeek(out int set, out int other) && other == key)
            {
                there.Add(byKey.Dequeue());
                CheckUnchecked(sets[set], next[set]);
            }
            Join(sets, next, CollectionsMarshal.AsSpan(there), key, result);
            foreach (int set in there)
            {
                SetView view = sets[set].View();
                if (++next[set] < view.Length) byKey.Enqueue(set, view.Key(next[set]));
            }
        }
        foreach (IdSet set in sets) GC.KeepAlive(set);
        IdSet union = new(result);
        if (anyFrozen) CheckResult(union);
        return union;
    }

    // Counts the ids in both sets until there are `enough`. The caller keeps both alive.
    public static long CountShared(IdSet left, IdSet right, long enough)
    {
        SetHeads a = left.Heads(), b = right.Heads();
        if (a.LieApart(b)) return 0;
        if ((long)a.Length * Uneven < b.Length) return CountFew(left, right, enough);
        if ((long)b.Length * Uneven < a.Length) return CountFew(right, left, enough);
        long count = 0;
        for (int i = 0, j = 0; i < a.Length && j < b.Length;)
        {
            int keyA = a.Key(i), keyB = b.Key(j);
            if (keyA == keyB)
            {
                count += CountAt(left, i, right, j);
                if (count >= enough) break;
            }
            i += keyA <= keyB ? 1 : 0;
            j += keyB <= keyA ? 1 : 0;
        }
        return count;
    }

    // Views of containers are made here, so that whoever goes through keys needs no room for them.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int CountAt(IdSet left, int i, IdSet right, int j) => PairTable.Count(left.At(i), right.At(j));

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void CombineAt<TOperation>(IdSet left, int i, IdSet right, int j, int key, SetWriter result)
        where TOperation : struct, IIdOperation
    {
        ContainerView x = left.At(i), y = right.At(j);
        if (!(left.IsChecked & right.IsChecked)) CheckBoth(left, i, right, j);
        PairTable.Combine<TOperation>(x, y, key, result);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long CountFew(IdSet few, IdSet many, long enough)
    {
        SetHeads a = few.Heads(), b = many.Heads();
        long count = 0;
        for (int i = 0, at = 0; i < a.Length && count < enough; i++)
        {
            at = b.Seek(a.Key(i), at);
            if (at == b.Length) break;
            if (b.Key(at) == a.Key(i)) count += CountAt(few, i, many, at);
        }
        return count;
    }

    // Containers that one side has alone, up to a key.
    private static int TakeUntil(int key, IdSet set, int from, SetWriter result)
    {
        SetView view = set.View();
        bool check = !set.IsChecked, isFrozen = set.IsFrozen;
        for (; from < view.Length && view.Key(from) < key; from++)
        {
            if (check) ContainerCheck.Contents(view[from], from, view.Offset(from));
            // Runs that touch are joined: only foreign bytes have them.
            result.Copy(view.Key(from), view[from], join: isFrozen);
        }
        return from;
    }

    private static void Join(ReadOnlySpan<IdSet> sets, int[] next, ReadOnlySpan<int> there, int key, SetWriter result)
    {
        ContainerView first = sets[there[0]].View()[next[there[0]]];
        switch (there.Length)
        {
            case 1:
                result.Copy(key, first, join: true);
                return;
            case 2:
                PairTable.Combine<OrIds>(first, sets[there[1]].View()[next[there[1]]], key, result);
                return;
        }
        ref ulong words = ref result.Words();
        Bitmap.Expand(ref words, first);
        foreach (int set in there[1..]) Bitmap.Add(ref words, sets[set].View()[next[set]]);
        int count = BitmapCount.Ones(ref words);
        // All ids are one run.
        if (count == Container.Universe) ContainerBuild.Smallest(ref words, count, key, result);
        else ContainerBuild.Bits(ref words, count, key, result);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void CheckBoth(IdSet left, int i, IdSet right, int j)
    {
        CheckUnchecked(left, i);
        CheckUnchecked(right, j);
    }

    private static void CheckUnchecked(IdSet set, int index)
    {
        if (set.IsChecked) return;
        SetView view = set.View();
        ContainerCheck.Contents(view[index], index, view.Offset(index));
        GC.KeepAlive(set);
    }

    // Throws when a result of frozen sets is not sound. Their bytes may change while they are read, and nobody checks a result later.
    private static void CheckResult(IdSet result)
    {
        SetView view = result.View();
        int before = -1;
        for (int i = 0; i < view.Length; i++)
        {
            if (view.Key(i) <= before)
                throw new IdSetDamagedException(
                    view.Offset(i), $"Container {i} of the result has key {view.Key(i)}, which is not above the key before it, {before}");
            before = view.Key(i);
            ContainerCheck.Contents(view[i], i, view.Offset(i));
        }
    }
}

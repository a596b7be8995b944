namespace MemPrims.Sets;

public sealed partial class IdSet
{
    /// <summary>A new set of the ids that are in both.</summary>
    public IdSet And(IdSet other) => Combine<AndIds>(this, other);

    /// <summary>A new set of the ids that are in either.</summary>
    public IdSet Or(IdSet other) => Combine<OrIds>(this, other);

    /// <summary>A new set of the ids that are in one and not in the other.</summary>
    public IdSet Xor(IdSet other) => Combine<XorIds>(this, other);

    /// <summary>A new set of the ids of this one that are not in the other.</summary>
    public IdSet AndNot(IdSet other) => Combine<AndNotIds>(this, other);

    /// <summary>A new set of the same ids, which can be changed.</summary>
    public IdSet Clone() => Combine<OrIds>(this, new IdSet());

    private static IdSet Combine<TOperation>(IdSet left, IdSet right) where TOperation : struct, IIdOperation
    {
        ArgumentNullException.ThrowIfNull(right, "other");
        return new IdSet(Pair<TOperation>(left, right));
    }

    /// <summary>
    /// Goes through the keys of both. Contents that nobody has checked are checked on the way: a result is always sound.
    /// </summary>
    private static SetContent Pair<TOperation>(IdSet left, IdSet right) where TOperation : struct, IIdOperation
    {
        SetView a = left.View(), b = right.View();
        bool checkLeft = !left.IsChecked, checkRight = !right.IsChecked;
        // A guess: what is kept of one side alone is most of the result. Where it is wrong, the writer finds out by itself.
        long bytes = Math.Max(TOperation.KeepsLeft ? a.ByteCount : 0, TOperation.KeepsRight ? b.ByteCount : 0);
        int containers = TOperation.KeepsRight ? Math.Max(a.Length, b.Length) : TOperation.KeepsLeft ? a.Length
            : Math.Min(a.Length, b.Length);
        SetWriter result = SetWriter.Rent(bytes, containers);
        int i = 0, j = 0;
        while (i < a.Length && j < b.Length)
        {
            int keyA = a.Key(i), keyB = b.Key(j);
            if (keyA == keyB)
            {
                ContainerView x = a[i], y = b[j];
                if (checkLeft) ContainerCheck.Contents(x, i, a.Offset(i));
                if (checkRight) ContainerCheck.Contents(y, j, b.Offset(j));
                ContainerCombine.Run<TOperation>(x, y, keyA, result);
                i++;
                j++;
            }
            else if (keyA < keyB) i = TakeUntil(keyB, a, i, TOperation.KeepsLeft, checkLeft, left.IsFrozen, result);
            else j = TakeUntil(keyA, b, j, TOperation.KeepsRight, checkRight, right.IsFrozen, result);
        }
        TakeUntil(Container.Universe, a, i, TOperation.KeepsLeft, checkLeft, left.IsFrozen, result);
        TakeUntil(Container.Universe, b, j, TOperation.KeepsRight, checkRight, right.IsFrozen, result);
        GC.KeepAlive(left);
        GC.KeepAlive(right);
        SetContent content = result.ToContent();
        if (left.IsFrozen | right.IsFrozen) CheckResult(new(content));
        return content;
    }

    /// <summary>
    /// Throws when a result of frozen sets is not sound. Their bytes may change while they are read, and nobody checks a result later.
    /// </summary>
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

    // Containers that one side has alone, up to a key: copied where the operation keeps them.
    private static int TakeUntil(int key, in SetView view, int from, bool keep, bool check, bool foreign, SetWriter result)
    {
        if (!keep) return view.Seek(key, from);
        for (; from < view.Length && view.Key(from) < key; from++)
        {
            ContainerView container = view[from];
            if (check) ContainerCheck.Contents(container, from, view.Offset(from));
            // Runs that touch are joined: only foreign bytes have them.
            if (foreign && container.Kind == ContainerKind.Run && RunJoin.Touch(container.Runs))
                result.AddJoined(view.Key(from), container);
            else result.Copy(view.Key(from), container);
        }
        return from;
    }
}

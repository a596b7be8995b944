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
        SetView a = left.View(), b = right.View();
        IdSet result = new();
        int i = 0, j = 0;
        while (i < a.Length && j < b.Length)
        {
            int keyA = a.Key(i), keyB = b.Key(j);
            if (keyA == keyB)
            {
                Container both = ContainerCombine.Run<TOperation>(a[i++], b[j++], out int cardinality);
                if (cardinality != 0) result.Append(keyA, cardinality, both);
            }
            else if (keyA < keyB) i = TakeUntil(keyB, a, i, TOperation.KeepsLeft, left.IsFrozen, result);
            else j = TakeUntil(keyA, b, j, TOperation.KeepsRight, right.IsFrozen, result);
        }
        TakeUntil(Container.Universe, a, i, TOperation.KeepsLeft, left.IsFrozen, result);
        TakeUntil(Container.Universe, b, j, TOperation.KeepsRight, right.IsFrozen, result);
        return result.Trimmed();
    }

    // Containers that one side has alone, up to a key: copied where the operation keeps them, from unchecked bytes only if they are sound.
    private static int TakeUntil(int key, in SetView view, int from, bool keep, bool check, IdSet result)
    {
        if (!keep) return view.Seek(key, from);
        for (; from < view.Length && view.Key(from) < key; from++)
        {
            ContainerView container = view[from];
            if (check) ContainerCheck.Contents(container, from, 0);
            result.Append(view.Key(from), container.Cardinality, Container.CopyOf(container));
        }
        return from;
    }
}

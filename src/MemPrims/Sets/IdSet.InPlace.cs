namespace MemPrims.Sets;

/// <content>
/// Changes that take whole sets, ranges or many ids at once. Each makes the new content in one pass and puts it in the place of the old.
/// </content>
public sealed partial class IdSet
{
    /// <summary>Keeps the ids that are in the other set too.</summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public void IntersectWith(IdSet other) => Replace<AndIds>(other);

    /// <summary>Adds the ids of the other set.</summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public void UnionWith(IdSet other) => Replace<OrIds>(other);

    /// <summary>Adds the ids that only the other set has, and takes out those that both have.</summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public void SymmetricExceptWith(IdSet other) => Replace<XorIds>(other);

    /// <summary>Takes out the ids of the other set.</summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public void ExceptWith(IdSet other) => Replace<AndNotIds>(other);

    /// <summary>Adds all ids from <paramref name="first"/> to <paramref name="last"/>, both included.</summary>
    /// <exception cref="ArgumentException">The first is above the last.</exception>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public void AddRange(uint first, uint last)
    {
        ThrowIfFrozen();
        UnionWith(FromRange(first, last));
    }

    /// <summary>Takes out all ids from <paramref name="first"/> to <paramref name="last"/>, both included.</summary>
    /// <inheritdoc cref="AddRange"/>
    public void RemoveRange(uint first, uint last)
    {
        ThrowIfFrozen();
        ExceptWith(FromRange(first, last));
    }

    /// <summary>
    /// Takes out the ids from <paramref name="first"/> to <paramref name="last"/>, both included, that are in the set, and adds those
    /// that are not.
    /// </summary>
    /// <inheritdoc cref="AddRange"/>
    public void Flip(uint first, uint last)
    {
        ThrowIfFrozen();
        SymmetricExceptWith(FromRange(first, last));
    }

    /// <summary>Adds ids in any order, repeated or not.</summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public void AddMany(ReadOnlySpan<uint> ids)
    {
        ThrowIfFrozen();
        if (!ids.IsEmpty) UnionWith(From(ids));
    }

    /// <summary>Takes out ids in any order, repeated or not.</summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public void RemoveMany(ReadOnlySpan<uint> ids)
    {
        ThrowIfFrozen();
        if (!ids.IsEmpty) ExceptWith(From(ids));
    }

    /// <summary>
    /// Takes out all ids. The thread keeps the memory of large results' bitmaps, up to 512 KiB, for its next results. So clearing a
    /// result that is no longer needed makes the next one faster.
    /// </summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public void Clear()
    {
        ThrowIfFrozen();
        Become(new(default, [], []));
    }

    private void Replace<TOperation>(IdSet other) where TOperation : struct, IIdOperation
    {
        ArgumentNullException.ThrowIfNull(other);
        ThrowIfFrozen();
        Become(Pair<TOperation>(this, other));
    }

    private void Become(SetContent content)
    {
        if (_length > 0) SetWriter.GiveBack(_containers);
        uint[] slots = new uint[content.Heads.Length];
        for (int i = 0; i < slots.Length; i++) slots[i] = (uint)i;
        _image = content.Image;
        Version++;
        (_heads, _slots, _containers, _length, _runHeader) = (content.Heads, slots, content.Containers, slots.Length, false);
    }
}

namespace MemPrims.Wire;

// The values of a repeated field. Clearing keeps the storage.
internal abstract class FieldList
{
    public int Count;

    // slices: those of the message that has this list.
    public abstract FieldList Clone(in LentSlices slices, MessageField field);

    public virtual void Append(FieldList other)
    {
    }

    public virtual ulong GetBits(int index) => 0;

    public virtual void SetBits(int index, ulong bits)
    {
    }

    // How many values there shall be room for, so that more of them fit: twice as many as now, or as many as an array can have.
    protected int SizeFor(int more)
    {
        long needed = (long)Count + more;
        if (needed > Array.MaxLength) throw MessageErrors.ListIsFull();
        return (int)Math.Min(Array.MaxLength, Math.Max(needed, Math.Max(4, 2L * Count)));
    }
}

// Scalars side by side, so that a span over them can be handed out.
internal sealed class ScalarList<T> : FieldList
    where T : unmanaged
{
    public T[] Items = [];

    public ReadOnlySpan<T> Span => Items.AsSpan(0, Count);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Add(T value)
    {
        int count = Count;
        T[] items = Items;
        if ((uint)count < (uint)items.Length) items[count] = value;
        else AddGrowing(value);
        Count = count + 1;
    }

    public Span<T> Extend(int count)
    {
        if (Items.Length - Count < count) System.Array.Resize(ref Items, SizeFor(count));
        Count += count;
        return Items.AsSpan(Count - count, count);
    }

    public override void Append(FieldList other)
    {
        ScalarList<T> values = (ScalarList<T>)other;
        values.Span.CopyTo(Extend(values.Count));
    }

    public override ulong GetBits(int index) => Scalars.ToBits(Items[index]);

    public override void SetBits(int index, ulong bits) => Items[index] = Scalars.FromBits<T>(bits);

    public override FieldList Clone(in LentSlices slices, MessageField field) =>
        new ScalarList<T> { Items = Span.ToArray(), Count = Count };

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void AddGrowing(T value)
    {
        System.Array.Resize(ref Items, SizeFor(1));
        Items[Count] = value;
    }
}

// Texts, bytes or messages; of a map, the entries, with an index over their keys.
internal sealed class SlotList : FieldList
{
    public Slot[] Items = [];

    public MapIndex? Index;

    public Span<Slot> Span => Items.AsSpan(0, Count);

    // The slot of one value more. It may hold what was there before the list was cleared.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ref Slot Add()
    {
        if (Count == Items.Length) System.Array.Resize(ref Items, SizeFor(1));
        return ref Items[Count++];
    }

    public override FieldList Clone(in LentSlices slices, MessageField field)
    {
        SlotList copy = new() { Items = Span.ToArray(), Count = Count };
        foreach (ref Slot slot in copy.Span) slot = slices.CopyOf(field, in slot);
        return copy;
    }
}

namespace MemPrims.Sets;

// The containers of a set, on the heap or in the bytes of the portable format. The heads (u16 key, u16 cardinality - 1) are the same in
// both, so code that needs only keys and cardinalities reads one dense array.
internal readonly ref struct SetView
{
    // The offsets of containers in the bytes, or the slots of those on the heap.
    private readonly ref byte _heads, _bytes, _offsets;
    private readonly ref Container _containers;
    private readonly long _origin;
    private readonly int _byteCount;
    private readonly bool _hasRunFlags;

    public readonly int Length;

    public SetView(uint[] heads, uint[] slots, Container[] containers, int length)
    {
        _heads = ref Unsafe.As<uint, byte>(ref MemoryMarshal.GetArrayDataReference(heads));
        _offsets = ref Unsafe.As<uint, byte>(ref MemoryMarshal.GetArrayDataReference(slots));
        _containers = ref MemoryMarshal.GetArrayDataReference(containers);
        Length = length;
    }

    // The offsets are given apart if the header has none.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public SetView(ref byte bytes, int byteCount, SetHeader header, byte[]? offsets, long origin)
    {
        _origin = origin;
        _bytes = ref bytes;
        _byteCount = byteCount;
        _hasRunFlags = header.HasRunHeader;
        _heads = ref Unsafe.Add(ref bytes, header.HeadsAt);
        _offsets = ref offsets is null ? ref Unsafe.Add(ref bytes, header.OffsetsAt) : ref MemoryMarshal.GetArrayDataReference(offsets);
        Length = header.Containers;
    }

    // Whether it lies in bytes of the format.
    private bool IsImage => _byteCount != 0;

    // The heads from a container's on.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ref byte Heads(int index) => ref Unsafe.Add(ref _heads, (nint)index * SetHeader.HeadSize);

    // The upper 16 bits of a container's ids.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int Key(int index) => Unsafe.ReadUnaligned<ushort>(ref Heads(index));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int Cardinality(int index) => Unsafe.ReadUnaligned<ushort>(ref Unsafe.Add(ref Heads(index), sizeof(ushort))) + 1;

    public ContainerView this[int index]
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => IsImage ? InImage(ref _bytes, _byteCount, ref _heads, ref _offsets, _hasRunFlags, index, _origin)
            : Unsafe.Add(ref _containers, PlaceOf(index)).View(Cardinality(index));
    }

    // Where a container of an image starts, in the bytes that the caller gave; 0 on the heap.
    public long Offset(int index) => !IsImage ? 0 : _origin + PlaceOf(index);

    // The ids in all containers, as the heads say.
    public long CountIds()
    {
        long count = Length;
        for (int i = 0; i < Length; i++) count += Cardinality(i) - 1;
        return count;
    }

    // How many ids are before each container; the last entry is the number of all.
    public long[] CountsBefore()
    {
        long[] before = new long[Length + 1];
        for (int i = 0; i < Length; i++) before[i + 1] = before[i] + Cardinality(i);
        return before;
    }

    // The id of a rank below the last of the sums of CountsBefore.
    public uint IdAt(long rank, long[] before)
    {
        // No two sums are alike, so the container is the last one whose sum is at or below the rank.
        int at = before.AsSpan().BinarySearch(rank);
        if (at < 0) at = ~at - 1;
        return IdAt(at, (int)(rank - before[at]));
    }

    // The id of a container that has `rank` ids of it below it.
    public uint IdAt(int index, int rank)
    {
        ContainerView container = this[index];
        // Bytes that change meanwhile may have made an array shorter.
        if (container.Kind == ContainerKind.Array) rank = Math.Min(rank, container.Count - 1);
        return (uint)Key(index) << IdSet.KeyShift | ContainerOrder.Select(container, rank);
    }

    // The first container from `from` on whose key is not below `key`.
    public int Seek(int key, int from) => KeySearch.Seek(ref _heads, Length, key, from);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private uint PlaceOf(int index) => Unsafe.ReadUnaligned<uint>(ref Unsafe.Add(ref _offsets, (nint)index * SetHeader.OffsetSize));

    // A container of an image.
    // The bytes of the offset and of the number of runs may have changed since they were checked, so the bounds are checked again. All is
    // passed by value and inlined: a view whose address is lent would lie in memory for the whole of its method.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ContainerView InImage(
        ref byte bytes, int byteCount, ref byte heads, ref byte offsets, bool hasRunFlags, int index, long origin)
    {
        int cardinality = Unsafe.ReadUnaligned<ushort>(ref Unsafe.Add(ref heads, (nint)index * SetHeader.HeadSize + sizeof(ushort))) + 1;
        long offset = Unsafe.ReadUnaligned<uint>(ref Unsafe.Add(ref offsets, (nint)index * SetHeader.OffsetSize));
        int count = cardinality, size = cardinality * sizeof(ushort);
        ContainerKind kind = ContainerKind.Array;
        if (hasRunFlags && (Unsafe.Add(ref bytes, SetHeader.RunFlagsAt + (index >> 3)) >> (index & 7) & 1) != 0)
        {
            if (offset + sizeof(ushort) > byteCount) ThrowOutside(index, offset, byteCount, origin);
            kind = ContainerKind.Run;
            count = Unsafe.ReadUnaligned<ushort>(ref Unsafe.Add(ref bytes, (nint)offset));
            offset += sizeof(ushort);
            size = count * Unsafe.SizeOf<Run>();
        }
        else if (cardinality > Container.MaxArray) (kind, size) = (ContainerKind.Bitmap, Bitmap.Bytes);
        if (offset + size > byteCount) ThrowOutside(index, offset, byteCount, origin);
        return new(ref Unsafe.Add(ref bytes, (nint)offset), kind, count, cardinality);
    }

    [DoesNotReturn]
    private static void ThrowOutside(int index, long offset, int byteCount, long origin) =>
        throw new IdSetDamagedException(origin + offset, $"Container {index} reaches past the end of the {byteCount} bytes");
}

// The heads of a set: all that is read before two containers meet. Two fields stay in registers where a whole view lies in memory (count
// of two sets without a common key, 18 ns with views).
internal readonly ref struct SetHeads(ref byte heads, int length)
{
    private readonly ref byte _heads = ref heads;

    public readonly int Length = length;

    // The upper 16 bits of a container's ids.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int Key(int index) => Unsafe.ReadUnaligned<ushort>(ref Unsafe.Add(ref _heads, (nint)index * SetHeader.HeadSize));

    // Whether the keys of one end before those of the other begin, or one has none.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool LieApart(SetHeads other) =>
        Length == 0 || other.Length == 0 || Key(Length - 1) < other.Key(0) || other.Key(other.Length - 1) < Key(0);

    // As SetView.Seek.
    public int Seek(int key, int from) => KeySearch.Seek(ref _heads, Length, key, from);
}

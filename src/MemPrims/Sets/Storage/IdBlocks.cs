namespace MemPrims.Sets;

// Decodes a set block by block, upwards or backwards. A block is a whole container of up to 4096 ids, or a sixteenth of the id range of a
// larger one, so no block has more than 4096 ids. The buffer grows to the largest block. Upwards, arrays and runs are also read in pieces
// of any size, straight to where the caller wants them.
internal sealed class IdBlocks(IdSet set, bool backwards)
{
    private readonly int _version = set.Version;

    private const int Most = Container.MaxArray, PartShift = 12, Parts = Container.Universe / Most;

    // Fewer ids are copied out of a decoded block: a piece of a container takes a view and, in runs, a search.
    private const int FewestInPiece = 16;

    // The least buffer for small containers, and how many ids each is reckoned with.
    private const int UsualBlock = 256, IdsOfSmall = 4;

    // Backwards, the containers after the last are looked for at the first step.
    private int _container = backwards ? int.MaxValue : 0;

    // What is next in the container: upwards, the place of an id in an array, an id of runs, a sixteenth of a bitmap. Backwards, always a
    // sixteenth.
    private int _part = backwards ? Parts - 1 : 0;

    // The ids of the block that Next read, in the order of the way.
    public uint[] Ids { get; private set; } = [];

    public bool IsBackwards => backwards;

    // The same blocks from the first on.
    public IdBlocks Again() => new(set, backwards);

    // Reads the next block and returns how many ids it has; 0 at the end.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public int Next()
    {
        set.ThrowIfChangedSince(_version);
        SetView view = set.View();
        int count = 0;
        while (count == 0 && IsInside(view))
        {
            int most = Math.Min(view.Cardinality(_container), Most);
            if (Ids.Length < most)
            {
                // Small containers share a block.
                int usual = Math.Max(Ids.Length * 2, Math.Min(UsualBlock, view.Length * IdsOfSmall));
                Ids = GC.AllocateUninitializedArray<uint>(Math.Min(Most, Math.Max(most, usual)));
            }
            count = Read(view, Ids);
            while (IsInside(view) && view.Cardinality(_container) <= Ids.Length - count) count += Read(view, Ids.AsSpan(count));
        }
        GC.KeepAlive(set);
        return count;
    }

    // Writes what can be written without a buffer, and returns how many ids. 0 is not the end: the next block may be too large.
    public int TryReadInto(Span<uint> ids)
    {
        set.ThrowIfChangedSince(_version);
        SetView view = set.View();
        int written = 0;
        while (IsInside(view) && FitsDirect(view, ids.Length - written)) written += Read(view, ids[written..]);
        GC.KeepAlive(set);
        return written;
    }

    // Skips the blocks that lie before an id; never goes back.
    public void SkipTo(uint id)
    {
        set.ThrowIfChangedSince(_version);
        SetView view = set.View();
        int key = (int)(id >> IdSet.KeyShift), part = (ushort)id >> PartShift;
        if (backwards) SkipBack(view, key, part);
        else
        {
            int at = view.Seek(key, _container);
            if (at > _container) (_container, _part) = (at, 0);
            if (at < view.Length && view.Key(at) == key) _part = Math.Max(_part, PartUpwards(view[at], (ushort)id));
        }
        GC.KeepAlive(set);
    }

    private void SkipBack(in SetView view, int key, int part)
    {
        int at = view.Seek(key, 0);
        if (at == view.Length || view.Key(at) > key) (at, part) = (at - 1, Parts - 1);
        _container = Math.Min(_container, view.Length - 1);
        if (at < _container) (_container, _part) = (at, Parts - 1);
        if (at == _container && at >= 0) _part = Math.Min(_part, PartOf(view, part));
    }

    // Whole blocks need no look at what they are made of.
    private bool FitsDirect(in SetView view, int room) => room >= Math.Min(view.Cardinality(_container), Most)
        || room >= FewestInPiece && !backwards && view[_container].Kind != ContainerKind.Bitmap;

    private static int PartUpwards(in ContainerView container, ushort id) => container.Kind switch
    {
        ContainerKind.Array => (int)SortedSearch.LowerBound(container.Ids, id),
        ContainerKind.Run => id,
        _ => id >> PartShift,
    };

    // A container that is read at once has no parts to skip.
    private int PartOf(in SetView view, int part) => view.Cardinality(_container) > Most ? part : Parts - 1;

    private bool IsInside(in SetView view)
    {
        if (backwards) _container = Math.Min(_container, view.Length - 1);
        return (uint)_container < (uint)view.Length;
    }

    private int Read(in SetView view, Span<uint> to)
    {
        ContainerView container = view[_container];
        uint high = (uint)view.Key(_container) << IdSet.KeyShift;
        return !backwards && container.Kind != ContainerKind.Bitmap ? ReadPiece(container, high, to) : ReadBlock(container, high, to);
    }

    private int ReadPiece(in ContainerView container, uint high, Span<uint> to)
    {
        int count;
        bool isDone;
        if (container.Kind == ContainerKind.Array)
        {
            count = Math.Clamp(container.Count - _part, 0, to.Length);
            if (count > 0) ArrayDecode.Write(container.Ids.Slice(_part, count), high, to);
            _part += count;
            isDone = _part >= container.Count;
        }
        else
        {
            count = ContainerOrder.DecodePart(container, _part, ushort.MaxValue, high, to);
            // Bytes that nobody checked may hold runs out of order. The next id still rises.
            if (count > 0) _part = Math.Max(_part, (ushort)to[count - 1]) + 1;
            isDone = count < to.Length || _part >= Container.Universe;
        }
        if (isDone) (_container, _part) = (_container + 1, 0);
        return count;
    }

    private int ReadBlock(in ContainerView container, uint high, Span<uint> to)
    {
        bool isWhole = container.Cardinality <= Most;
        if (!isWhole && (uint)_part >= Parts)
        {
            // Bytes that change may make bits of ids or runs. The place in those is none in the bits, so the container is left.
            (_container, _part) = (_container + 1, 0);
            return 0;
        }
        int first = isWhole ? 0 : _part << PartShift, last = isWhole ? ushort.MaxValue : first + Most - 1;
        int count = ContainerOrder.DecodePart(
            container, first, last, high, to[..Math.Min(to.Length, isWhole ? container.Cardinality : Most)]);
        if (backwards) to[..count].Reverse();
        _part += backwards ? -1 : 1;
        if (isWhole || (uint)_part >= Parts) (_container, _part) = backwards ? (_container - 1, Parts - 1) : (_container + 1, 0);
        return count;
    }
}

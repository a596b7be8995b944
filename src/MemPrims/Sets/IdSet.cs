namespace MemPrims.Sets;

/// <summary>
/// A compressed set of 32-bit ids, kept in memory as in the portable Roaring format, which it reads and writes. Ids that share their
/// upper 16 bits are in one container: an array of 16-bit ids, a bitmap, or runs, whichever is smallest when it is built. A loaded
/// container keeps its kind until it is changed. A set that was opened frozen answers from the bytes where they lie, and refuses changes.
/// Many threads may read a set at once, as long as none changes it. Ids of type int in an array are taken by
/// <c>MemoryMarshal.Cast&lt;int, uint&gt;</c>.
/// </summary>
[CollectionBuilder(typeof(IdSetBuilder), nameof(IdSetBuilder.Create))]
public sealed partial class IdSet : IdSetBase<IdSet, uint>, IIdSet<IdSet, uint>
{
    internal const int KeyShift = 16;

    // An image, or containers, or neither in an empty set. Sets that were changed and large results have containers. An image takes what
    // the format takes and lies in one place: finding ten ids in ten containers touches two objects instead of eleven.
    private SetImage _image;
    private ContainerList? _containers;

    /// <summary>Makes an empty set.</summary>
    public IdSet()
    {
    }

    /// <summary>Makes a set of ids in any order, repeated or not.</summary>
    public IdSet(ReadOnlySpan<uint> ids) => Become(From(ids));

    private IdSet(SetImage image) => _image = image;

    internal IdSet(SetWriter result) => _containers = result.Finish(out _image);

    /// <inheritdoc/>
    public override long Count
    {
        get
        {
            long count = View().CountIds();
            GC.KeepAlive(this);
            return count;
        }
    }

    /// <inheritdoc/>
    public override bool IsEmpty => View().Length == 0;

    /// <inheritdoc/>
    public override bool IsFrozen => _image.IsForeign;

    // Whether its contents are known to be sound: all but those of foreign bytes that were opened without a check.
    internal bool IsChecked => !_image.Exists || _image.IsChecked;

    static IdSet IIdSet<IdSet, uint>.OfInterval(uint first, uint last)
    {
        SetWriter result = SetWriter.RentForImage();
        for (uint key = first >> KeyShift; key <= last >> KeyShift; key++)
        {
            int start = key == first >> KeyShift ? (ushort)first : 0, end = key == last >> KeyShift ? (ushort)last : ushort.MaxValue;
            ContainerBuild.Interval(start, end, (int)key, result);
        }
        return new(result);
    }

    static IdSet IIdSet<IdSet, uint>.FromOrdered(ReadOnlySpan<uint> ids)
    {
        SetWriter result = SetWriter.RentForImage();
        ushort[] low = new ushort[Math.Min(ids.Length, Container.Universe)];
        while (!ids.IsEmpty)
        {
            uint key = ids[0] >> KeyShift;
            ulong next = (ulong)(key + 1) << KeyShift;
            int count = next > uint.MaxValue ? ids.Length : (int)SortedSearch.GallopTo(ids, (uint)next);
            for (int i = 0; i < count; i++) low[i] = (ushort)ids[i];
            ContainerBuild.Ids(low.AsSpan(0, count), (int)key, result);
            ids = ids[count..];
        }
        return new(result);
    }

    /// <inheritdoc/>
    public override bool Contains(uint id)
    {
        bool found = _image.Exists ? _image.Contains(id) : _containers is { } containers && containers.Contains(id);
        GC.KeepAlive(this);
        return found;
    }

    /// <inheritdoc/>
    public override bool Add(uint id)
    {
        bool isNew = (_containers ?? Unpacked()).Add(id);
        Version += isNew ? 1 : 0;
        return isNew;
    }

    /// <inheritdoc/>
    public override bool Remove(uint id)
    {
        bool wasThere = (_containers ?? Unpacked()).Remove(id);
        Version += wasThere ? 1 : 0;
        return wasThere;
    }

    /// <inheritdoc/>
    public override void Optimize()
    {
        ThrowIfFrozen();
        SetView view = View();
        SetWriter result = SetWriter.RentForImage();
        for (int i = 0; i < view.Length; i++)
        {
            ContainerView container = view[i];
            if (container.Kind == ContainerKind.Array)
            {
                ContainerBuild.Ids(container.Ids, view.Key(i), result);
                continue;
            }
            ref ulong words = ref result.Words();
            Bitmap.Expand(ref words, container);
            ContainerBuild.Smallest(ref words, container.Cardinality, view.Key(i), result);
        }
        Replace(new(result));
    }

    /// <inheritdoc/>
    public override IdSet And(IdSet other) => SetPairs.Combine<AndIds>(this, other);

    /// <inheritdoc/>
    public override IdSet Or(IdSet other) => SetPairs.Combine<OrIds>(this, other);

    /// <inheritdoc/>
    public override IdSet Xor(IdSet other) => SetPairs.Combine<XorIds>(this, other);

    /// <inheritdoc/>
    public override IdSet AndNot(IdSet other) => SetPairs.Combine<AndNotIds>(this, other);

    static IdSet IIdSet<IdSet, uint>.Union(ReadOnlySpan<IdSet> sets) =>
        sets.Length == 2 ? sets[0].Or(sets[1]) : SetPairs.Union(sets);

    /// <inheritdoc/>
    public override long CountIntersection(IdSet other) => CountShared(SetErrors.NotNull(other), long.MaxValue);

    private protected override long FirstContainerAt => View().Offset(0);

    // A frozen set holds its bytes' owner. Without these the collector could end it while its bytes are read.
    internal override long CountShared(IdSet other, long enough)
    {
        long count = SetPairs.CountShared(this, other, enough);
        GC.KeepAlive(this);
        GC.KeepAlive(other);
        return count;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal SetView View() => _image.Exists ? _image.View() : _containers is { } containers ? containers.View() : default;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal SetHeads Heads() => _image.Exists ? _image.Heads() : _containers is { } containers ? containers.Heads() : default;

    // One container, for who knows that it is there.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ContainerView At(int index) => _image.Exists ? _image.At(index) : _containers!.View()[index];

    // The bytes of the image; 0 where containers lie apart.
    internal int ByteCount => _image.Length;

    // The containers of a set that is going to be changed.
    private ContainerList Unpacked()
    {
        ThrowIfFrozen();
        _containers = ContainerList.CopyOf(View());
        _image = default;
        return _containers;
    }

    private protected override void Become(IdSet? result)
    {
        if (_containers is not null) SetWriter.GiveBack(_containers.Containers);
        (_image, _containers) = result is null ? (default, null) : (result._image, result._containers);
    }
}

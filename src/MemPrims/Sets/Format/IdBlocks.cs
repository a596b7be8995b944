using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace MemPrims.Sets;

/// <summary>
/// Decodes a set block by block, upwards or backwards. A block is a whole container of up to 4096 ids, or a sixteenth of the id range of
/// a larger one, so no block has more than 4096 ids. The buffer grows to the largest block.
/// </summary>
internal struct IdBlocks(IdSet set, bool backwards)
{
    private readonly int _version = set.Version;

    private const int Most = 4096, PartShift = 12, Parts = Container.Universe / Most;

    // Backwards, the containers behind the last are looked for at the first step.
    private int _container = backwards ? int.MaxValue : 0, _part = backwards ? Parts - 1 : 0;

    /// <summary>The ids of the block that <see cref="Next"/> read, in the order of the way.</summary>
    public uint[] Ids { get; private set; } = [];

    public readonly bool IsBackwards => backwards;

    /// <summary>Reads the next block and returns how many ids it has; 0 at the end.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public int Next()
    {
        ThrowIfChanged();
        SetView view = set.View();
        int count = 0;
        while (count == 0 && IsInside(view))
        {
            int most = Math.Min(view.Cardinality(_container), Most);
            if (Ids.Length < most) Ids = GC.AllocateUninitializedArray<uint>(Math.Min(Most, Math.Max(most, Ids.Length * 2)));
            count = Read(view, Ids);
        }
        GC.KeepAlive(set);
        return count;
    }

    /// <summary>
    /// Writes whole blocks as far as they surely fit, and returns how many ids. 0 is not the end: the next block may be too large.
    /// </summary>
    public int TryReadInto(Span<uint> ids)
    {
        ThrowIfChanged();
        SetView view = set.View();
        int written = 0;
        while (IsInside(view) && ids.Length - written >= Math.Min(view.Cardinality(_container), Most))
            written += Read(view, ids[written..]);
        GC.KeepAlive(set);
        return written;
    }

    /// <summary>Skips the blocks that lie before an id; never goes back.</summary>
    public void SkipTo(uint id)
    {
        ThrowIfChanged();
        SetView view = set.View();
        int key = (int)(id >> 16), part = (ushort)id >> PartShift;
        if (backwards) SkipBack(view, key, part);
        else
        {
            int at = view.Seek(key, _container);
            if (at > _container) (_container, _part) = (at, 0);
            if (at < view.Length && view.Key(at) == key) _part = Math.Max(_part, PartOf(view, part));
        }
        GC.KeepAlive(set);
    }

    private readonly void ThrowIfChanged()
    {
        if (set.Version != _version) ThrowChanged();
    }

    [DoesNotReturn]
    internal static void ThrowChanged() => throw new InvalidOperationException(
        "The set was changed while its ids were read. Read a copy (Clone), or change the set after reading.");

    private void SkipBack(in SetView view, int key, int part)
    {
        int at = view.Seek(key, 0);
        if (at == view.Length || view.Key(at) > key) (at, part) = (at - 1, Parts - 1);
        _container = Math.Min(_container, view.Length - 1);
        if (at < _container) (_container, _part) = (at, Parts - 1);
        if (at == _container && at >= 0) _part = Math.Min(_part, PartOf(view, part));
    }

    // A container that is read at once has no parts to skip.
    private readonly int PartOf(in SetView view, int part) => view.Cardinality(_container) > Most ? part : backwards ? Parts - 1 : 0;

    private bool IsInside(in SetView view)
    {
        if (backwards) _container = Math.Min(_container, view.Length - 1);
        return (uint)_container < (uint)view.Length;
    }

    private int Read(in SetView view, Span<uint> to)
    {
        ContainerView container = view[_container];
        uint high = (uint)view.Key(_container) << 16;
        bool isWhole = container.Cardinality <= Most;
        int first = isWhole ? 0 : _part << PartShift, last = isWhole ? ushort.MaxValue : first + Most - 1;
        int count = ContainerOrder.DecodePart(
            container, first, last, high, to[..Math.Min(to.Length, isWhole ? container.Cardinality : Most)]);
        if (backwards) to[..count].Reverse();
        _part += backwards ? -1 : 1;
        if (isWhole || (uint)_part >= Parts) (_container, _part) = backwards ? (_container - 1, Parts - 1) : (_container + 1, 0);
        return count;
    }
}

using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace MemPrims.Sets;

/// <summary>
/// A compressed set of 32-bit ids, kept in memory as in the portable Roaring format, which it reads and writes. Ids that share their
/// upper 16 bits are in one container: an array of 16-bit ids, a bitmap, or runs, whichever is smallest when it is built. A loaded
/// container keeps its kind until it is changed. A set from <see cref="OpenFrozen(ReadOnlyMemory{byte}, bool)"/> answers from the bytes
/// where they lie, and refuses changes. Many threads may read a set at once, as long as none changes it. Ids of type int in an array are
/// taken by <c>MemoryMarshal.Cast&lt;int, uint&gt;</c>. <see cref="SetEquals"/> compares the ids; Equals compares references.
/// </summary>
[SuppressMessage("Naming", "CA1710", Justification = "The name is that of the thing; Collection would add nothing.")]
public sealed partial class IdSet : IReadOnlyCollection<uint>
{
    private const int KeyShift = 16;

    /// <summary>
    /// Up to this number, ids are put in or taken out one by one, which does not depend on the size of the set. Each takes 0.2 to 2 µs;
    /// to make the content anew takes 370 µs for 20,000 containers and 117 for 3 million dense ids.
    /// </summary>
    private const int MostOneByOne = 64;

    /// <summary>Sets of fewer ids are made anew at every interval.</summary>
    private const int FewestToKeep = 10_000;

    // An image, or containers, or neither in an empty set. Sets that were changed and large results have containers. An image takes what
    // the format takes and lies in one place: finding ten ids in ten containers touches two objects instead of eleven.
    private SetImage _image;
    private ContainerList? _containers;

    /// <summary>Makes an empty set.</summary>
    public IdSet()
    {
    }

    private IdSet(SetImage image) => _image = image;

    internal IdSet(SetWriter result) => _containers = result.Finish(out _image);

    /// <summary>Rises with every change, so that a reader notices that the set is no longer the one it began to read.</summary>
    internal int Version { get; private set; }

    /// <summary>The number of ids in the set.</summary>
    public long Count
    {
        get
        {
            long count = View().CountIds();
            GC.KeepAlive(this);
            return count;
        }
    }

    int IReadOnlyCollection<uint>.Count => checked((int)Count);

    /// <summary>Whether the set has no ids.</summary>
    public bool IsEmpty => View().Length == 0;

    /// <summary>Whether the set lies in bytes of its caller's, and cannot be changed.</summary>
    public bool IsFrozen => _image.IsForeign;

    /// <summary>Whether its contents are known to be sound: all but those of foreign bytes that were opened without a check.</summary>
    internal bool IsChecked => !_image.Exists || _image.IsChecked;

    /// <summary>Builds a set of ids that are strictly increasing.</summary>
    /// <exception cref="ArgumentException">They are not; the message says where the order breaks.</exception>
    public static IdSet FromSorted(ReadOnlySpan<uint> ids)
    {
        SortedIds.CheckSorted(ids);
        return FromOrdered(ids);
    }

    /// <summary>Builds a set of ids in any order, repeated or not.</summary>
    public static IdSet From(ReadOnlySpan<uint> ids) => SortedIds.IsSorted(ids) ? FromOrdered(ids) : FromOrdered(SortedIds.Distinct(ids));

    /// <summary>Builds the set of all ids from <paramref name="first"/> to <paramref name="last"/>, both included.</summary>
    /// <exception cref="ArgumentException">The first is above the last.</exception>
    public static IdSet FromInterval(uint first, uint last)
    {
        if (first > last) throw new ArgumentException($"The first id, {first}, is above the last, {last}. Swap them.", nameof(first));
        SetWriter result = SetWriter.RentForImage();
        for (uint key = first >> KeyShift; key <= last >> KeyShift; key++)
        {
            int start = key == first >> KeyShift ? (ushort)first : 0, end = key == last >> KeyShift ? (ushort)last : ushort.MaxValue;
            ContainerBuild.Interval(start, end, (int)key, result);
        }
        return new(result);
    }

    private static IdSet FromOrdered(ReadOnlySpan<uint> ids)
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

    /// <summary>Whether <paramref name="id"/> is in the set.</summary>
    [MethodImpl(Hot.Method)]
    public bool Contains(uint id)
    {
        bool found = _image.Exists ? _image.Contains(id) : _containers is { } containers && containers.Contains(id);
        GC.KeepAlive(this);
        return found;
    }

    /// <summary>Whether <paramref name="id"/> is in the set, which negative ids never are.</summary>
    public bool Contains(int id) => id >= 0 && Contains((uint)id);

    /// <summary>Puts an id into the set; false when it was there.</summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public bool Add(uint id)
    {
        bool isNew = (_containers ?? Unpacked()).Add(id);
        Version += isNew ? 1 : 0;
        return isNew;
    }

    /// <summary>
    /// Puts an id into the set; false when it was there. Ids are not negative: where yours are <see cref="int"/>, this checks them.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The id is negative.</exception>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public bool Add(int id)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(id);
        return Add((uint)id);
    }

    /// <summary>Takes an id out of the set; false when it was not there.</summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public bool Remove(uint id)
    {
        bool wasThere = (_containers ?? Unpacked()).Remove(id);
        Version += wasThere ? 1 : 0;
        return wasThere;
    }

    /// <summary>Takes an id out of the set; false when it was not there. Where your ids are <see cref="int"/>, this checks them.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The id is negative.</exception>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public bool Remove(int id)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(id);
        return Remove((uint)id);
    }

    /// <summary>Adds ids in any order, repeated or not.</summary>
    /// <remarks>
    /// Changes of many ids make the new content in one pass and put it in the place of the old, so they take time in proportion to the
    /// whole set. Only a few ids are put in or taken out one by one.
    /// </remarks>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public void AddRange(ReadOnlySpan<uint> ids)
    {
        ThrowIfFrozen();
        if (ids.Length <= MostOneByOne)
            foreach (uint id in ids) Add(id);
        else UnionWith(From(ids));
    }

    /// <summary>Takes out ids in any order, repeated or not.</summary>
    /// <inheritdoc cref="AddRange"/>
    public void RemoveRange(ReadOnlySpan<uint> ids)
    {
        ThrowIfFrozen();
        if (ids.Length <= MostOneByOne)
            foreach (uint id in ids) Remove(id);
        else ExceptWith(From(ids));
    }

    /// <summary>Adds all ids from <paramref name="first"/> to <paramref name="last"/>, both included.</summary>
    /// <exception cref="ArgumentException">The first is above the last.</exception>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public void AddInterval(uint first, uint last)
    {
        ThrowIfFrozen();
        if (IsShort(first, last))
            for (uint i = 0; i <= last - first; i++) Add(first + i);
        else UnionWith(FromInterval(first, last));
    }

    /// <summary>Takes out all ids from <paramref name="first"/> to <paramref name="last"/>, both included.</summary>
    /// <inheritdoc cref="AddInterval"/>
    public void RemoveInterval(uint first, uint last)
    {
        ThrowIfFrozen();
        if (IsShort(first, last))
            for (uint i = 0; i <= last - first; i++) Remove(first + i);
        else ExceptWith(FromInterval(first, last));
    }

    /// <summary>
    /// Takes out the ids from <paramref name="first"/> to <paramref name="last"/>, both included, that are in the set, and adds those
    /// that are not.
    /// </summary>
    /// <inheritdoc cref="AddInterval"/>
    public void Flip(uint first, uint last) => SymmetricExceptWith(FromInterval(first, last));

    /// <summary>
    /// Takes out all ids. The thread keeps the memory of large results' bitmaps, up to 512 KiB, for its next results. So clearing a
    /// result that is no longer needed makes the next one faster.
    /// </summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public void Clear()
    {
        ThrowIfFrozen();
        if (_containers is not null) SetWriter.GiveBack(_containers.Containers);
        (_image, _containers) = (default, null);
        Version++;
    }

    /// <summary>
    /// Turns every container into the kind that takes the fewest bytes. Building does so by itself, adding and removing do not.
    /// </summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public void Optimize()
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
        Become(new(result));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal SetView View() => _image.Exists ? _image.View() : _containers is { } containers ? containers.View() : default;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal SetHeads Heads() => _image.Exists ? _image.Heads() : _containers is { } containers ? containers.Heads() : default;

    /// <summary>One container, for who knows that it is there.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ContainerView At(int index) => _image.Exists ? _image.At(index) : _containers!.View()[index];

    /// <summary>The bytes of the image; 0 where containers lie apart.</summary>
    internal int ByteCount => _image.Length;

    // Few ids, in a set that is large enough for them to be few. Small sets keep the smallest kind of container by being made anew.
    private bool IsShort(uint first, uint last) => first <= last && last - first < MostOneByOne && Count > FewestToKeep;

    /// <summary>The containers of a set that is going to be changed.</summary>
    private ContainerList Unpacked()
    {
        ThrowIfFrozen();
        _containers = ContainerList.CopyOf(View(), _image.HasRunHeader);
        _image = default;
        return _containers;
    }

    /// <summary>Takes the content of a result, which nobody else has.</summary>
    private void Become(IdSet result)
    {
        if (_containers is not null) SetWriter.GiveBack(_containers.Containers);
        (_image, _containers) = (result._image, result._containers);
        Version++;
    }

    private void ThrowIfFrozen()
    {
        if (IsFrozen) SetErrors.ThrowFrozen();
    }
}

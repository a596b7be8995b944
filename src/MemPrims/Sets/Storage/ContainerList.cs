using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MemPrims.Sets;

/// <summary>
/// The containers of a set that was changed, or of a large result, each with an array of its own. Ids are put in and taken out here.
/// </summary>
internal sealed class ContainerList
{
    private const int KeyShift = 16;

    private uint[] _heads;
    private Container[] _containers;

    // The index in _containers of each container, in the order of the keys; behind them the free ones. An insertion moves four bytes here
    // for each container behind it, instead of sixteen in _containers.
    private uint[] _slots;
    private int _length, _lastChanged;

    /// <summary>Of containers in the order of their keys. The arrays belong to the list from now on.</summary>
    public ContainerList(uint[] heads, Container[] containers)
    {
        (_heads, _containers, _slots, _length) = (heads, containers, new uint[heads.Length], heads.Length);
        for (int i = 0; i < _slots.Length; i++) _slots[i] = (uint)i;
    }

    /// <summary>
    /// Whether what was loaded had the header for runs, which a set without runs may have too. Forgotten with the first change.
    /// </summary>
    public bool HasRunHeader { get; private set; }

    /// <summary>The containers, free ones among them.</summary>
    public ReadOnlySpan<Container> Containers => _containers;

    /// <summary>Takes an image apart into containers that can be changed.</summary>
    public static ContainerList CopyOf(in SetView view, bool hasRunHeader)
    {
        uint[] heads = new uint[view.Length];
        Container[] containers = new Container[view.Length];
        for (int i = 0; i < view.Length; i++)
        {
            heads[i] = Head(view.Key(i), view.Cardinality(i));
            containers[i] = Container.CopyOf(view[i]);
        }
        return new(heads, containers) { HasRunHeader = hasRunHeader };
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static uint Head(int key, int cardinality) => (uint)key | (uint)(cardinality - 1) << KeyShift;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public SetView View() => new(_heads, _slots, _containers, _length);

    public bool Contains(uint id)
    {
        int at = Find((int)(id >> KeyShift));
        return at >= 0 && At(at).View(0).Contains((ushort)id);
    }

    /// <summary>Puts an id in; false when it was there.</summary>
    public bool Add(uint id)
    {
        // Ids mostly come in order: behind the last id of the container that was changed last.
        int at = _lastChanged;
        if ((uint)at < (uint)_length && (ushort)_heads[at] == id >> KeyShift && ContainerChange.TryAppend(ref At(at), (ushort)id))
            return Changed(at, true, 1u << KeyShift);
        return AddAnywhere(id);
    }

    private bool AddAnywhere(uint id)
    {
        int at = PlaceOf(id);
        if (at >= 0) return Changed(at, ContainerChange.Add(ref At(at), (ushort)id), 1u << KeyShift);
        at = _lastChanged = View().Seek((int)(id >> KeyShift), 0);
        Insert(at, Head((int)(id >> KeyShift), 1), Container.OfId((ushort)id));
        return true;
    }

    /// <summary>Takes an id out; false when it was not there.</summary>
    public bool Remove(uint id)
    {
        int at = PlaceOf(id);
        if (at < 0) return false;
        int cardinality = (int)(_heads[at] >> KeyShift) + 1;
        if (cardinality > 1)
            return Changed(at, ContainerChange.Remove(ref At(at), cardinality, (ushort)id), unchecked((uint)-1 << KeyShift));
        if (!At(at).View(1).Contains((ushort)id)) return false;
        RemoveAt(at);
        return true;
    }

    /// <summary>The container of an id, which is often the one that was changed last; -1 when there is none.</summary>
    private int PlaceOf(uint id)
    {
        int at = _lastChanged, key = (int)(id >> KeyShift);
        if ((uint)at < (uint)_length && (ushort)_heads[at] == key) return at;
        at = Find(key);
        if (at >= 0) _lastChanged = at;
        return at;
    }

    private int Find(int key) => KeySearch.Find(ref Unsafe.As<uint, byte>(ref MemoryMarshal.GetArrayDataReference(_heads)), _length, key);

    private ref Container At(int index) => ref _containers[_slots[index]];

    private bool Changed(int at, bool changed, uint by)
    {
        if (!changed) return false;
        _heads[at] += by;
        HasRunHeader = false;
        return true;
    }

    private void Insert(int index, uint head, Container container)
    {
        if (_length == _heads.Length)
        {
            int capacity = Math.Max(4, _length * 2);
            Array.Resize(ref _heads, capacity);
            Array.Resize(ref _containers, capacity);
            Array.Resize(ref _slots, capacity);
            for (int i = _length; i < capacity; i++) _slots[i] = (uint)i;
        }
        Array.Copy(_heads, index, _heads, index + 1, _length - index);
        uint slot = _slots[_length];
        Array.Copy(_slots, index, _slots, index + 1, _length - index);
        _heads[index] = head;
        _slots[index] = slot;
        _containers[slot] = container;
        _length++;
        HasRunHeader = false;
    }

    private void RemoveAt(int index)
    {
        uint slot = _slots[index];
        _length--;
        Array.Copy(_heads, index + 1, _heads, index, _length - index);
        Array.Copy(_slots, index + 1, _slots, index, _length - index);
        _slots[_length] = slot;
        _containers[slot] = default;
        HasRunHeader = false;
    }
}

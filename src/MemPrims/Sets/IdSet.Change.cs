using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MemPrims.Sets;

public sealed partial class IdSet
{
    /// <summary>Puts an id into the set; false when it was there.</summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public bool Add(uint id)
    {
        // Ids mostly come in order: behind the last id of the container that was changed last.
        int at = _lastChanged;
        if ((uint)at < (uint)_length && (ushort)_heads[at] == id >> KeyShift && ContainerChange.TryAppend(ref ContainerAt(at), (ushort)id))
        {
            _heads[at] += 1u << KeyShift;
            Changed();
            return true;
        }
        return AddAnywhere(id);
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

    /// <summary>Takes an id out of the set; false when it was not there. Where your ids are <see cref="int"/>, this checks them.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The id is negative.</exception>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public bool Remove(int id)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(id);
        return Remove((uint)id);
    }

    private bool AddAnywhere(uint id)
    {
        BeforeChange();
        int at = PlaceOf(id);
        if (at < 0)
        {
            at = _lastChanged = View().Seek((int)(id >> KeyShift), 0);
            Insert(at, (int)(id >> KeyShift), 1, Container.OfId((ushort)id));
            Changed();
            return true;
        }
        return Changed(at, ContainerChange.Add(ref ContainerAt(at), (ushort)id), 1u << KeyShift);
    }

    /// <summary>Takes an id out of the set; false when it was not there.</summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public bool Remove(uint id)
    {
        BeforeChange();
        int at = PlaceOf(id);
        if (at < 0) return false;
        int cardinality = (int)(_heads[at] >> KeyShift) + 1;
        if (cardinality > 1)
            return Changed(at, ContainerChange.Remove(ref ContainerAt(at), cardinality, (ushort)id), unchecked((uint)-1 << KeyShift));
        if (!ContainerAt(at).View(1).Contains((ushort)id)) return false;
        RemoveContainer(at);
        return true;
    }

    /// <summary>The container of an id, which is often the one that was changed last; -1 when there is none.</summary>
    private int PlaceOf(uint id)
    {
        int at = _lastChanged, key = (int)(id >> KeyShift);
        if ((uint)at < (uint)_length && (ushort)_heads[at] == key) return at;
        at = KeySearch.Find(ref Unsafe.As<uint, byte>(ref MemoryMarshal.GetArrayDataReference(_heads)), _length, key);
        if (at >= 0) _lastChanged = at;
        return at;
    }

    private void RemoveContainer(int index)
    {
        uint slot = _slots[index];
        _length--;
        Array.Copy(_heads, index + 1, _heads, index, _length - index);
        Array.Copy(_slots, index + 1, _slots, index, _length - index);
        _slots[_length] = slot;
        _containers[slot] = default;
        Changed();
    }

    private bool Changed(int at, bool changed, uint by)
    {
        if (!changed) return false;
        _heads[at] += by;
        Changed();
        return true;
    }

    private void Changed()
    {
        _runHeader = false;
        Version++;
    }

    private void BeforeChange()
    {
        ThrowIfFrozen();
        Unpack();
    }

    internal const string FrozenMessage =
        "The set is frozen: its ids lie in bytes that are not its own. Clone() gives one that can be changed.";

    private void ThrowIfFrozen()
    {
        if (IsFrozen) Throw();

        [MethodImpl(MethodImplOptions.NoInlining)]
        static void Throw() => throw new NotSupportedException(FrozenMessage);
    }
}

using System.Runtime.CompilerServices;

namespace MemPrims.Sets;

public sealed partial class IdSet
{
    /// <summary>Puts an id into the set; false when it was there.</summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public bool Add(uint id)
    {
        // Ids mostly come in order: behind the last id of the container that was changed last.
        int at = _lastChanged;
        if ((uint)at < (uint)_length && (ushort)_heads[at] == id >> KeyShift && ContainerChange.TryAppend(ref _containers[at], (ushort)id))
        {
            _heads[at] += 1u << KeyShift;
            _runHeader = false;
            return true;
        }
        return AddAnywhere(id);
    }

    /// <summary>Puts an id into the set; false when it was there. Ids are not negative: where yours are <see cref="int"/>, this checks them.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The id is negative.</exception>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public bool Add(int id)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(id);
        return Add((uint)id);
    }

    private bool AddAnywhere(uint id)
    {
        BeforeChange();
        int key = (int)(id >> KeyShift), at = View().Seek(key, 0);
        _lastChanged = at;
        if (at == _length || View().Key(at) != key)
        {
            Insert(at, key, 1, Container.OfIds([(ushort)id]));
            _runHeader = false;
            return true;
        }
        return Changed(at, ContainerChange.Add(ref _containers[at], (ushort)id), 1);
    }

    /// <summary>Takes an id out of the set; false when it was not there.</summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public bool Remove(uint id)
    {
        BeforeChange();
        int at = View().Find((int)(id >> KeyShift));
        if (at < 0) return false;
        if (View().Cardinality(at) > 1)
            return Changed(at, ContainerChange.Remove(ref _containers[at], View().Cardinality(at), (ushort)id), -1);
        if (!View()[at].Contains((ushort)id)) return false;
        _length--;
        _heads.AsSpan(at + 1, _length - at).CopyTo(_heads.AsSpan(at));
        _containers.AsSpan(at + 1, _length - at).CopyTo(_containers.AsSpan(at));
        _containers[_length] = default;
        _runHeader = false;
        return true;
    }

    private bool Changed(int at, bool changed, int by)
    {
        if (!changed) return false;
        SetView view = View();
        _heads[at] = Head(view.Key(at), view.Cardinality(at) + by);
        _runHeader = false;
        return true;
    }

    private void BeforeChange()
    {
        ThrowIfFrozen();
        Unpack();
    }

    internal const string FrozenMessage = "The set is frozen: its ids lie in bytes that are not its own. Clone() gives one that can be changed.";

    private void ThrowIfFrozen()
    {
        if (IsFrozen) Throw();

        [MethodImpl(MethodImplOptions.NoInlining)]
        static void Throw() => throw new NotSupportedException(FrozenMessage);
    }
}

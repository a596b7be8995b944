using System.Collections;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MemPrims.Sets;

/// <summary>
/// A compressed set of 64-bit ids: an <see cref="IdSet"/> for each upper half that has ids. It reads and writes the 64-bit form of the
/// portable Roaring format: u64 number of upper halves; for each, in order, u32 upper half and a 32-bit set. Many threads may read a set
/// at once, as long as none changes it.
/// </summary>
[SuppressMessage("Naming", "CA1710", Justification = "The name is that of the thing; Collection would add nothing.")]
public sealed partial class IdSet64 : IReadOnlyCollection<ulong>
{
    internal const int KeyShift = 32;

    // The upper halves in order, and for each the lower halves. None of these sets is empty.
    private readonly List<uint> _keys = [];
    private readonly List<IdSet> _sets = [];

    /// <summary>Rises with every change, so that a reader notices that the set is no longer the one it began to read.</summary>
    internal int Version { get; private set; }

    /// <summary>The number of ids in the set; 2^64 ids, which do not fit, count as <see cref="long.MaxValue"/>.</summary>
    public long Count
    {
        get
        {
            ulong count = 0;
            foreach (IdSet set in _sets) count += (ulong)set.Count;
            return (long)Math.Min(count, long.MaxValue);
        }
    }

    /// <summary>Whether the set has no ids.</summary>
    public bool IsEmpty => _sets.Count == 0;

    /// <summary>Whether the set lies in bytes of its caller's, and cannot be changed.</summary>
    public bool IsFrozen { get; private init; }

    internal int Parts => _sets.Count;

    internal ReadOnlySpan<uint> Keys => CollectionsMarshal.AsSpan(_keys);

    /// <summary>Whether <paramref name="id"/> is in the set.</summary>
    public bool Contains(ulong id)
    {
        int at = Find((uint)(id >> KeyShift));
        return at >= 0 && _sets[at].Contains((uint)id);
    }

    /// <summary>Whether <paramref name="id"/> is in the set, which negative ids never are.</summary>
    public bool Contains(long id) => id >= 0 && Contains((ulong)id);

    /// <summary>Puts an id into the set; false when it was there.</summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public bool Add(ulong id)
    {
        ThrowIfFrozen();
        uint key = (uint)(id >> KeyShift);
        int at = Find(key);
        if (at >= 0)
        {
            bool isNew = _sets[at].Add((uint)id);
            Version += isNew ? 1 : 0;
            return isNew;
        }
        _keys.Insert(~at, key);
        _sets.Insert(~at, IdSet.FromSorted([(uint)id]));
        Version++;
        return true;
    }

    /// <summary>
    /// Puts an id into the set; false when it was there. Ids are not negative: where yours are <see cref="long"/>, this checks them.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The id is negative.</exception>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public bool Add(long id)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(id);
        return Add((ulong)id);
    }

    /// <summary>Takes an id out of the set; false when it was not there.</summary>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public bool Remove(ulong id)
    {
        ThrowIfFrozen();
        int at = Find((uint)(id >> KeyShift));
        if (at < 0 || !_sets[at].Remove((uint)id)) return false;
        if (_sets[at].IsEmpty) RemovePart(at);
        Version++;
        return true;
    }

    /// <summary>Takes an id out of the set; false when it was not there. Where your ids are <see cref="long"/>, this checks them.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The id is negative.</exception>
    /// <exception cref="NotSupportedException">The set is frozen.</exception>
    public bool Remove(long id)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(id);
        return Remove((ulong)id);
    }

    /// <summary>All ids in order.</summary>
    /// <exception cref="InvalidOperationException">An array does not take so many.</exception>
    /// <exception cref="IdSetDamagedException">The set was opened without a check, and its bytes are damaged.</exception>
    public ulong[] ToArray()
    {
        ulong[] ids = new ulong[IdSet.LengthOfArray(Count)];
        if (Decode(ids) != ids.Length) IdSet.ThrowChanged(0);
        return ids;
    }

    /// <summary>Writes all ids in order.</summary>
    /// <exception cref="ArgumentException">The destination is too short; nothing is written.</exception>
    /// <exception cref="IdSetDamagedException">The set was opened without a check, and its bytes are damaged.</exception>
    public void CopyTo(Span<ulong> destination)
    {
        long count = Count;
        if (destination.Length < count) IdSet.ThrowNoRoom(count, destination.Length);
        Decode(destination);
    }

    private int Decode(Span<ulong> destination)
    {
        int count = 0;
        for (int i = 0; i < _sets.Count; i++) count += _sets[i].Decode(destination[count..], Id(_keys[i], 0));
        return count;
    }

    /// <summary>Reads the ids in order, in blocks, with skips.</summary>
    public IdSet64Reader GetReader() => new(this, backwards: false);

    /// <summary>Reads the ids from the greatest to the least, in blocks, with skips.</summary>
    public IdSet64Reader GetReverseReader() => new(this, backwards: true);

    /// <summary>
    /// Goes through the ids in order. If the set is changed meanwhile, the next step throws an <see cref="InvalidOperationException"/>.
    /// The same holds for the readers and <see cref="Backwards"/>.
    /// </summary>
    public IEnumerator<ulong> GetEnumerator()
    {
        int version = Version;
        for (int i = 0; i < _sets.Count; i++)
        {
            uint key = _keys[i];
            foreach (uint low in _sets[i])
            {
                yield return Id(key, low);
                ThrowIfChangedSince(version);
            }
        }
    }

    /// <summary>The ids from the greatest to the least.</summary>
    /// <exception cref="InvalidOperationException">The set was changed meanwhile.</exception>
    public IEnumerable<ulong> Backwards()
    {
        int version = Version;
        for (int i = _sets.Count - 1; i >= 0; i--)
        {
            uint key = _keys[i];
            foreach (uint low in _sets[i].Backwards())
            {
                yield return Id(key, low);
                ThrowIfChangedSince(version);
            }
        }
    }

    internal void ThrowIfChangedSince(int version)
    {
        if (Version != version) IdBlocks.ThrowChanged();
    }

    int IReadOnlyCollection<ulong>.Count => checked((int)Count);

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    internal IdSet Part(int index) => _sets[index];

    internal static ulong Id(uint key, uint low) => (ulong)key << KeyShift | low;

    /// <summary>The place of an upper half; of one that is not there, the complement of the place where it belongs.</summary>
    internal int Find(uint key)
    {
        ReadOnlySpan<uint> keys = Keys;
        int at = (int)SortedSearch.LowerBound(keys, key);
        return at < keys.Length && keys[at] == key ? at : ~at;
    }

    private void Append(uint key, IdSet set)
    {
        _keys.Add(key);
        _sets.Add(set);
    }

    private void RemovePart(int index)
    {
        _keys.RemoveAt(index);
        _sets.RemoveAt(index);
    }

    private void ThrowIfFrozen()
    {
        if (IsFrozen) Throw();

        [MethodImpl(MethodImplOptions.NoInlining)]
        static void Throw() => throw new NotSupportedException(IdSet.FrozenMessage);
    }
}

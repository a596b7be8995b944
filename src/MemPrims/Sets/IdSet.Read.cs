using System.Collections;
using System.Numerics;

namespace MemPrims.Sets;

/// <content>From the set to its ids.</content>
public sealed partial class IdSet
{
    /// <summary>All ids in order.</summary>
    /// <exception cref="InvalidOperationException">An array does not take so many.</exception>
    /// <exception cref="IdSetDamagedException">The set was opened without a check, and its bytes are damaged.</exception>
    public uint[] ToArray()
    {
        // Foreign bytes may change meanwhile and leave a part unwritten: that part must not show old memory.
        int count = LengthOfArray(Count);
        uint[] ids = IsFrozen ? new uint[count] : GC.AllocateUninitializedArray<uint>(count);
        if (Decode(ids, 0u) != count) ThrowChanged(0);
        return ids;
    }

    /// <summary>Writes all ids in order.</summary>
    /// <exception cref="ArgumentException">The destination is too short; nothing is written.</exception>
    /// <exception cref="IdSetDamagedException">The set was opened without a check, and its bytes are damaged.</exception>
    public void CopyTo(Span<uint> destination)
    {
        long count = Count;
        if (destination.Length < count) ThrowNoRoom(count, destination.Length);
        Decode(destination, 0u);
    }

    /// <summary>
    /// Writes all ids in order with <paramref name="high"/> above them, and returns how many. The destination was large enough when the
    /// ids were counted: if it no longer is, the bytes of a frozen set have changed.
    /// </summary>
    internal int Decode<T>(Span<T> destination, T high) where T : unmanaged, IBinaryInteger<T>
    {
        SetView view = View();
        int count = 0;
        for (int i = 0; i < view.Length; i++)
        {
            ContainerView container = view[i];
            if (container.Cardinality > destination.Length) ThrowChanged(view.Offset(i));
            T above = high | T.CreateTruncating((uint)view.Key(i) << KeyShift);
            ContainerOrder.Decode(container, i, view.Offset(i), above, destination[..container.Cardinality]);
            destination = destination[container.Cardinality..];
            count += container.Cardinality;
        }
        GC.KeepAlive(this);
        return count;
    }

    /// <summary>Reads the ids in order, in blocks, with skips.</summary>
    public IdSetReader GetReader() => new(this, backwards: false);

    /// <summary>Reads the ids from the greatest to the least, in blocks, with skips.</summary>
    public IdSetReader GetReverseReader() => new(this, backwards: true);

    /// <summary>
    /// Goes through the ids in order. If the set is changed meanwhile, an <see cref="InvalidOperationException"/> says so once the ids
    /// decoded so far, at most 4096, are used up. The same holds for the readers and <see cref="Backwards"/>.
    /// </summary>
    public Enumerator GetEnumerator() => new(this, backwards: false);

    /// <summary>The ids from the greatest to the least.</summary>
    /// <exception cref="InvalidOperationException">The set was changed meanwhile.</exception>
    public IEnumerable<uint> Backwards()
    {
        using Enumerator ids = new(this, backwards: true);
        while (ids.MoveNext()) yield return ids.Current;
    }

    IEnumerator<uint> IEnumerable<uint>.GetEnumerator() => GetEnumerator();

    int IReadOnlyCollection<uint>.Count => checked((int)Count);

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    internal static int LengthOfArray(long count) => count <= Array.MaxLength
        ? (int)count
        : throw new InvalidOperationException($"The set has {count} ids, more than an array takes. Read them in blocks: GetReader().");

    internal static void ThrowChanged(long offset) =>
        throw new IdSetDamagedException(offset, "There are not as many ids as a moment ago: the bytes change while they are read");

    internal static void ThrowNoRoom(long count, int room) =>
        throw new ArgumentException($"The set has {count} ids, but the destination takes {room}. Give a longer one.", "destination");

    /// <summary>The ids of a set, one by one.</summary>
    public struct Enumerator : IEnumerator<uint>
    {
        private readonly IdSet _set;
        private readonly bool _backwards;
        private IdBlocks _blocks;
        private uint[] _ids = [];
        private int _next, _count;

        internal Enumerator(IdSet set, bool backwards)
        {
            _set = set;
            _backwards = backwards;
            _blocks = new(set, backwards);
        }

        /// <summary>The id under way.</summary>
        public readonly uint Current => _ids[_next - 1];

        readonly object IEnumerator.Current => Current;

        /// <summary>Moves to the next id; false when there is none.</summary>
        /// <exception cref="InvalidOperationException">The set was changed meanwhile.</exception>
        /// <exception cref="IdSetDamagedException">The set was opened without a check, and its bytes are damaged.</exception>
        public bool MoveNext()
        {
            if (_next < _count)
            {
                _next++;
                return true;
            }
            return NextBlock();
        }

        /// <summary>Goes back before the first id.</summary>
        public void Reset()
        {
            _next = _count = 0;
            _blocks = new(_set, _backwards);
        }

        /// <summary>Nothing to do.</summary>
        public readonly void Dispose()
        {
        }

        private bool NextBlock()
        {
            _count = _blocks.Next();
            _ids = _blocks.Ids;
            _next = Math.Min(1, _count);
            return _count > 0;
        }
    }
}

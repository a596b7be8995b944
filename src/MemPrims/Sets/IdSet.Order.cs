using System.Collections;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace MemPrims.Sets;

public sealed partial class IdSet
{
    /// <summary>The least id.</summary>
    /// <exception cref="InvalidOperationException">The set is empty.</exception>
    public uint Min => Select(0);

    /// <summary>The greatest id.</summary>
    /// <exception cref="InvalidOperationException">The set is empty.</exception>
    public uint Max => Select(Math.Max(0, Count - 1));

    /// <summary>How many ids are at or below <paramref name="id"/>.</summary>
    public long Rank(uint id)
    {
        SetView view = View();
        int key = (int)(id >> KeyShift), at = view.Seek(key, 0);
        long rank = 0;
        for (int i = 0; i < at; i++) rank += view.Cardinality(i);
        if (at < view.Length && view.Key(at) == key) rank += ContainerOrder.Rank(view[at], (ushort)id);
        GC.KeepAlive(this);
        return rank;
    }

    /// <summary>The id that has <paramref name="rank"/> ids below it.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The set has not that many ids.</exception>
    /// <exception cref="InvalidOperationException">The set is empty.</exception>
    public uint Select(long rank)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(rank);
        SetView view = View();
        if (view.Length == 0) ThrowEmpty();
        long left = rank;
        for (int i = 0; i < view.Length; i++)
        {
            int cardinality = view.Cardinality(i);
            if (left < cardinality)
            {
                uint id = (uint)view.Key(i) << KeyShift | ContainerOrder.Select(view[i], (int)left);
                GC.KeepAlive(this);
                return id;
            }
            left -= cardinality;
        }
        throw new ArgumentOutOfRangeException(nameof(rank), rank, $"The set has {Count} ids, so the last rank is {Count - 1}.");
    }

    /// <summary>All ids in order.</summary>
    public uint[] ToArray()
    {
        uint[] ids = new uint[checked((int)Count)];
        CopyTo(ids);
        return ids;
    }

    /// <summary>Writes all ids in order.</summary>
    /// <exception cref="ArgumentException">The destination is too short; nothing is written.</exception>
    public void CopyTo(Span<uint> destination)
    {
        SetView view = View();
        if (destination.Length < view.CountIds()) throw new ArgumentException($"The set has {view.CountIds()} ids, but the destination takes {destination.Length}.", nameof(destination));
        for (int i = 0; i < view.Length; i++)
        {
            ContainerView container = view[i];
            ContainerOrder.Decode(container, i, view.Offset(i), (uint)view.Key(i) << KeyShift, destination[..container.Cardinality]);
            destination = destination[container.Cardinality..];
        }
        GC.KeepAlive(this);
    }

    /// <summary>Reads the ids in order, in blocks, with skips.</summary>
    public IdSetReader GetReader() => new(this);

    /// <summary>Goes through the ids in order. The set must not be changed meanwhile.</summary>
    public Enumerator GetEnumerator() => new(this);

    IEnumerator<uint> IEnumerable<uint>.GetEnumerator() => GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    [DoesNotReturn, MethodImpl(MethodImplOptions.NoInlining)]
    private static void ThrowEmpty() => throw new InvalidOperationException("The set is empty: it has no least and no greatest id. Ask IsEmpty first.");

    /// <summary>The ids of a set, in order.</summary>
    public struct Enumerator : IEnumerator<uint>
    {
        // A container at a time: its ids are decoded in one go, which is faster than a state per kind.
        private readonly IdSet _set;
        private readonly uint[] _ids;
        private int _container, _next, _count;

        internal Enumerator(IdSet set)
        {
            _set = set;
            SetView view = set.View();
            int most = 0;
            for (int i = 0; i < view.Length; i++) most = Math.Max(most, view.Cardinality(i));
            _ids = most == 0 ? [] : new uint[most];
        }

        /// <summary>The id under way.</summary>
        public readonly uint Current => _ids[_next - 1];

        readonly object IEnumerator.Current => Current;

        /// <summary>Moves to the next id; false when there is none.</summary>
        public bool MoveNext()
        {
            if (_next < _count)
            {
                _next++;
                return true;
            }
            return NextContainer();
        }

        private bool NextContainer()
        {
            SetView view = _set.View();
            if (_container >= view.Length) return false;
            ContainerView container = view[_container];
            ContainerOrder.Decode(container, _container, view.Offset(_container), (uint)view.Key(_container) << KeyShift, _ids.AsSpan(0, container.Cardinality));
            _count = container.Cardinality;
            _container++;
            _next = 1;
            GC.KeepAlive(_set);
            return true;
        }

        /// <summary>Goes back before the first id.</summary>
        public void Reset() => _container = _next = _count = 0;

        /// <summary>Nothing to do.</summary>
        public readonly void Dispose()
        {
        }
    }
}

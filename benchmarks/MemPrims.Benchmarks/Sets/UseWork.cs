using MemPrims.Sets;

namespace MemPrims.Benchmarks.Sets;

/// <summary>Sets of one shape, and what is asked of each of them.</summary>
internal sealed unsafe class UseWork
{
    private const int BlockSize = 1024;

    private readonly Random _random = new(5);
    private readonly uint[][] _ids;
    private readonly IdSet[] _sets;
    private readonly IdSet[] _results;
    private readonly byte[][] _bytes;
    private readonly CRoaring[] _peers = [];
    private readonly nint[] _peerResults = [];
    private readonly uint[] _room = GC.AllocateUninitializedArray<uint>(2_000_000, pinned: true);
    private readonly byte[] _to = GC.AllocateUninitializedArray<byte>(8_000_000, pinned: true);
    private uint[][] _probes = [];

    public UseWork(SetShape shape) : this(shape.Draw(shape.Size * shape.Containers > 40_000 ? 32 : 256)) => Shape = shape;

    public UseWork(uint[][] ids)
    {
        _ids = ids;
        _sets = [.. _ids.Select(ids => IdSet.FromSorted(ids))];
        // Pinned: the peer keeps pointers into the bytes that it opens.
        _bytes = [.. _sets.Select(Pinned)];
        _results = [.. _sets.Select((set, i) => set.Or(_sets[(i + 1) % _sets.Length]))];
        if (!CRoaring.IsAvailable) return;
        _peers = [.. _ids.Select(ids => new CRoaring(ids))];
        _peerResults = [.. _peers.Select((set, i) => CRoaring.Or(set.Handle, _peers[(i + 1) % _peers.Length].Handle))];
    }

    public SetShape? Shape { get; }

    public long Operations(string use) =>
        use.StartsWith("Contains", StringComparison.Ordinal) ? _probes.Sum(probes => probes.Length) : _sets.Length;

    /// <summary>Draws ids for every set: half of them are in it, half lie anywhere among its containers.</summary>
    public void DrawProbes(int each)
    {
        _probes = [.. _ids.Select(ids => Enumerable.Range(0, each).Select(_ => Probe(ids)).ToArray())];
        if (each == 1) Shuffle();
    }

    private uint Probe(uint[] ids)
    {
        uint id = ids[_random.Next(ids.Length)];
        return _random.Next(2) == 0 ? id : _random.Next(8) == 0 ? (uint)_random.NextInt64(1L << 32)
            : id & 0xFFFF0000 | (uint)_random.Next(65536);
    }

    // Sets are asked in another order each time, so that which kind comes next is not learned either.
    private void Shuffle()
    {
        for (int i = _sets.Length - 1; i > 0; i--)
        {
            int j = _random.Next(i + 1);
            (_ids[i], _ids[j]) = (_ids[j], _ids[i]);
            (_sets[i], _sets[j]) = (_sets[j], _sets[i]);
            (_bytes[i], _bytes[j]) = (_bytes[j], _bytes[i]);
            (_probes[i], _probes[j]) = (_probes[j], _probes[i]);
            if (_peers.Length > 0) (_peers[i], _peers[j]) = (_peers[j], _peers[i]);
        }
    }

    public long Contains()
    {
        long count = 0;
        for (int i = 0; i < _sets.Length; i++)
        {
            IdSet set = _sets[i];
            foreach (uint id in _probes[i]) count += set.Contains(id) ? 1 : 0;
        }
        return count;
    }

    public long ContainsByCRoaring()
    {
        long count = 0;
        for (int i = 0; i < _peers.Length; i++)
        {
            nint set = _peers[i].Handle;
            foreach (uint id in _probes[i]) count += CRoaring.Contains(set, id);
        }
        return count;
    }

    public long ContainsOneEach()
    {
        long count = 0;
        for (int i = 0; i < _sets.Length; i++) count += _sets[i].Contains(_probes[i][0]) ? 1 : 0;
        return count;
    }

    public long ContainsOneEachByCRoaring()
    {
        long count = 0;
        for (int i = 0; i < _peers.Length; i++) count += CRoaring.Contains(_peers[i].Handle, _probes[i][0]);
        return count;
    }

    public long Decode()
    {
        long sum = 0;
        foreach (IdSet set in _sets)
        {
            set.CopyTo(_room);
            sum += _room[0];
        }
        return sum;
    }

    public long DecodeByCRoaring()
    {
        long sum = 0;
        fixed (uint* to = _room)
            foreach (CRoaring set in _peers)
            {
                CRoaring.ToArray(set.Handle, to);
                sum += _room[0];
            }
        return sum;
    }

    public long Iterate()
    {
        long sum = 0;
        foreach (IdSet set in _sets)
            foreach (uint id in set) sum += id;
        return sum;
    }

    public long Read()
    {
        long sum = 0;
        Span<uint> block = _room.AsSpan(0, BlockSize);
        foreach (IdSet set in _sets)
        {
            IdSetReader reader = set.GetReader();
            for (int count = reader.ReadMany(block); count > 0; count = reader.ReadMany(block))
                foreach (uint id in block[..count]) sum += id;
        }
        return sum;
    }

    public long ReadByCRoaring()
    {
        long sum = 0;
        fixed (uint* block = _room)
            foreach (CRoaring set in _peers)
            {
                nint iterator = CRoaring.CreateIterator(set.Handle);
                for (uint count = CRoaring.ReadIterator(iterator, block, BlockSize); count > 0; count =
                    CRoaring.ReadIterator(iterator, block, BlockSize))
                    for (uint i = 0; i < count; i++) sum += block[i];
                CRoaring.FreeIterator(iterator);
            }
        return sum;
    }

    public long Open()
    {
        long count = 0;
        for (int i = 0; i < _bytes.Length; i++) count += IdSet.OpenFrozen(_bytes[i]).Contains(_probes[i][0]) ? 1 : 0;
        return count;
    }

    public long OpenByCRoaring()
    {
        long count = 0;
        for (int i = 0; i < _bytes.Length; i++)
            fixed (byte* bytes = _bytes[i])
            {
                nint set = CRoaring.OpenFrozen(bytes);
                count += CRoaring.Contains(set, _probes[i][0]);
                CRoaring.Free(set);
            }
        return count;
    }

    public long Serialize() => Write(_sets);

    public long SerializeByCRoaring()
    {
        long sum = 0;
        fixed (byte* to = _to)
            foreach (CRoaring set in _peers) sum += (long)CRoaring.Serialize(set.Handle, to);
        return sum;
    }

    public long SerializeResults() => Write(_results);

    public long SerializeResultsByCRoaring()
    {
        long sum = 0;
        fixed (byte* to = _to)
            foreach (nint set in _peerResults) sum += (long)CRoaring.Serialize(set, to);
        return sum;
    }

    private long Write(IdSet[] sets)
    {
        long sum = 0;
        foreach (IdSet set in sets) sum += set.Serialize(_to.AsSpan());
        return sum;
    }

    private static byte[] Pinned(IdSet set)
    {
        byte[] bytes = GC.AllocateUninitializedArray<byte>((int)set.SerializedSize, pinned: true);
        set.Serialize(bytes.AsSpan());
        return bytes;
    }
}

using System.Runtime.CompilerServices;
using MemPrims.Benchmarks.Ratio;
using MemPrims.Benchmarks.Workloads;

namespace MemPrims.Benchmarks.Compare;

/// <summary>
/// The in-memory table of an LSM engine: a skip list of 300,000 keys, each a Memory of an array of its own. The comparer is exchanged,
/// all else stays. One batch of "look up" asks for 20,000 keys, three of four present; one of "insert" fills a list of 300,000.
/// </summary>
internal sealed class SkipListCases : IRatioCases
{
    private const int Keys = 300_000, LookUps = 20_000;

    public static IEnumerable<RatioCase> Cases()
    {
        foreach (bool prefixed in (bool[])[false, true])
        {
            string name = prefixed ? "60 bytes, 40 of them shared" : "documents/ and a number";
            yield return new("skip list", $"look up, {name}", () =>
            {
                SkipListKeys keys = new(prefixed, Keys, LookUps);
                SkipList<BlockMemoryOrder> ours = new();
                SkipList<BclMemoryOrder> bcl = new();
                SkipList<LibcMemoryOrder> libc = new();
                foreach (ReadOnlyMemory<byte> key in keys.All) _ = ours.Insert(key) & bcl.Insert(key) & libc.Insert(key);
                return new(LookUps, new("Block", () => ours.LookUp(keys.Asked)),
                    new("SequenceCompareTo", () => bcl.LookUp(keys.Asked), 1.05),
                    new Contender("memcmp", () => libc.LookUp(keys.Asked)))
                { Redraw = keys.Redraw };
            });
            yield return new("skip list", $"insert, {name}", () =>
            {
                SkipListKeys keys = new(prefixed, Keys, LookUps);
                return new(Keys, new("Block", () => Filled<BlockMemoryOrder>(keys)),
                    new("SequenceCompareTo", () => Filled<BclMemoryOrder>(keys), 1.05),
                    new Contender("memcmp", () => Filled<LibcMemoryOrder>(keys)))
                { Redraw = keys.Shuffle };
            });
        }
    }

    private static long Filled<TOrder>(SkipListKeys keys) where TOrder : struct, IMemoryOrder
    {
        SkipList<TOrder> list = new();
        long sum = 0;
        foreach (ReadOnlyMemory<byte> key in keys.All) sum += list.Insert(key) ? 1 : 0;
        return sum;
    }
}

/// <summary>The keys of a skip list, and the keys asked for.</summary>
internal sealed class SkipListKeys
{
    private readonly Random _random = new();
    private readonly bool _prefixed;

    public SkipListKeys(bool prefixed, int count, int lookUps)
    {
        _prefixed = prefixed;
        All = [.. Enumerable.Range(0, count).Select(id => Key(id))];
        Asked = new ReadOnlyMemory<byte>[lookUps];
        Shuffle();
        Redraw();
    }

    public ReadOnlyMemory<byte>[] All { get; }

    public ReadOnlyMemory<byte>[] Asked { get; }

    public void Shuffle() => _random.Shuffle(All);

    public void Redraw()
    {
        for (int i = 0; i < Asked.Length; i++) Asked[i] = Key(_random.Next(All.Length * 4 / 3));
    }

    private ReadOnlyMemory<byte> Key(int id) => System.Text.Encoding.ASCII.GetBytes(_prefixed
        ? $"tenant-0000042/collection-orders/customer{id * 7919L % 1_000_000_007,20:D20}" : $"documents/{id}");
}

internal interface IMemoryOrder
{
    static abstract int Compare(ReadOnlyMemory<byte> left, ReadOnlyMemory<byte> right);
}

internal readonly struct BlockMemoryOrder : IMemoryOrder
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Compare(ReadOnlyMemory<byte> left, ReadOnlyMemory<byte> right) => Block.Compare(left.Span, right.Span);
}

internal readonly struct BclMemoryOrder : IMemoryOrder
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Compare(ReadOnlyMemory<byte> left, ReadOnlyMemory<byte> right) => left.Span.SequenceCompareTo(right.Span);
}

internal readonly unsafe struct LibcMemoryOrder : IMemoryOrder
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Compare(ReadOnlyMemory<byte> left, ReadOnlyMemory<byte> right)
    {
        fixed (byte* l = left.Span, r = right.Span)
        {
            int order = LibcPeer.Compare(l, r, BlockKeyOrder.Shorter(left.Length, right.Length));
            return order != 0 ? order : left.Length - right.Length;
        }
    }
}

/// <summary>A skip list with a quarter of the nodes on each next level.</summary>
internal sealed class SkipList<TOrder> where TOrder : struct, IMemoryOrder
{
    private const int Levels = 12;

    private readonly Node _head = new(default, Levels);
    private readonly Node[] _before = new Node[Levels];
    private readonly Random _random = new(1);

    public bool Insert(ReadOnlyMemory<byte> key)
    {
        Node at = _head;
        for (int level = Levels - 1; level >= 0; level--)
        {
            at = Before(at, level, key);
            _before[level] = at;
        }
        if (at.Next[0] is { } next && TOrder.Compare(next.Key, key) == 0) return false;
        int levels = 1;
        while (levels < Levels && _random.Next(4) == 0) levels++;
        Node node = new(key, levels);
        for (int level = 0; level < levels; level++)
        {
            node.Next[level] = _before[level].Next[level];
            _before[level].Next[level] = node;
        }
        return true;
    }

    public long LookUp(ReadOnlyMemory<byte>[] keys)
    {
        long found = 0;
        foreach (ReadOnlyMemory<byte> key in keys)
        {
            Node at = _head;
            for (int level = Levels - 1; level >= 0; level--) at = Before(at, level, key);
            if (at.Next[0] is { } next && TOrder.Compare(next.Key, key) == 0) found++;
        }
        return found;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Node Before(Node at, int level, ReadOnlyMemory<byte> key)
    {
        while (at.Next[level] is { } next && TOrder.Compare(next.Key, key) < 0) at = next;
        return at;
    }

    private sealed class Node(ReadOnlyMemory<byte> key, int levels)
    {
        public readonly ReadOnlyMemory<byte> Key = key;
        public readonly Node?[] Next = new Node?[levels];
    }
}

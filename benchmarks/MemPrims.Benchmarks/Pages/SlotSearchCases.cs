using System.Runtime.CompilerServices;
using MemPrims.Benchmarks.Compare;
using MemPrims.Benchmarks.Ratio;
using MemPrims.Pages;

namespace MemPrims.Benchmarks.Pages;

/// <summary>
/// Finding a key in one of 16 pages of an engine's own layout, each query waiting for the one before; a quarter of the keys is missing.
/// The designs of Find, ns on Zen 5:
///
///                                                                   paths  urls  documents  orders  random 16  words
///   a plain loop with the compare in line                            72     65    72         66      64        103
///   no branch on the order, by the 8 bytes after what bounds share  103     98   107        100      87        112
///   so, with both keys that may be next on their way                 89     85    84         81      67         93
///   whole keys by Block.Compare, both on their way                   65     58    64         68      50         64
///   whole keys by the compare in line, both on their way             59     61    67         60      54         75
///   windows of 16 bytes learned from ties alone                      75     74    66         68      52         66
///   windows after what the first and the last key share (stayed)     56     57    70         55      53         66
///
/// FindByHead with its search of the heads as a call 58, 60, 38, 38, 42, 41; in line (stayed) 49, 51, 24, 25, 29, 32.
/// </summary>
internal sealed class SlotSearchCases : IRatioCases
{
    public static IEnumerable<RatioCase> Cases()
    {
        foreach ((string name, Func<Random, byte[][]> keys) in SlotKeyShapes.All)
        {
            yield return Search<SlotFind>(name, "Find", keys, 1.3);
            yield return Search<SlotFindByHead>(name, "FindByHead", keys, 3);
        }
    }

    private static RatioCase Search<TSearcher>(string name, string way, Func<Random, byte[][]> keys, double inLine)
        where TSearcher : struct, ISlotSearcher =>
        new("slot search", $"{name}, {way}", () =>
        {
            SlotWork work = new(keys);
            work.Agree<TSearcher, SlotBinarySearch<InLineKeyOrder>>();
            work.Agree<TSearcher, SlotBinarySearch<BclKeyOrder>>();
            return new(SlotWork.Queries, new(way, work.Run<TSearcher>),
                new("in line", work.Run<SlotBinarySearch<InLineKeyOrder>>, inLine),
                new Contender("SequenceCompareTo", work.Run<SlotBinarySearch<BclKeyOrder>>))
            { Redraw = work.Redraw, Close = work.Dispose };
        });
}

/// <summary>A way to find a key in a page of <see cref="EnginePage"/>.</summary>
internal unsafe interface ISlotSearcher
{
    static abstract int Find(byte* page, byte* key, int length, out bool found);
}

internal readonly unsafe struct SlotFind : ISlotSearcher
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Find(byte* page, byte* key, int length, out bool found) =>
        SlotSearch.Find<EnginePage>(page, new(key, length), out found);
}

internal readonly unsafe struct SlotFindByHead : ISlotSearcher
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Find(byte* page, byte* key, int length, out bool found) =>
        SlotSearch.FindByHead<EnginePage, ulong>(page, new(key, length), out found);
}

/// <summary>What engines write: halves, and a branch on the order.</summary>
internal readonly unsafe struct SlotBinarySearch<TOrder> : ISlotSearcher where TOrder : struct, IKeyOrder
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Find(byte* page, byte* key, int length, out bool found)
    {
        int low = 0, high = EnginePage.Count(page) - 1;
        while (low <= high)
        {
            int middle = (low + high) >>> 1;
            byte* other = EnginePage.Key(EnginePage.Node(page, middle), out int otherLength);
            int order = TOrder.Compare(key, length, other, otherLength);
            if (order == 0)
            {
                found = true;
                return middle;
            }
            if (order > 0) low = middle + 1;
            else high = middle - 1;
        }
        found = false;
        return low;
    }
}

/// <summary>A count, what keys share, slots of two bytes, heads; then nodes, each a length, the key, and 16 bytes of value.</summary>
internal readonly unsafe struct EnginePage : ISlotHeads<ulong>
{
    public const int Size = 64 << 10, FirstNode = 16 << 10, ValueSize = 16;
    private const int SlotsAt = 4, HeadsAt = 8 << 10;

    public static int Count(byte* page) => *(ushort*)page;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* Node(byte* page, int slot) => page + ((ushort*)(page + SlotsAt))[slot];

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* Key(byte* node, out int length)
    {
        length = *(ushort*)node;
        return node + sizeof(ushort);
    }

    public static ulong* Heads(byte* page) => (ulong*)(page + HeadsAt);

    public static ref ushort Shared(byte* page) => ref ((ushort*)page)[1];

    /// <summary>Fills the page; nodes lie in another order than their keys.</summary>
    public static void Fill(byte* page, byte[][] keys, Random random)
    {
        int[] order = [.. Enumerable.Range(0, keys.Length)];
        random.Shuffle(order);
        int at = FirstNode;
        foreach (int slot in order)
        {
            byte[] key = keys[slot];
            if (at + sizeof(ushort) + key.Length > Size) throw new InvalidOperationException($"{keys.Length} keys do not fit.");
            ((ushort*)(page + SlotsAt))[slot] = (ushort)at;
            *(ushort*)(page + at) = (ushort)key.Length;
            key.CopyTo(new Span<byte>(page + at + sizeof(ushort), key.Length));
            at += sizeof(ushort) + key.Length + ValueSize;
        }
        *(ushort*)page = (ushort)keys.Length;
        SlotSearch.RebuildHeads<EnginePage, ulong>(page);
    }
}

using System.Runtime.CompilerServices;
using MemPrims.Benchmarks.Compare;
using MemPrims.Benchmarks.Ratio;
using MemPrims.Pages;

namespace MemPrims.Benchmarks.Pages;

/// <summary>
/// Finding a key in one of 16 pages of an engine's own layout, or of 4,096 ("64 MB"), which no cache has; each query waits for the one
/// before; a quarter of the keys is missing. The designs of Find, ns on Zen 5:
///
///   in 16 pages                                                      paths  urls  documents  orders  random 16  words
///   a plain loop with the compare in line                            72     65    72         66      64        103
///   no branch on the order, by the 8 bytes after what bounds share  103     98   107        100      87        112
///   so, with both slots that may be next read ahead                  89     85    84         81      67         93
///   whole keys by Block.Compare, both slots ahead                    65     58    64         68      50         64
///   whole keys by the compare in line, both slots ahead              59     61    67         60      54         75
///   windows of 16 bytes learned from ties alone                      75     74    66         68      52         66
///   windows after what the first and the last key share              56     57    70         55      53         66
///   so, and branching on the order (stayed from 16 bytes on)         58     56     -         58      54          -
///   whole keys, the nodes of four steps ahead (stayed up to 15)       -      -    68          -       -         61
///
///   in 8,192 pages, by a program of 90, 90, 200, 200 and 250 keys    paths  urls  orders     random 16  words
///   a plain loop with the compare in line                            460    471   473        388        472
///   windows, no branch, both slots ahead                           1,107    978  1,019       887      1,068
///   so, the nodes of three steps ahead, two lines each               587    606   658        546        531
///   so, four steps, and the slots ahead                              561    594   555        462        490
///   windows, branching on the order                                  489    499   537        393        466
///   so, and the slots ahead (stayed from 16 bytes on)                479    499   489        380        446
///   so, and the nodes of two steps ahead                             477    493   490        373        442
///
/// A loop that branches runs ahead on its guess and has the next keys on their way. In Voron, reads took 0.92 to 1.04 of the control's
/// rate by windows without a branch, and 1.14 to 1.25 by these.
/// FindByHead with its search of the heads as a call 58, 60, 38, 38, 42, 41; in line (stayed) 49, 51, 24, 25, 29, 32.
/// </summary>
internal sealed class SlotSearchCases : IRatioCases
{
    // So many pages are in no cache.
    private const int Cold = 4096;

    public static IEnumerable<RatioCase> Cases()
    {
        foreach ((string name, Func<Random, byte[][]> keys) in SlotKeyShapes.All)
        {
            yield return Search<SlotFind>("slot search", 16, name, "Find", keys, 1.3);
            yield return Search<SlotFindByHead>("slot search", 16, name, "FindByHead", keys, 3);
            yield return Search<SlotFind>("slot search, 64 MB", Cold, name, "Find", keys, 1);
            yield return Search<SlotFindByHead>("slot search, 64 MB", Cold, name, "FindByHead", keys, 1.5);
        }
    }

    private static RatioCase Search<TSearcher>(
        string room, int pages, string name, string way, Func<Random, byte[][]> keys, double inLine)
        where TSearcher : struct, ISlotSearcher =>
        new(room, $"{name}, {way}", () =>
        {
            SlotWork work = new(keys, pages);
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

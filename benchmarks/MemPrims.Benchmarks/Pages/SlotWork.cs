using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MemPrims.Benchmarks.Pages;

/// <summary>Pages and queries for them, of which a quarter is mostly not there; each waits for the answer to the one before.</summary>
internal sealed unsafe class SlotWork : IDisposable
{
    public const int Queries = 4096;
    private const int KeyRoom = 256, Missing = 4;

    private readonly Random _random = new(5);
    private readonly byte[][][] _keys;
    private readonly int[] _pageOf = new int[Queries], _lengths = new int[Queries];
    private readonly byte* _pages, _queries;

    public SlotWork(Func<Random, byte[][]> keys, int pages)
    {
        _keys = new byte[pages][][];
        // Pages do not begin at the same place of the cache.
        _pages = (byte*)NativeMemory.AlignedAlloc((nuint)pages * (nuint)Stride, 64);
        _queries = (byte*)NativeMemory.AlignedAlloc(Queries * KeyRoom, 64);
        for (int page = 0; page < pages; page++) EnginePage.Fill(PageAt(page), _keys[page] = keys(_random), _random);
        Redraw();
    }

    private static int Stride => EnginePage.Size + 64 * 37;

    private byte* PageAt(int page) => _pages + (nint)page * Stride;

    public void Redraw()
    {
        for (int query = 0; query < Queries; query++)
        {
            int page = _random.Next(_keys.Length);
            byte[] key = _keys[page][_random.Next(_keys[page].Length)];
            byte* there = _queries + query * KeyRoom;
            key.CopyTo(new Span<byte>(there, KeyRoom));
            (_pageOf[query], _lengths[query]) = (page, key.Length);
            if (_random.Next(Missing) == 0) there[key.Length - 1]++;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public long Run<TSearcher>() where TSearcher : struct, ISlotSearcher
    {
        long sum = 0;
        int last = 0;
        for (int query = 0; query < Queries; query++)
        {
            // Positions are not negative: the shift gives 0, which the processor cannot know before the answer is there.
            byte* key = _queries + query * KeyRoom + (last >> 31);
            last = TSearcher.Find(PageAt(_pageOf[query]), key, _lengths[query], out bool found);
            sum += 2 * last + Unsafe.BitCast<bool, byte>(found);
        }
        return sum;
    }

    /// <summary>Throws unless both find each query at the same place.</summary>
    public void Agree<TLeft, TRight>() where TLeft : struct, ISlotSearcher where TRight : struct, ISlotSearcher
    {
        for (int query = 0; query < Queries; query++)
        {
            byte* page = PageAt(_pageOf[query]), key = _queries + query * KeyRoom;
            int left = TLeft.Find(page, key, _lengths[query], out bool leftFound);
            int right = TRight.Find(page, key, _lengths[query], out bool rightFound);
            if (left != right || leftFound != rightFound)
                throw new InvalidOperationException($"Query {query}: {typeof(TLeft)} and {typeof(TRight)} do not agree.");
        }
    }

    public void Dispose()
    {
        NativeMemory.AlignedFree(_pages);
        NativeMemory.AlignedFree(_queries);
    }
}

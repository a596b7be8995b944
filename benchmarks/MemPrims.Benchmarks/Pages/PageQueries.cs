using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using MemPrims.Pages;

namespace MemPrims.Benchmarks.Pages;

/// <summary>
/// A full page of 8 KiB, or many copies of it, and 1,024 queries of which three in four hit. Which query a call takes is drawn by a
/// generator whose state goes on from batch to batch, so that no predictor meets the same sequence twice; the queries fit the
/// first-level cache beside the page.
/// </summary>
internal sealed unsafe class PageQueries : IDisposable
{
    public const int Calls = 16_384, PageSize = 8192, ManyPages = (256 << 20) / PageSize;
    private const int Queries = 1024, QueryBits = 10, Slot = 24;
    private const ulong Multiplier = 6_364_136_223_846_793_005, Increment = 1_442_695_040_888_963_407;

    private readonly byte* _pages, _keys;
    private readonly int* _lengths;
    private readonly uint _pageMask;
    private readonly bool _attaches;
    private ulong _state = 88_172_645_463_325_252;

    /// <param name="keys">More keys than fit: what the page does not take makes the queries that miss.</param>
    /// <param name="pages">How many copies of the page; a power of two.</param>
    /// <param name="stray">Whether a key is added that shares nothing with the others.</param>
    /// <param name="attaches">Whether each search attaches the page first, as one does who cannot keep it.</param>
    public PageQueries(byte[][] keys, int pages = 1, bool stray = false, bool attaches = false)
    {
        _attaches = attaches || pages > 1;
        _pages = (byte*)NativeMemory.AlignedAlloc((nuint)pages * PageSize, 4096);
        _pageMask = (uint)pages - 1;
        SortedPage page = SortedPage.Create(new(_pages, PageSize));
        if (stray) page.TrySet([0], new byte[8]);
        // Every fourth key stays out: it is between those that are in.
        List<byte[]> there = [], missing = [];
        for (int i = 0; i < keys.Length; i++)
        {
            if (i % 4 == 3) missing.Add(keys[i]);
            else if (page.TrySet(keys[i], new byte[8])) there.Add(keys[i]);
            else break;
        }
        page.Validate();
        Count = page.Count;
        for (int i = 1; i < pages; i++) Block.Copy(_pages + (nint)i * PageSize, _pages, PageSize);
        _keys = (byte*)NativeMemory.AlignedAlloc(Queries * Slot, 4096);
        _lengths = (int*)NativeMemory.AlignedAlloc(Queries * sizeof(int), 64);
        Random random = new(5);
        for (int i = 0; i < Queries; i++)
        {
            List<byte[]> from = random.Next(4) == 0 ? missing : there;
            byte[] key = from[random.Next(from.Count)];
            key.CopyTo(new Span<byte>(_keys + i * Slot, Slot));
            _lengths[i] = key.Length;
        }
    }

    public int Count { get; }

    public void Dispose()
    {
        NativeMemory.AlignedFree(_pages);
        NativeMemory.AlignedFree(_keys);
        NativeMemory.AlignedFree(_lengths);
    }

    /// <summary>The results are only counted: calls overlap.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public long Independent<TSearcher>() where TSearcher : struct, IPageSearcher
    {
        ulong state = _state;
        long sum = 0;
        SortedPage first = SortedPage.Attach(new(_pages, PageSize));
        for (int i = 0; i < Calls; i++)
        {
            state = state * Multiplier + Increment;
            nint query = (nint)(state >> (64 - QueryBits));
            byte* at = _pages + (nint)((uint)(state >> 20) & _pageMask) * PageSize;
            SortedPage page = _attaches ? SortedPage.Attach(new(at, PageSize)) : first;
            bool found = TSearcher.Find(page, new(at, PageSize), _keys + query * Slot, _lengths[query], out int position);
            sum += position + Unsafe.BitCast<bool, byte>(found);
        }
        _state = state;
        return sum;
    }

    /// <summary>
    /// The next call waits for the result of the one before, which the caller branches on, as one does who wants the value.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public long Dependent<TSearcher>() where TSearcher : struct, IPageSearcher
    {
        ulong state = _state;
        int last = 0;
        SortedPage first = SortedPage.Attach(new(_pages, PageSize));
        for (int i = 0; i < Calls; i++)
        {
            state = state * Multiplier + Increment;
            nint query = (nint)(((state >> (64 - QueryBits)) + (uint)last) & (Queries - 1));
            byte* at = _pages + (nint)(((uint)(state >> 20) + (uint)last) & _pageMask) * PageSize;
            SortedPage page = _attaches ? SortedPage.Attach(new(at, PageSize)) : first;
            last = TSearcher.Find(page, new(at, PageSize), _keys + query * Slot, _lengths[query], out int position) ? position : ~position;
        }
        _state = state;
        return last;
    }
}

using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using MemPrims.Pages;

namespace MemPrims.Benchmarks.Pages;

/// <summary>
/// The page search for the `cold` command: a full page and its queries are made before the time runs, the loop is optimised at its first
/// call.
/// </summary>
internal static unsafe class ColdPageSearch
{
    private static byte* s_page;
    private static byte[][] s_queries = [];
    private static int s_next;

    /// <summary>Every fourth key stays out of the page, so three of four queries hit.</summary>
    public static void Prepare()
    {
        s_queries = PageKeys.Shuffled(PageKeys.Orders(360, 1_234_000))[..256];
        s_page = (byte*)NativeMemory.AlignedAlloc(PageQueries.PageSize, 4096);
        SortedPage page = SortedPage.Create(new(s_page, PageQueries.PageSize));
        for (int i = 0; i < s_queries.Length; i++)
            if (i % 4 != 3) page.TrySet(s_queries[i], new byte[8]);
    }

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public static long Of<TSearcher>(BlockPairs pairs) where TSearcher : struct, IPageSearcher
    {
        SortedPage page = SortedPage.Attach(new(s_page, PageQueries.PageSize));
        long sum = 0;
        for (int i = pairs.Count; i > 0; i--)
        {
            byte[] query = s_queries[s_next = (s_next * 5 + 77) & 255];
            fixed (byte* key = query)
                if (TSearcher.Find(page, new(s_page, PageQueries.PageSize), key, query.Length, out int position)) sum += position;
        }
        return sum;
    }
}

/// <summary>The binary search by SequenceCompareTo, optimised at its first call too: the harder peer.</summary>
internal readonly unsafe struct ColdBclBinarySearch : IPageSearcher
{
    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public static bool Find(SortedPage unused, Page page, byte* key, int length, out int position) =>
        BclBinarySearch.Search(page, key, length, out position);
}

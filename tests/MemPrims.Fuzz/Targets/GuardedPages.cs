using MemPrims.Pages;

namespace MemPrims.Fuzz;

/// <summary>A store whose pages lie apart, each before a guard page. It is filled anew for each input.</summary>
internal sealed unsafe class GuardedPages(int pageSize) : IPageStore
{
    private readonly List<GuardedMemory> _pages = [];
    private readonly Stack<uint> _free = new();
    private uint _count;

    public int PageSize => pageSize;

    public uint PageCount => _count + 1;

    public uint Root { get; set; }

    public int FreeCount => _free.Count;

    /// <summary>Takes the pages from an input; the last one may be cut.</summary>
    public void Fill(ReadOnlySpan<byte> pages, uint root)
    {
        _count = 0;
        _free.Clear();
        Root = root;
        for (; !pages.IsEmpty; pages = pages[Math.Min(pageSize, pages.Length)..])
        {
            Span<byte> page = new(Page(Allocate()), pageSize);
            page.Clear();
            pages[..Math.Min(pageSize, pages.Length)].CopyTo(page);
        }
    }

    public uint Allocate()
    {
        if (_free.TryPop(out uint free)) return free;
        if (_count == _pages.Count) _pages.Add(new(pageSize));
        return ++_count;
    }

    // A damaged tree may give back what it has given back.
    public void Free(uint page)
    {
        if (page - 1 < _count && !_free.Contains(page)) _free.Push(page);
    }

    public byte* Page(uint page) => page - 1 < _count ? _pages[(int)page - 1].EndingAtGuard(pageSize) : null;
}

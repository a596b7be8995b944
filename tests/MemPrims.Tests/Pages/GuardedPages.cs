using MemPrims.Pages;

namespace MemPrims.Tests.Pages;

// A store whose pages lie apart, each between two that cannot be touched.
internal sealed unsafe class GuardedPages(int pageSize) : IPageStore, IDisposable
{
    private readonly List<GuardedMemory> _pages = [];

    public int PageSize => pageSize;

    public uint PageCount => (uint)_pages.Count + 1;

    public uint Root { get; set; }

    public uint Allocate()
    {
        _pages.Add(new(pageSize));
        return (uint)_pages.Count;
    }

    public void Free(uint page)
    {
    }

    public byte* Page(uint page) => page - 1 < (uint)_pages.Count ? _pages[(int)page - 1].EndingAtGuard(pageSize) : null;

    public nint[] Addresses(int from) => [.. _pages.Skip(from - 1).Select(page => (nint)page.EndingAtGuard(pageSize))];

    public void Dispose() => _pages.ForEach(static page => page.Dispose());
}

using MemPrims.Pages;

namespace MemPrims.Tests.Pages;

// A store of the caller's own over pages in memory. It counts the pages that are out. It may be told to fail, or to do something: once at
// a change, or when a page but the root is asked for, and whenever a page was given back.
internal sealed unsafe class CallersStore : IPageStore, IDisposable
{
    public const string Full = "no room for a page";

    private readonly MemoryPages _pages = new(512);

    public int Room { get; set; } = int.MaxValue;

    // After so many calls of Allocate and Free the next ones fail.
    public int CallsLeft { get; set; } = int.MaxValue;

    public bool FreeFails { get; set; }

    public bool AllocateGivesZero { get; set; }

    public Action? OnChange { get; set; }

    public Action? OnPage { get; set; }

    public Action<uint>? OnFree { get; set; }

    public int Used { get; private set; }

    public int PageSize => _pages.PageSize;

    public uint PageCount => _pages.PageCount;

    public uint Root { get; set; }

    public uint Allocate()
    {
        if (AllocateGivesZero) return 0;
        if (Used >= Room || CallsLeft-- <= 0) throw new IOException(Full);
        Used++;
        return _pages.Allocate();
    }

    public void Free(uint page)
    {
        if (FreeFails || CallsLeft-- <= 0) throw new IOException("no page is taken back today");
        _pages.Free(page);
        Used--;
        OnFree?.Invoke(page);
    }

    public void BeginChange()
    {
        Action? act = OnChange;
        OnChange = null;
        act?.Invoke();
    }

    public byte* Page(uint page)
    {
        if (page != Root && OnPage is { } act)
        {
            OnPage = null;
            act();
        }
        return _pages.Page(page);
    }

    public void Dispose() => _pages.Dispose();
}

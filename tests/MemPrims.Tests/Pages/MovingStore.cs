using MemPrims.Pages;

namespace MemPrims.Tests.Pages;

// A store that uses all the freedom of its contract: with every page that it gives out or takes back, all pages move, and where they were
// is filled with DB. It may be told to fail, and counts the pages that are out.
internal sealed unsafe class MovingStore(int pageSize = 512) : IPageStore
{
    private readonly List<byte[]?> _pages = [null];
    private readonly Stack<uint> _free = new();

    // What was moved stays memory for a while, so that a use of it is a wrong answer and not the end of the process.
    private readonly List<byte[]> _moved = [];

    public bool FreeFails { get; set; }

    public bool AllocateGivesZero { get; set; }

    public int Used { get; private set; }

    public int PageSize => pageSize;

    public uint PageCount => (uint)_pages.Count;

    public uint Root { get; set; }

    public uint Allocate()
    {
        if (AllocateGivesZero) return 0;
        Move();
        Used++;
        if (_free.TryPop(out uint page))
        {
            _pages[(int)page] = NewPage();
            return page;
        }
        _pages.Add(NewPage());
        return PageCount - 1;
    }

    public void Free(uint page)
    {
        if (FreeFails) throw new IOException("no page is taken back today");
        Move();
        Assert.True(_pages[(int)page] is not null, "a page was given back twice");
        _pages[(int)page]!.AsSpan().Fill(0xDB);
        _pages[(int)page] = null;
        _free.Push(page);
        Used--;
    }

    public byte* Page(uint page) => page < PageCount && _pages[(int)page] is { } bytes
        ? (byte*)System.Runtime.InteropServices.Marshal.UnsafeAddrOfPinnedArrayElement(bytes, 0) : null;

    private void Move()
    {
        for (int i = 1; i < _pages.Count; i++)
        {
            if (_pages[i] is not { } old) continue;
            byte[] moved = NewPage();
            old.CopyTo(moved, 0);
            old.AsSpan().Fill(0xDB);
            _pages[i] = moved;
            _moved.Add(old);
        }
        if (_moved.Count > 10_000) _moved.RemoveRange(0, 5000);
    }

    private byte[] NewPage() => GC.AllocateArray<byte>(pageSize, pinned: true);
}

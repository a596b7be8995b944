namespace MemPrims.Records.Writing;

// Memory for the pages of transactions, aligned as pages are in the file. The garbage collector owns it: a span that a caller kept keeps
// its slab alive, and at worst changes a page that nobody looks at any more. For any thread.
internal sealed unsafe class PageArena
{
    // What a large transaction took beyond 16 MiB is given back when it ends.
    private const int FirstSlab = 16, LargestSlab = 512, KeptPages = 4096;

    private readonly OrderedLock _lock = new(LockOrder.Leaf);
    // A stack by hand: the runtime's collections over types of ours are compiled at their first call.
    private TouchedPage[] _free = new TouchedPage[FirstSlab];
    private int _freeCount, _taken;

    // A page with whatever was in it.
    public TouchedPage Take()
    {
        using OrderedLock.Scope held = _lock.Enter();
        if (_freeCount == 0) NewSlab();
        _taken++;
        TouchedPage page = _free[--_freeCount];
        _free[_freeCount] = default;
        return page;
    }

    public void Return(in TouchedPage page)
    {
        using OrderedLock.Scope held = _lock.Enter();
        _taken--;
        if (!page.GivenOut) Push(page.Bytes, page.Slab);
        if (_taken == 0 && _freeCount > KeptPages) (_free, _freeCount) = (new TouchedPage[FirstSlab], 0);
    }

    private void Push(byte* bytes, byte[] slab)
    {
        if (_freeCount == _free.Length) PageSet.Grow(ref _free, 2 * _freeCount);
        _free[_freeCount++] = new() { Bytes = bytes, Slab = slab };
    }

    // Each slab is as large as all before, within limits. The first page is taken first.
    private void NewSlab()
    {
        int pages = Math.Clamp(_taken, FirstSlab, LargestSlab);
        byte[] slab = GC.AllocateUninitializedArray<byte>((pages + 1) * PageHeader.PageBytes, pinned: true);
        byte* start = (byte*)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(slab)),
            first = (byte*)(((nint)start + PageHeader.PageBytes - 1) & -PageHeader.PageBytes);
        for (int page = pages - 1; page >= 0; page--)
            Push(first + (nint)page * PageHeader.PageBytes, slab);
    }
}

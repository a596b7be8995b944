using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using MemPrims.Records.Format;
using MemPrims.Records.Waiting;

namespace MemPrims.Records.Writing;

/// <summary>A page that a transaction touches: the writer's copy of it, and which lines that copy has.</summary>
internal unsafe struct TouchedPage
{
    public byte* Bytes;
    public ulong Lines;

    /// <summary>The memory that the bytes are in.</summary>
    public byte[] Slab;

    /// <summary>
    /// A span over these bytes was handed out. It may be kept for longer than the transaction, so the bytes are never used again.
    /// </summary>
    public bool GivenOut;
}

/// <summary>
/// Memory for the pages of transactions, aligned as pages are in the file. The garbage collector owns it: a span that a caller kept keeps
/// its slab alive, and at worst changes a page that nobody looks at any more. For any thread.
/// </summary>
internal sealed unsafe class PageArena
{
    // What a large transaction took beyond 16 MiB is given back when it ends.
    private const int FirstSlab = 16, LargestSlab = 512, KeptPages = 4096;

    private readonly OrderedLock _lock = new(LockOrder.Leaf);
    // A stack by hand: the runtime's collections over types of ours are compiled at their first call.
    private TouchedPage[] _free = new TouchedPage[FirstSlab];
    private int _freeCount, _taken;

    /// <summary>A page with whatever was in it.</summary>
    public TouchedPage Take()
    {
        using OrderedLock.Scope held = _lock.Enter();
        if (_freeCount == 0) NewSlab();
        _taken++;
        TouchedPage page = _free[--_freeCount];
        _free[_freeCount] = default;
        return page;
    }

    /// <summary>Takes a page back.</summary>
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

/// <summary>
/// The pages that a transaction, or a group of them that is committed together, has touched. Later transactions of a group look into the
/// sets of the earlier ones, so a set lives until the last who looks into it is done. The caller locks.
/// </summary>
internal sealed class PageSet(PageArena arena)
{
    private static readonly TouchedPage[] s_none = new TouchedPage[0];

    private int _users = 1;

    /// <summary>By page number; only some are filled.</summary>
    public TouchedPage[] Pages = s_none;

    /// <summary>The numbers of those that are filled.</summary>
    public List<int> Touched { get; } = [];

    public PageArena Arena => arena;

    public TouchedPage this[int page] => page < Pages.Length ? Pages[page] : default;

    /// <summary>Room for more pages than there were.</summary>
    public TouchedPage[] Room(int pages)
    {
        if (pages > Pages.Length) Grow(ref Pages, Math.Max(pages, Pages.Length + (Pages.Length >> 1) + 16));
        return Pages;
    }

    public static void Grow(ref TouchedPage[] pages, int length)
    {
        TouchedPage[] grown = new TouchedPage[length];
        Array.Copy(pages, grown, pages.Length);
        pages = grown;
    }

    public void Use() => _users++;

    /// <summary>Gives the pages back when nobody uses them any more; true then.</summary>
    public bool Release()
    {
        if (--_users > 0) return false;
        foreach (int page in Touched)
        {
            arena.Return(Pages[page]);
            Pages[page] = default;
        }
        Touched.Clear();
        _users = 1;
        return true;
    }

    /// <summary>
    /// Takes over the pages of a transaction that was built on this set; that one is empty then. <paramref name="copies"/>: whether pages
    /// of which a span was handed out are copied. The caller of an asynchronous commit goes on running, and may still store through the
    /// span.
    /// </summary>
    public unsafe void Take(PageSet later, bool copies)
    {
        Room(later.Pages.Length);
        foreach (int page in later.Touched)
        {
            TouchedPage taken = later.Pages[page];
            if (copies && taken.GivenOut)
            {
                TouchedPage own = arena.Take();
                own.Lines = taken.Lines;
                PageLines.Copy(taken.Bytes, own.Bytes, taken.Lines);
                arena.Return(taken);
                taken = own;
            }
            ref TouchedPage here = ref Pages[page];
            if (here.Bytes == null) Touched.Add(page);
            else
            {
                PageLines.Copy(here.Bytes, taken.Bytes, here.Lines & ~taken.Lines);
                taken.Lines |= here.Lines;
                arena.Return(here);
            }
            here = taken;
            later.Pages[page] = default;
        }
        later.Touched.Clear();
    }
}

using MemPrims.Records.Format;

namespace MemPrims.Records.Writing;

/// <summary>A page that a transaction touches: the writer's copy of it, and which lines that copy has.</summary>
internal unsafe struct TouchedPage
{
    public byte* Bytes;
    public ulong Lines;
    public int Slab;

    /// <summary>
    /// A span over these bytes was handed out. It may be kept for longer than the transaction, so the bytes are never used again.
    /// </summary>
    public bool GivenOut;

    /// <summary>The page was written to the file before the commit and has no bytes here. This is its checksum.</summary>
    public bool IsAhead;
    public uint Checksum;
}

/// <summary>
/// Memory for the pages of transactions, aligned as pages are in the file. The garbage collector owns it: a span that a caller kept keeps
/// its slab alive, and at worst changes a page that nobody looks at any more. The caller locks.
/// </summary>
internal sealed unsafe class PageArena
{
    // What a large transaction took beyond 16 MiB is given back when it ends.
    private const int FirstSlab = 16, LargestSlab = 512, KeptPages = 4096;

    private readonly List<Slab?> _slabs = [];
    private readonly Stack<(nint Page, int Slab)> _free = new();
    private int _taken, _pages;

    private sealed class Slab(byte[] memory, int usable)
    {
        public readonly byte[] Memory = memory;
        public int Usable = usable;
    }

    /// <summary>A page with whatever was in it.</summary>
    public TouchedPage Take()
    {
        if (_free.Count == 0) NewSlab();
        (nint page, int slab) = _free.Pop();
        _taken++;
        return new() { Bytes = (byte*)page, Slab = slab };
    }

    /// <summary>Takes a page back.</summary>
    public void Return(in TouchedPage page)
    {
        _taken--;
        if (!page.GivenOut) _free.Push(((nint)page.Bytes, page.Slab));
        else
        {
            _pages--;
            if (--_slabs[page.Slab]!.Usable == 0) _slabs[page.Slab] = null;
        }
        if (_taken > 0 || _pages <= KeptPages) return;
        _slabs.Clear();
        _free.Clear();
        _pages = 0;
    }

    private void NewSlab()
    {
        int pages = Math.Min(FirstSlab << Math.Min(_slabs.Count, 16), LargestSlab);
        int place = _slabs.IndexOf(null);
        if (place < 0) _slabs.Add(null);
        if (place < 0) place = _slabs.Count - 1;
        byte[] memory = GC.AllocateUninitializedArray<byte>((pages + 1) * PageHeader.PageBytes, pinned: true);
        fixed (byte* start = memory)
        {
            byte* first = (byte*)(((nint)start + PageHeader.PageBytes - 1) & -PageHeader.PageBytes);
            for (int page = pages - 1; page >= 0; page--) _free.Push(((nint)first + (nint)page * PageHeader.PageBytes, place));
        }
        _slabs[place] = new(memory, pages);
        _pages += pages;
    }
}

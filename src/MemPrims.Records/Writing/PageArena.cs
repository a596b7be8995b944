using MemPrims.Records.Format;

namespace MemPrims.Records.Writing;

/// <summary>A page that a transaction touches: the writer's copy of it, and which of its lines are in there yet.</summary>
internal unsafe struct TouchedPage
{
    public byte* Bytes;
    public ulong Lines;
}

/// <summary>Memory for the pages of one transaction after the other, aligned for their lines. It ends with the last object that holds it.</summary>
internal sealed unsafe class PageArena
{
    // What a large transaction took beyond 16 MiB is given back when it ends.
    private const int FirstSlab = 16, LargestSlab = 512, KeptPages = 4096;

    private readonly List<byte[]> _slabs = [];
    private byte* _next;
    private int _slab = -1, _left, _taken;

    /// <summary>A page with whatever was in it.</summary>
    public byte* Take()
    {
        if (_left == 0) NextSlab();
        byte* page = _next;
        _next += PageHeader.PageBytes;
        _left--;
        _taken++;
        return page;
    }

    /// <summary>All pages are free again.</summary>
    public void Reset()
    {
        if (_taken > KeptPages) _slabs.Clear();
        _slab = -1;
        _left = _taken = 0;
    }

    private void NextSlab()
    {
        if (++_slab == _slabs.Count)
        {
            int pages = Math.Min(FirstSlab << Math.Min(_slab, 16), LargestSlab);
            _slabs.Add(GC.AllocateUninitializedArray<byte>(pages * PageHeader.PageBytes + PageLines.Bytes, pinned: true));
        }
        byte[] slab = _slabs[_slab];
        fixed (byte* start = slab) _next = (byte*)(((nint)start + PageLines.Bytes - 1) & -PageLines.Bytes);
        _left = slab.Length / PageHeader.PageBytes;
    }
}

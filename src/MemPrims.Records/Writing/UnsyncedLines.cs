namespace MemPrims.Records.Writing;

// The lines that were written into pages and may not be on the disk, which each meta carries: see a small commit in FORMAT.md.
//
// A line leaves the list when a sync of the whole file has ended that began after its write. While one runs, later lines are in a list of
// their own: of these the sync promises nothing.
internal sealed unsafe class UnsyncedLines(uint slotBytes)
{
    // By page and copy.
    private Dictionary<int, ulong> _lines = [], _beingSynced = [];
    private readonly byte[] _carried = GC.AllocateUninitializedArray<byte>((int)slotBytes);

    // A page is about to be written into this copy. The disk then lacks the lines in which map and page differ, and those that it lacked.
    public void Add(int page, int copy, byte* after, byte* before)
    {
        ref ulong lines = ref CollectionsMarshal.GetValueRefOrAddDefault(_lines, page << 1 | copy, out _);
        for (int line = 0; line < PageHeader.PageBytes / PageLines.Bytes; line++)
            if (!Block.Equal(after + line * PageLines.Bytes, before + line * PageLines.Bytes, PageLines.Bytes)) lines |= 1UL << line;
    }

    public bool IsEmpty => _lines.Count + _beingSynced.Count == 0;

    // Everything is on the disk.
    public void Clear()
    {
        _lines.Clear();
        _beingSynced.Clear();
    }

    // A sync of the whole file begins. None runs.
    public void BeginSync() => (_lines, _beingSynced) = (_beingSynced, _lines);

    // What was written before that is on the disk.
    public void EndSync() => _beingSynced.Clear();

    // The lines of the active copies, which the map shows, as a meta's writes, until the next call. Null when they do not fit.
    public ReadOnlyMemory<byte>? Carried(int room, ulong[] active, PageMap map)
    {
        Span<byte> rest = _carried.AsSpan(0, room);
        foreach ((int index, ulong lines) in _lines)
            if (!TryCarry(ref rest, index, lines | _beingSynced.GetValueOrDefault(index), active, map)) return null;
        foreach ((int index, ulong lines) in _beingSynced)
            if (!_lines.ContainsKey(index) && !TryCarry(ref rest, index, lines, active, map)) return null;
        return _carried.AsMemory(0, room - rest.Length);
    }

    private bool TryCarry(ref Span<byte> rest, int index, ulong lines, ulong[] active, PageMap map)
    {
        int page = index >> 1, copy = index & 1;
        if ((int)(active[page >> 6] >> page & 1) != copy) return true;
        byte* bytes = map.Copy(page, copy);
        while (lines != 0)
        {
            (int start, int length) = PageLines.TakeRun(ref lines);
            if (!Redo.TryPut(ref rest, PageHeader.OffsetOf(slotBytes, page, copy) + start, new(bytes + start, length))) return false;
        }
        return true;
    }
}

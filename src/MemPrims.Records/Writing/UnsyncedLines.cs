using System.Runtime.InteropServices;
using MemPrims.Records.Format;
using MemPrims.Records.Reading;

namespace MemPrims.Records.Writing;

/// <summary>
/// The lines that were written into pages since the last sync of the whole file. A loss of power may take them, so each meta carries
/// those of the copies that are active in it, earlier commits' lines too. A commit then need not wait until its pages are on the disk,
/// but only until its meta is: one place to write in place of two.
/// </summary>
internal sealed unsafe class UnsyncedLines(uint slotBytes)
{
    // By page and copy.
    private readonly Dictionary<int, ulong> _lines = [];

    /// <summary>
    /// A page is about to be written into this copy. The disk then lacks the lines in which the map differs from the page, and those that
    /// it lacked before.
    /// </summary>
    public void Add(int page, int copy, byte* after, byte* before)
    {
        ref ulong lines = ref CollectionsMarshal.GetValueRefOrAddDefault(_lines, page << 1 | copy, out _);
        for (int line = 0; line < PageHeader.PageBytes / PageLines.Bytes; line++)
            if (!Block.Equal(after + line * PageLines.Bytes, before + line * PageLines.Bytes, PageLines.Bytes)) lines |= 1UL << line;
    }

    /// <summary>Everything is on the disk.</summary>
    public void Clear() => _lines.Clear();

    public bool IsEmpty => _lines.Count == 0;

    /// <summary>Puts the lines of the active copies, which the map shows, into a meta's writes. False when they do not fit.</summary>
    public bool TryCarry(Redo redo, long room, ulong[] active, PageMap map)
    {
        redo.Reset(room);
        foreach ((int index, ulong unsynced) in _lines)
        {
            int page = index >> 1, copy = index & 1;
            if ((int)(active[page >> 6] >> page & 1) != copy) continue;
            byte* bytes = map.Copy(page, copy);
            long offset = PageHeader.OffsetOf(slotBytes, page, copy);
            for (ulong lines = unsynced; lines != 0 && redo.HasRoom;)
            {
                (int start, int length) = PageLines.TakeRun(ref lines);
                redo.Add(offset + start, new(bytes + start, length));
            }
        }
        return redo.HasRoom;
    }
}

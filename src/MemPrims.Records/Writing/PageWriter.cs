using MemPrims.Records.Format;
using MemPrims.Records.Reading;
using MemPrims.Records.Storage;

namespace MemPrims.Records.Writing;

/// <summary>
/// Seals the pages of a commit and writes each into its inactive copy.
///
/// As a rule a page is written whole. Where nothing is synced and pieces are cheap, only the lines are written in which the inactive copy
/// differs from what it is to become. Those are the lines that the transaction touched, and the lines of the page's last commit, which
/// went into the other copy. What the two copies hold is known only to this writer, while it has the lock on the file: a page's first
/// commit is whole, and so is the one after a commit that failed.
///
/// The checksum of such a page is computed from the active copy's checksum and from what changed. Bytes that rot meanwhile in either copy
/// thus make it wrong, and are seen.
/// </summary>
internal sealed unsafe class PageWriter(IStorage storage, Durability durability, uint slotBytes)
{
    private readonly bool _wantsPieces = durability == Durability.ProcessCrash;
    private ulong[] _alike = [];

    /// <summary>
    /// Tells the storage of what the commit will write into a page, as far as it is known: the cache lines are then on their way.
    /// </summary>
    public void Expect(int page, ulong lines, FileState state)
    {
        if (!_wantsPieces || page >= _alike.Length || _alike[page] == 0) return;
        long offset = PageHeader.OffsetOf(slotBytes, page, state.ActiveCopyOf(page) ^ 1);
        for (lines |= ~_alike[page]; lines != 0;)
        {
            (int start, int length) = PageLines.TakeRun(ref lines);
            storage.Expect(offset + start, length);
        }
    }

    /// <summary>
    /// Writes a page of the commit that <paramref name="meta"/> describes, flips its bit, and returns by how much the sum of checksums
    /// grows. A commit that carries its lines gives <paramref name="unsynced"/>.
    /// </summary>
    public ulong Write(int page, PageSet set, in MetaHeader meta, ulong[] active, FileState state, PageMap map,
        UnsyncedLines? unsynced)
    {
        if (page >= _alike.Length) Array.Resize(ref _alike, Math.Max(page + 1, map.Pages));
        ulong alike = _wantsPieces && storage.WritesPieces ? _alike[page] : 0;
        // Until the commit is through, nobody knows what is in the copy.
        _alike[page] = 0;
        int copy = 0;
        uint before = 0;
        byte* old = null;
        if (page < state.PageCount)
        {
            int oldCopy = state.ActiveCopyOf(page);
            old = map.Copy(page, oldCopy);
            before = ((PageHeader*)old)->Checksum;
            copy = oldCopy ^ 1;
            active[page >> 6] ^= 1UL << page;
        }
        TouchedPage touched = set.Pages[page];
        PageLines.Copy(old, touched.Bytes, ~alike & ~touched.Lines);
        ref PageHeader header = ref *(PageHeader*)touched.Bytes;
        header = new()
        {
            Page = (uint)page,
            Transaction = meta.Transaction,
            RecordId = meta.RecordId,
            RecordVersion = meta.RecordVersion,
            RecordBytes = meta.RecordBytes,
            FixedBytes = meta.FixedBytes,
            Free = header.Free,
            Records = (ushort)Math.Min(state.RecordsPerPage, (int)meta.RecordCount - page * state.RecordsPerPage),
        };
        // Never from the bytes alone: lines that nobody touched may have rotted since the page was checked, and must not get a right
        // checksum.
        header.Checksum = old == null ? PageHeader.ChecksumOf(new(touched.Bytes, PageHeader.PageBytes), (uint)page)
            : before ^ PageDifference.Of(old, touched.Bytes, touched.Lines);
        long offset = PageHeader.OffsetOf(slotBytes, page, copy);
        unsynced?.Add(page, copy, touched.Bytes, map.Copy(page, copy));
        for (ulong lines = touched.Lines | ~alike; lines != 0;)
        {
            (int start, int length) = PageLines.TakeRun(ref lines);
            storage.Write(offset + start, new(touched.Bytes + start, length));
        }
        return (ulong)header.Checksum - before;
    }

    /// <summary>The commit of a page is through: its two copies are alike but for these lines.</summary>
    public void Committed(int page, ulong lines) => _alike[page] = ~lines;
}

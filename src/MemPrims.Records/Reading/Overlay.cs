namespace MemPrims.Records.Reading;

// What a reader sees of a small commit whose page writes were lost with the power: the meta carries them, and until a writer opens the
// file and writes them once more, they are applied to a copy in memory.
internal sealed unsafe class Overlay
{
    private readonly Dictionary<int, byte[]> _copies = [];

    private Overlay(Meta meta, PageMap map)
    {
        Transaction = meta.Header.Transaction;
        Chunks = [.. map.Chunks];
    }

    public ulong Transaction { get; }

    // As the map's, with copies in place of the chunks that lack something.
    public ulong[] Chunks { get; }

    // Null when the file has all that the meta carries, as it has unless power was lost.
    public static Overlay? Of(Meta meta, PageMap map, IStorage storage)
    {
        Overlay? overlay = null;
        ReadOnlySpan<byte> writes = meta.Redo;
        Span<byte> there = stackalloc byte[PageHeader.PageBytes];
        while (Redo.TryTake(ref writes, out long place, out ReadOnlySpan<byte> lines))
        {
            if (TryRead(storage, place, there[..lines.Length]) && lines.SequenceEqual(there[..lines.Length])) continue;
            overlay ??= new(meta, map);
            overlay.Copy((int)(Within(place, map) / PageMap.ChunkBytes), map, storage);
            lines.CopyTo(new(At(overlay.Chunks, place, map), lines.Length));
        }
        return overlay;
    }

    private static long Within(long place, PageMap map) => place - 2L * map.SlotBytes;

    private static byte* At(ulong[] chunks, long place, PageMap map) =>
        (byte*)chunks[Within(place, map) / PageMap.ChunkBytes] + Within(place, map) % PageMap.ChunkBytes;

    private void Copy(int chunk, PageMap map, IStorage storage)
    {
        if (_copies.ContainsKey(chunk)) return;
        int pages = Math.Min(PageMap.PagesPerChunk, map.Pages - chunk * PageMap.PagesPerChunk), bytes = pages * 2 * PageHeader.PageBytes;
        byte[] memory = GC.AllocateUninitializedArray<byte>(bytes + PageHeader.PageBytes, pinned: true);
        fixed (byte* start = memory)
        {
            byte* aligned = (byte*)(((nint)start + PageHeader.PageBytes - 1) & -PageHeader.PageBytes);
            new Span<byte>(aligned, bytes).Clear();
            long offset = PageHeader.OffsetOf(map.SlotBytes, chunk * PageMap.PagesPerChunk, 0);
            for (int at = 0; at < bytes; at += PageHeader.PageBytes)
                TryRead(storage, offset + at, new(aligned + at, PageHeader.PageBytes));
            Chunks[chunk] = (ulong)aligned;
        }
        _copies.Add(chunk, memory);
    }

    // By calls of the system, since a damaged file is opened to be checked. What cannot be read has none of the lines, and is not zeros
    // either: with the lines of the meta zeros could make a page that is whole, of which the file has nothing.
    private static bool TryRead(IStorage storage, long offset, Span<byte> to)
    {
        try
        {
            return storage.Read(offset, to) == to.Length;
        }
        catch (IOException)
        {
            to.Fill(0xFF);
            return false;
        }
    }
}

using MemPrims.Records.Format;

namespace MemPrims.Records.Reading;

/// <summary>
/// What a reader sees of a small commit whose page writes were lost with the power: the meta carries them, and until a writer opens the
/// file and writes them once more, they are applied to a copy in memory.
/// </summary>
internal sealed unsafe class Overlay
{
    private readonly Dictionary<int, byte[]> _copies = [];

    private Overlay(Meta meta, PageMap map)
    {
        Transaction = meta.Header.Transaction;
        Chunks = [.. map.Chunks];
    }

    /// <summary>The commit.</summary>
    public ulong Transaction { get; }

    /// <summary>As the map's, with copies in place of the chunks that lack something.</summary>
    public nint[] Chunks { get; }

    /// <summary>Null when the file has all that the meta carries, as it has unless power was lost.</summary>
    public static Overlay? Of(Meta meta, PageMap map)
    {
        Overlay? overlay = null;
        ReadOnlySpan<byte> writes = meta.Redo;
        while (Redo.TryTake(ref writes, out long place, out ReadOnlySpan<byte> lines))
        {
            if (new ReadOnlySpan<byte>(At(map.Chunks, place, map), lines.Length).SequenceEqual(lines)) continue;
            overlay ??= new(meta, map);
            overlay.Copy((int)(Within(place, map) / PageMap.ChunkBytes), map);
            lines.CopyTo(new(At(overlay.Chunks, place, map), lines.Length));
        }
        return overlay;
    }

    private static long Within(long place, PageMap map) => place - 2L * map.SlotBytes;

    private static byte* At(nint[] chunks, long place, PageMap map) =>
        (byte*)chunks[Within(place, map) / PageMap.ChunkBytes] + Within(place, map) % PageMap.ChunkBytes;

    private void Copy(int chunk, PageMap map)
    {
        if (_copies.ContainsKey(chunk)) return;
        int pages = Math.Min(PageMap.PagesPerChunk, map.Pages - chunk * PageMap.PagesPerChunk), bytes = pages * 2 * PageHeader.PageBytes;
        byte[] memory = GC.AllocateUninitializedArray<byte>(bytes + PageHeader.PageBytes, pinned: true);
        fixed (byte* start = memory)
        {
            byte* aligned = (byte*)(((nint)start + PageHeader.PageBytes - 1) & -PageHeader.PageBytes);
            Block.Copy(aligned, (byte*)Chunks[chunk], bytes);
            Chunks[chunk] = (nint)aligned;
        }
        _copies.Add(chunk, memory);
    }
}

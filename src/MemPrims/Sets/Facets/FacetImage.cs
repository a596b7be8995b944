namespace MemPrims.Sets;

// A FacetField as bytes, little-endian, without padding:
//     u64 "MPFACETS", u32 version 1, u32 values, u32 width, u32 layers, u32 chunks, u32 extras
//     u64 end of each name            (values)      counted from the first byte of the names
//     u64 end of each set             (values + 1)  the last one is that of all documents; counted from the first byte of the sets
//     u32 documents of each value     (values)
//     u32 key of each chunk           (chunks)      ascending; the upper half of its ids
//     u32 id, u32 ordinal             (extras)      the values of documents with more than there are layers
//     names, chunks (65,536 × layers cells of the width), sets (portable Roaring format)
//     u32 CRC-32C of all before
// What the header says is compared with the length before anything is read by it, in arithmetic that cannot overflow. Ends are checked
// where they are used.
internal sealed unsafe class FacetImage
{
    private const ulong Magic = 0x5354_4543_4146_504D; // "MPFACETS"
    private const int Version = 1, HeaderSize = 32;
    private const string Advice = "The bytes are damaged or no image of a facet field: restore them or build the field again.";

    private readonly ReadOnlyMemory<byte> _source;
    private readonly int _width, _layers, _chunks, _extras;
    private readonly long _namesAt, _chunksAt, _setsAt, _setsEnd;

    public FacetImage(ReadOnlyMemory<byte> source, bool validate)
    {
        _source = source;
        ReadOnlySpan<byte> bytes = source.Span;
        if (bytes.Length < HeaderSize + sizeof(uint) || BinaryPrimitives.ReadUInt64LittleEndian(bytes) != Magic)
            Throw("A facet field begins with \"MPFACETS\" and has 36 bytes at least", 0);
        if (U32(8) != Version) Throw($"The image has version {U32(8)}; this library reads version {Version}", 8);
        uint values = U32(12), width = U32(16), layers = U32(20), chunks = U32(24), extras = U32(28);
        if (width is not (1 or 2 or 4) || layers is not ((>= 1 and <= 4) or FacetColumn.MostLayers) || chunks > FacetColumn.ChunkDocuments)
            Throw($"{chunks} chunks of {layers} layers of {width} bytes cannot be", 16);
        // At most 2^32 × 20 + 2^16 × 2^22, so nothing overflows.
        _namesAt = HeaderSize + (long)values * 20 + sizeof(ulong) + chunks * 4L + extras * 8L;
        if (_namesAt > bytes.Length - sizeof(uint)) Throw($"{values} values, {chunks} chunks and {extras} extras do not fit", 12);
        (Values, _width, _layers, _chunks, _extras) = ((int)values, (int)width, (int)layers, (int)chunks, (int)extras);
        _chunksAt = _namesAt + EndOfName(Values - 1);
        _setsAt = _chunksAt + chunks * (long)FacetColumn.ChunkDocuments * width * layers;
        _setsEnd = bytes.Length - sizeof(uint);
        if (_chunksAt > _setsEnd || _setsAt > _setsEnd || _setsAt + EndOfSet(Values) != _setsEnd)
            Throw("Names, chunks and sets do not take up the bytes that there are", HeaderSize);
        if (!validate) return;
        uint said = BinaryPrimitives.ReadUInt32LittleEndian(bytes[^sizeof(uint)..]), sum = Checksum.Crc32C(bytes[..^sizeof(uint)]);
        if (said != sum) Throw($"The checksum is {sum:X8}, but {said:X8} was written", _setsEnd);
    }

    public int Values { get; }

    public static void Write(CheckedWriter destination, List<ReadOnlyMemory<byte>> names, ReadOnlySpan<int> totals, IdSet[] sets,
        FacetColumn column, Dictionary<uint, List<int>> extras)
    {
        if (extras.Count == 0) column = column.Narrowed();
        FacetColumn.Table places = column.Places;
        FacetColumn.Chunk[] chunks = places.Chunks;
        int[] keys = [.. Enumerable.Range(0, chunks.Length).Where(key => HasValues(chunks[key], column.ChunkBytes))];
        uint[] pairs = [.. extras.OrderBy(of => of.Key).SelectMany(of => of.Value.SelectMany(ordinal => (uint[])[of.Key, (uint)ordinal]))];
        byte[][] written = [.. sets.Select(set => set.ToByteArray())];
        uint sum = 0;
        Put<ulong>([Magic]);
        Put<int>([Version, names.Count, column.Width, column.Layers, keys.Length, pairs.Length / 2]);
        Put<long>(Ends(names.Count, ordinal => names[ordinal].Length));
        Put<long>(Ends(written.Length, ordinal => written[ordinal].Length));
        Put(totals);
        Put<int>(keys);
        Put<uint>(pairs);
        for (int i = 0; i < names.Count; i++) Put(names[i].Span);
        foreach (int key in keys) Put(new ReadOnlySpan<byte>(chunks[key].First, column.ChunkBytes));
        GC.KeepAlive(places);
        foreach (byte[] set in written) Put<byte>(set);
        Put<uint>([sum]);

        void Put<T>(scoped ReadOnlySpan<T> values) where T : unmanaged
        {
            ReadOnlySpan<byte> bytes = MemoryMarshal.AsBytes(values);
            destination.Write(bytes);
            sum = Checksum.Crc32C(sum, bytes);
        }

        static long[] Ends(int parts, Func<int, long> length)
        {
            long end = 0;
            return [.. Enumerable.Range(0, parts).Select(part => end += length(part))];
        }
    }

    // A chunk whose documents were all removed is not written.
    private static bool HasValues(FacetColumn.Chunk chunk, int bytes) =>
        chunk.Exists && new ReadOnlySpan<byte>(chunk.First, bytes).ContainsAnyExcept((byte)0);

    public ReadOnlyMemory<byte> Name(int ordinal)
    {
        long start = EndOfName(ordinal - 1), end = EndOfName(ordinal);
        if (end < start || end > _chunksAt - _namesAt)
            Throw($"Name {ordinal} cannot lie from {start} to {end}", HeaderSize + ordinal * 8L);
        return _source.Slice((int)(_namesAt + start), (int)(end - start));
    }

    // The documents of a value; those of all values, after the last one.
    public IdSet Set(int ordinal)
    {
        long start = EndOfSet(ordinal - 1), end = EndOfSet(ordinal);
        if (end < start || end > _setsEnd - _setsAt) Throw($"Set {ordinal} cannot lie from {start} to {end}", SetEndsAt + ordinal * 8L);
        try
        {
            return IdSet.OpenPart(_source.Slice((int)(_setsAt + start), (int)(end - start)), validate: false, _setsAt + start, out _);
        }
        catch (IdSetDamagedException damage)
        {
            throw damage.Behind(_setsAt + start);
        }
    }

    public int Total(int ordinal)
    {
        long at = TotalsAt + ordinal * 4L;
        uint total = U32(at);
        if (total > int.MaxValue) Throw($"{total} documents cannot have value {ordinal}", at);
        return (int)total;
    }

    public FacetColumn Column()
    {
        FacetColumn column = FacetColumn.Create(_width, _layers);
        PinnedMemory pinned = new(_source);
        long before = -1;
        int[] keys = new int[_chunks];
        for (int i = 0; i < _chunks; i++)
        {
            uint key = U32(KeysAt + i * 4L);
            if (key <= before || key >= FacetColumn.ChunkDocuments) Throw($"Chunk {key} follows chunk {before}", KeysAt + i * 4L);
            before = keys[i] = (int)key;
        }
        column.Attach(keys, pinned.First + _chunksAt, pinned);
        return column;
    }

    public IEnumerable<(uint Id, int Ordinal)> Extras()
    {
        long at = KeysAt + _chunks * 4L;
        for (int i = 0; i < _extras; i++, at += 8)
        {
            uint ordinal = U32(at + 4);
            if (ordinal >= (uint)Values) Throw($"An extra has the ordinal {ordinal} of {Values} values", at + 4);
            yield return (U32(at), (int)ordinal);
        }
    }

    [DoesNotReturn]
    public void ThrowTwice(int ordinal) => Throw($"The name of value {ordinal} stands twice", HeaderSize + ordinal * 8L);

    private long SetEndsAt => HeaderSize + Values * 8L;

    private long TotalsAt => SetEndsAt + (Values + 1) * 8L;

    private long KeysAt => TotalsAt + Values * 4L;

    private long EndOfName(int ordinal) => ordinal < 0 ? 0 : End(HeaderSize + ordinal * 8L);

    private long EndOfSet(int ordinal) => ordinal < 0 ? 0 : End(SetEndsAt + ordinal * 8L);

    private long End(long at)
    {
        ulong end = BinaryPrimitives.ReadUInt64LittleEndian(_source.Span[(int)at..]);
        if (end > (ulong)_source.Length) Throw($"A part cannot end at {end}", at);
        return (long)end;
    }

    private uint U32(long at) => BinaryPrimitives.ReadUInt32LittleEndian(_source.Span[(int)at..]);

    [DoesNotReturn]
    private static void Throw(string damage, long offset) =>
        throw new DamagedDataException($"{damage} (at byte {offset}). {Advice}", offset);

    // Memory that stays where it is until this is collected. A column that points into it keeps it.
    public sealed class PinnedMemory(ReadOnlyMemory<byte> memory)
    {
        private readonly ReadOnlyMemory<byte> _memory = memory;
        private MemoryHandle _handle = memory.Pin();

        ~PinnedMemory() => _handle.Dispose();

        public byte* First => (byte*)_handle.Pointer;
    }
}

namespace MemPrims.Records.Tests.Faults;

// One file on a disk with a page cache: what is on the platter, and which sectors are only in the cache. When power is lost the platter
// keeps any of those, in any order. Sectors of the meta slots are small, so that a meta can be torn within its header and before its
// bitmap.
internal sealed unsafe class CrashDisk : IDisposable
{
    public const int Capacity = 1 << 18, MetaEnd = 2 * MetaHeader.MinSlotBytes;
    private const int PageSector = 2048, SmallSectorsEnd = 256, LargeMetaSector = 1024;

    private readonly byte[] _platter = new byte[Capacity];
    private readonly List<Sector> _pending = [];
    private long _platterLength;
    private int _writes;

    private readonly record struct Sector(long Offset, byte[] From, int Start, int Length, double Chance, int Write);

    public CrashDisk() => View.Clear();

    public int MetaSector { get; set; } = 64;

    // What processes see and map.
    public byte* Cache { get; } = (byte*)NativeMemory.AlignedAlloc(Capacity, PageHeader.PageBytes);

    public long Length { get; private set; }

    public int Pending => _pending.Count;

    public Span<byte> View => new(Cache, Capacity);

    // An empty file, as a new process finds it.
    public void Clear()
    {
        View.Clear();
        _platter.AsSpan().Clear();
        _pending.Clear();
        Length = _platterLength = 0;
    }

    public void CopyFrom(CrashDisk other)
    {
        other.View.CopyTo(View);
        other._platter.CopyTo(_platter, 0);
        _pending.Clear();
        _pending.AddRange(other._pending);
        (Length, _platterLength) = (other.Length, other._platterLength);
    }

    public void Write(long offset, ReadOnlySpan<byte> bytes)
    {
        byte[] kept = bytes.ToArray();
        // Of a write that is lost, mostly some sectors are, and at times all or none.
        double chance = (++_writes % 5) switch { 0 => 0, 1 => 1, 2 => .9, _ => .5 };
        kept.CopyTo(View[(int)offset..]);
        Length = Math.Max(Length, offset + bytes.Length);
        for (int start = 0; start < kept.Length;)
        {
            int length = Math.Min(SectorAt(offset + start), kept.Length - start);
            _pending.Add(new(offset + start, kept, start, length, chance, _writes));
            start += length;
        }
    }

    public void Sync()
    {
        foreach (Sector sector in _pending) Persist(sector);
        _pending.Clear();
    }

    // How much was written so far.
    public int Writes => _writes;

    // The end of a sync that began after so many writes: of later ones it promises nothing.
    public void Sync(int writes)
    {
        foreach (Sector sector in _pending.Where(sector => sector.Write <= writes)) Persist(sector);
        _pending.RemoveAll(sector => sector.Write <= writes);
    }

    // The sync of a part: what else is unsynced stays so.
    public void Sync(long offset, int length)
    {
        foreach (Sector sector in _pending.Where(IsWithin)) Persist(sector);
        _pending.RemoveAll(IsWithin);

        bool IsWithin(Sector sector) => sector.Offset >= offset && sector.Offset < offset + length;
    }

    // What a failed sync does: the kernel takes the pages for clean, though they never reached the platter.
    public void FailSync() => _pending.Clear();

    // Each unsynced sector is kept or not, in any order.
    public void LosePower(Random random)
    {
        Sector[] kept = [.. _pending.Where(sector => random.NextDouble() < sector.Chance)];
        random.Shuffle(kept);
        LosePower(kept);
    }

    // Keeps the sectors whose bit is set, in their order.
    public void LosePower(ulong kept) => LosePower([.. _pending.Where((_, i) => (kept >> i & 1) != 0)]);

    public void Dispose() => NativeMemory.AlignedFree(Cache);

    private void LosePower(Sector[] kept)
    {
        foreach (Sector sector in kept) Persist(sector);
        _pending.Clear();
        _platter.CopyTo(View);
        Length = _platterLength;
    }

    private void Persist(Sector sector)
    {
        sector.From.AsSpan(sector.Start, sector.Length).CopyTo(_platter.AsSpan((int)sector.Offset));
        _platterLength = Math.Max(_platterLength, sector.Offset + sector.Length);
    }

    // The header, the first words of the bitmap and the first of the writes that it carries by small sectors, the rest by larger ones.
    private int SectorAt(long offset)
    {
        if (offset >= MetaEnd) return PageSector;
        long within = offset % MetaHeader.MinSlotBytes;
        return within < SmallSectorsEnd ? MetaSector : (int)Math.Min(LargeMetaSector, MetaHeader.MinSlotBytes - within);
    }
}

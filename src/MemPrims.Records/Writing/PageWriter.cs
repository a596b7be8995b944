using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;
using MemPrims.Records.Format;
using MemPrims.Records.Reading;
using MemPrims.Records.Storage;
using Aes = System.Runtime.Intrinsics.Arm.Aes;

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
    private readonly byte[] _sealed = GC.AllocateUninitializedArray<byte>(PageHeader.PageBytes, pinned: true);
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
        // A copy is sealed and written. What another thread stores through a record that it kept, in spite of the contract, must not come
        // between the checksum and the write.
        byte* bytes = (byte*)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(_sealed));
        PageLines.Copy(touched.Bytes, bytes, touched.Lines);
        PageLines.Copy(old, bytes, ~alike & ~touched.Lines);
        ref PageHeader header = ref *(PageHeader*)bytes;
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
        header.Checksum = old == null ? PageHeader.ChecksumOf(new(bytes, PageHeader.PageBytes), (uint)page)
            : before ^ PageDifference.Of(old, bytes, touched.Lines);
        long offset = PageHeader.OffsetOf(slotBytes, page, copy);
        unsynced?.Add(page, copy, bytes, map.Copy(page, copy));
        for (ulong lines = touched.Lines | ~alike; lines != 0;)
        {
            (int start, int length) = PageLines.TakeRun(ref lines);
            storage.Write(offset + start, new(bytes + start, length));
        }
        return (ulong)header.Checksum - before;
    }

    /// <summary>The commit of a page is through: its two copies are alike but for these lines.</summary>
    public void Committed(int page, ulong lines) => _alike[page] = ~lines;
}

/// <summary>A page as 64 lines of 64 bytes, one bit each: what was copied, what changed, what two copies have in common.</summary>
internal static unsafe class PageLines
{
    public const int Bytes = 64;
    public const ulong All = ulong.MaxValue, Header = 1;

    /// <summary>The lines that hold some bytes of a page; at least one byte.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Of(int offset, int length) => (2UL << ((offset + length - 1) / Bytes)) - (1UL << (offset / Bytes));

    /// <summary>
    /// Takes the first unbroken run of lines out of <paramref name="lines"/>, which has one, and tells where in the page it is.
    /// </summary>
    public static (int Offset, int Length) TakeRun(ref ulong lines)
    {
        int first = BitOperations.TrailingZeroCount(lines), count = BitOperations.TrailingZeroCount(~(lines >> first));
        // The carry goes through the run and clears it. A run up to the last line carries out of the word, and then nothing is left, as
        // it should be.
        lines &= lines + (1UL << first);
        return (first * Bytes, count * Bytes);
    }

    public static void Copy(byte* from, byte* to, ulong lines)
    {
        while (lines != 0)
        {
            (int offset, int length) = TakeRun(ref lines);
            Block.Copy(to + offset, from + offset, length);
        }
    }
}

/// <summary>
/// The XOR of the checksums of two pages that differ in some lines only. A CRC is linear, so this is the CRC of the XOR of the two pages,
/// begun at 0 and without inversions. Lines in which the pages are alike are zeros there, and to pass zeros is to multiply by a power of
/// x.
/// </summary>
internal static unsafe class PageDifference
{
    private const int LineCount = PageHeader.PageBytes / PageLines.Bytes;

    // By what to multiply a CRC to pass n lines of zeros, which is x^(512 n). Kept here is x^(512 n − 33): the product of two reflected
    // numbers comes out multiplied by x, and its reduction multiplies it by x^32. Each power is made from x^7 by passing 64 n − 5 zero
    // bytes, since 512 n − 33 = 7 + 8 (64 n − 5).
    private static readonly uint[] s_past = [0,
        .. Enumerable.Range(1, LineCount).Select(lines => Continue(1u << (31 - 7), new byte[lines * PageLines.Bytes - 5]))];

    /// <param name="left">One page.</param>
    /// <param name="right">The other.</param>
    /// <param name="lines">Where they may differ, the header among them; its checksum itself does not count.</param>
    public static uint Of(byte* left, byte* right, ulong lines)
    {
        byte* difference = stackalloc byte[PageHeader.PageBytes];
        uint crc = 0;
        int end = 0;
        while (lines != 0)
        {
            (int start, int length) = PageLines.TakeRun(ref lines);
            for (int i = 0; i < length; i += PageLines.Bytes)
                (Vector512.Load(left + start + i) ^ Vector512.Load(right + start + i)).Store(difference + i);
            int skipped = start == 0 ? PageHeader.ChecksumEnd : 0;
            crc = Continue(Past(crc, start - end), new(difference + skipped, length - skipped));
            end = start + length;
        }
        return Past(crc, PageHeader.PageBytes - end);
    }

    private static uint Past(uint crc, int zeroBytes) => zeroBytes == 0 ? crc
        : BitOperations.Crc32C(0, Product(crc, s_past[zeroBytes / PageLines.Bytes]));

    // Takes and gives the CRC without the inversion at start and end.
    private static uint Continue(uint crc, ReadOnlySpan<byte> bytes) => ~Checksum.Crc32C(~crc, bytes);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Product(uint left, uint right)
    {
        if (Pclmulqdq.IsSupported) return Pclmulqdq.CarrylessMultiply(Vector128.CreateScalar((ulong)left),
            Vector128.CreateScalar((ulong)right), 0x00).ToScalar();
        if (Aes.IsSupported) return Aes.PolynomialMultiplyWideningLower(Vector64.CreateScalar((ulong)left),
            Vector64.CreateScalar((ulong)right)).ToScalar();
        ulong product = 0;
        for (int bit = 0; bit < 32; bit++) product ^= ((ulong)left << bit) & (0UL - ((right >> bit) & 1));
        return product;
    }
}

namespace MemPrims.Buffers;

/// <summary>
/// Checks the checksums of many supposed frames without summing each payload anew. While a <see cref="FrameReader"/> searches, every 16
/// bytes of a hostile file can be a header that asks for the sum of a GiB. So the sum of everything from one place on is kept for each
/// KiB, once, and the sum of a payload is the difference of two of these: at most 2 KiB are summed for a header, however long the payload.
/// </summary>
internal sealed class FrameSums
{
    private const int Step = 1 << 10;

    // The sum of the bytes from _base to each Step behind it.
    private readonly List<uint> _sums = [];
    private long _base;

    /// <summary>How many bytes were summed so far, for the tests of the bound.</summary>
    public long SummedBytes { get; private set; }

    /// <summary>
    /// The CRC-32C of <paramref name="window"/>[from..to], behind what gave <paramref name="seed"/>; position is where the window begins.
    /// </summary>
    public uint Sum(ReadOnlySpan<byte> window, long position, int from, int to, uint seed)
    {
        if (to - from <= 2 * Step) return Add(window, from, to - from, seed);
        // What lies before the window is gone. The window moves seldom, and moving it costs as much as summing it again.
        long known = Math.Min((position + from - _base) / Step, _sums.Count - 1);
        if (_sums.Count == 0 || _base + known * Step < position)
        {
            _sums.Clear();
            _sums.Add(0);
            _base = position + from;
        }
        uint before = UpTo(window, position, position + from), all = UpTo(window, position, position + to);
        // The bytes before the payload belong to both sums; in their place come those that gave the seed.
        return Checksum.Crc32CCombine(before ^ seed, all, to - from);
    }

    private uint UpTo(ReadOnlySpan<byte> window, long position, long end)
    {
        int step = (int)((end - _base) / Step);
        while (_sums.Count <= step) _sums.Add(Add(window, (int)(_base - position) + (_sums.Count - 1) * Step, Step, _sums[^1]));
        int at = (int)(_base - position) + step * Step;
        return Add(window, at, (int)(end - position) - at, _sums[step]);
    }

    private uint Add(ReadOnlySpan<byte> window, int at, int length, uint sum)
    {
        SummedBytes += length;
        return Checksum.Crc32C(window.Slice(at, length), sum);
    }
}

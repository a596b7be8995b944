namespace MemPrims.Buffers;

/// <summary>
/// Finds the CRC of many overlapping stretches of a file without summing each one anew. While a <see cref="FrameReader"/> searches, every
/// 16 bytes of a hostile file can look like a header of a long payload, and summing each such payload would take for ever. So the CRC of
/// everything from one place on is kept at each KiB. The CRC of a payload follows from the two kept next to its ends. At most 2 KiB are
/// summed for a header, however long its payload is.
/// </summary>
internal sealed class FrameSums
{
    private const int Step = 1 << 10;

    // The sum of the bytes from _base to each Step after it.
    private readonly List<uint> _sums = [];
    private long _base;

    /// <summary>How many bytes were summed so far. Tests check that it stays low.</summary>
    public long SummedBytes { get; private set; }

    /// <summary>
    /// The CRC-32C of <paramref name="window"/>[from..to], continued from <paramref name="seed"/>. <paramref name="position"/> is where in
    /// the file the window begins.
    /// </summary>
    public uint Sum(ReadOnlySpan<byte> window, long position, int from, int to, uint seed)
    {
        if (to - from <= 2 * Step) return Add(window, from, to - from, seed);
        // Sums that begin before the window cannot be continued, so they begin anew. The window moves seldom, and moving it costs as much.
        long known = Math.Min((position + from - _base) / Step, _sums.Count - 1);
        if (_sums.Count == 0 || _base + known * Step < position)
        {
            _sums.Clear();
            _sums.Add(0);
            _base = position + from;
        }
        uint before = UpTo(window, position, position + from), all = UpTo(window, position, position + to);
        // Both sums begin with the same bytes before the payload. The combination removes them and puts the seed in their place.
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
        return Checksum.Crc32C(sum, window.Slice(at, length));
    }
}

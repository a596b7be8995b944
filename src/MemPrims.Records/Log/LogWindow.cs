namespace MemPrims.Records.Log;

// Reads the files of a log by calls of the system, a piece at a time. What the disk cannot read is not there, where a map would end the
// process. It serves whoever reads all: opening, LogFile.Verify and LogFile.Salvage.
internal sealed unsafe class LogWindow
{
    private const int PageBytes = 4096, MostAtOnce = 1 << 20;

    private byte[] _bytes = [];
    private LogSegment? _segment;
    private long _from;
    private int _count, _atOnce = PageBytes;

    // The place after the system's page with this one, which could not be read.
    public static long NextPage(LogSegment segment, long position) => segment.First + ((position - segment.First | PageBytes - 1) + 1);

    // Forgets what was read: files change beside their writer.
    public void Forget() => (_segment, _atOnce) = (null, PageBytes);

    // How many bytes there are from a position on, and where, until the next call: fewer than wanted only at an end, or what is
    // unreadable.
    public int Read(LogSegment segment, long position, int wanted, out byte* at)
    {
        if (segment != _segment || position < _from || _from + _count - position < wanted) Fill(segment, position, wanted);
        int skipped = (int)(position - _from);
        at = (byte*)Marshal.UnsafeAddrOfPinnedArrayElement(_bytes, skipped);
        return _count - skipped;
    }

    // Whether a file says there that the log goes on in another one.
    public bool Continues(LogSegments log, LogSegment segment, long position) =>
        Read(segment, position, LogFrame.HeaderBytes, out byte* at) >= LogFrame.HeaderBytes
            && LogFrame.IsContinuation(at, position, log.Seed);

    // The frame at a place, if all of it is there before `limit`, a place in the same file.
    public bool TryRead(LogSegments log, LogSegment segment, long position, long limit, out LogFrame frame)
    {
        if (!TryReadHeader(log, segment, position, limit, out frame)) return false;
        PayloadSum sum = default;
        for (long done = LogFrame.HeaderBytes; done < frame.Size;)
        {
            int piece = (int)Math.Min(frame.Size - done, MostAtOnce);
            if (Read(segment, position + done, piece, out byte* at) < piece) return false;
            sum = LogFrame.PayloadCheck(sum, at, piece);
            done += piece;
        }
        return frame.Has(sum);
    }

    // The same with the payload, until the next call.
    public bool TryRead(LogSegments log, LogSegment segment, long position, long limit, out LogFrame frame, out ReadOnlySpan<byte> payload)
    {
        payload = default;
        if (!TryReadHeader(log, segment, position, limit, out frame) || Read(segment, position, (int)frame.Size, out byte* at) < frame.Size
            || !frame.HasSoundPayload(at)) return false;
        payload = new(at + LogFrame.HeaderBytes, Math.Max(frame.Length, 0));
        return true;
    }

    private bool TryReadHeader(LogSegments log, LogSegment segment, long position, long limit, out LogFrame frame)
    {
        frame = default;
        return limit - position >= LogFrame.HeaderBytes
            && Read(segment, position, LogFrame.HeaderBytes, out byte* at) >= LogFrame.HeaderBytes
            && LogFrame.TryReadHeader(at, position, log.Seed, out frame) && frame.Size <= limit - position;
    }

    // Little at first: a reader beside a writer mostly finds nothing new.
    private void Fill(LogSegment segment, long position, int wanted)
    {
        int length = Math.Max(wanted, _atOnce);
        _atOnce = Math.Min(2 * _atOnce, MostAtOnce);
        if (_bytes.Length < length) _bytes = GC.AllocateUninitializedArray<byte>(length, pinned: true);
        (_segment, _from, _count) = (segment, position, 0);
        long offset = position - segment.First;
        for (bool byPages = false; _count < length;)
        {
            int page = PageBytes - (int)(offset + _count & PageBytes - 1), piece = Math.Min(byPages ? page : length, length - _count);
            try
            {
                int read = segment.Storage.Read(offset + _count, _bytes.AsSpan(_count, piece));
                if (read == 0) return;
                _count += read;
            }
            catch (Exception e) when (e is IOException or ObjectDisposedException)
            {
                // Up to the page that cannot be read. A file that a cut has closed has none.
                if (piece <= page) return;
                byPages = true;
            }
        }
    }
}

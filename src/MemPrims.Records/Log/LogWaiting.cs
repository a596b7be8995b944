namespace MemPrims.Records.Log;

// A copy of frames that were appended and that the system did not take, as on a full disk. They are read all the same.
internal sealed unsafe class LogWaiting(byte[] frames, long from, uint seed)
{
    // Pinned: a frame is read by its address.
    private readonly byte* _start = (byte*)Marshal.UnsafeAddrOfPinnedArrayElement(frames, 0);

    public long From => from;

    public long End => from + frames.Length;

    // The frame at a place; false where none begins.
    public bool TryRead(long position, out LogFrame frame, out ReadOnlySpan<byte> payload)
    {
        frame = default;
        payload = default;
        if (position < from || End - position < LogFrame.HeaderBytes || (position & (LogFrame.Alignment - 1)) != 0) return false;
        int at = (int)(position - from);
        if (!LogFrame.TryReadHeader(_start + at, position, seed, out frame) || frame.Size > End - position) return false;
        payload = frames.AsSpan(at + LogFrame.HeaderBytes, Math.Max(frame.Length, 0));
        return true;
    }
}

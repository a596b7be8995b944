using System.Buffers;
using System.Buffers.Binary;
using System.Runtime.InteropServices;

namespace MemPrims.Buffers;

/// <summary>What <see cref="FrameReader.Read"/> found.</summary>
public enum FrameStatus
{
    /// <summary>A whole frame.</summary>
    Frame,

    /// <summary>
    /// The end of the log. Zeros from here to the end of the source are room that was never used, and count as the end.
    /// </summary>
    End,

    /// <summary>
    /// The last frame is not whole, and no other frame follows: its write was cut off. Cut the log to <see cref="FrameReader.Position"/>.
    /// This reader has found a whole frame before, so the source is the log.
    /// </summary>
    TornEnd,

    /// <summary>The bytes here are no frame, but whole frames follow. <see cref="FrameReader.SkipDamage"/> goes on there.</summary>
    Damaged,

    /// <summary>
    /// This reader cannot tell what is here, so cut nothing. There are two causes. Either it has found no frame at all: the seed or the
    /// position may be wrong, or this is not a log. Or a header here has a length above <see cref="FrameReader.MaxPayload"/>, and no frame
    /// follows. A log that was cut off in its first frame has no whole frame either. Only its owner can tell, by the file's name for
    /// example. No frame is lost if the owner then begins the log anew.
    /// </summary>
    Unrecognized,
}

/// <summary>
/// Reads the frames of a log one after the other, from a stream or from memory. (Of a pipe take <c>AsStream()</c>, of a
/// <see cref="SegmentList"/> <c>AsSequence()</c>.)
/// <code>
/// using FrameReader log = new(file);
/// while (log.Read(out ReadOnlySpan&lt;byte&gt; payload) is var found &amp;&amp; found != FrameStatus.End)
///     if (found == FrameStatus.Frame) Apply(payload);
///     else if (found == FrameStatus.Damaged) log.SkipDamage();
///     else if (found == FrameStatus.TornEnd) { /* cut the file to log.Position */ break; }
///     else throw new InvalidDataException();                  // perhaps not a log of this seed: cut nothing
/// </code>
/// </summary>
/// <remarks>
/// A torn end and damage in the middle differ only in what follows. So at the first bytes that are no frame, the reader searches the rest
/// of the source, byte by byte, for a whole frame: a header with its own position, and a payload that fits the checksum.
/// <para>The time of the search is in proportion to the bytes searched, even if a file was made to slow it down
/// (<see cref="FrameSums"/>). The reader keeps up to <see cref="MaxPayload"/> bytes in memory, if a header has such a length. But it takes
/// memory only as bytes arrive: at most twice what the source has, and 64 KiB. So a wrong length takes no memory by itself.</para>
/// <para>A sequence that is one array is read where it lies. Other sources are copied into a window.</para>
/// </remarks>
public sealed class FrameReader : IDisposable
{
    private const int LeastWindow = 64 << 10;

    private readonly Func<long, Memory<byte>, int> _read;
    private readonly uint _seed;
    private readonly long _origin;
    private readonly FrameSums _sums = new();

    // The window has _length bytes; the first one is at _start in the log. Those from _at on are still to be read.
    private byte[] _window = [];
    private long _start;
    private int _length, _at;
    private bool _ended, _isBorrowed, _distrusts, _hasRead, _isDisposed;
    private long _summed;

    // Where damage or a torn end was found; −1 if none was.
    private long _broken = -1;
    private FrameStatus _found;

    /// <summary>
    /// Reads from a stream, forwards only. The stream is left open. <paramref name="position"/> is the position in the log of the first
    /// byte that the stream gives. It is not 0 if the stream was moved ahead, or if a log lies in several files.
    /// </summary>
    public FrameReader(Stream source, uint seed = 0, int maxPayload = 1 << 30, long position = 0)
        : this((_, room) => source.Read(room.Span), seed, maxPayload, position) => ArgumentNullException.ThrowIfNull(source);

    /// <summary>
    /// Reads from a sequence whose first byte is at <paramref name="position"/> in the log. The sequence must not change meanwhile.
    /// </summary>
    public FrameReader(ReadOnlySequence<byte> source, uint seed = 0, int maxPayload = 1 << 30, long position = 0)
        : this((offset, room) => Copy(source, offset, room), seed, maxPayload, position)
    {
        if (!source.IsSingleSegment || !MemoryMarshal.TryGetArray(source.First, out ArraySegment<byte> whole) || whole.Count == 0) return;
        (_window, _at, _length) = (whole.Array!, whole.Offset, whole.Offset + whole.Count);
        _start = position - whole.Offset;
        _ended = _isBorrowed = true;
    }

    /// <summary>Reads from memory, as from a sequence.</summary>
    public FrameReader(ReadOnlyMemory<byte> source, uint seed = 0, int maxPayload = 1 << 30, long position = 0)
        : this(new ReadOnlySequence<byte>(source), seed, maxPayload, position)
    {
    }

    private FrameReader(Func<long, Memory<byte>, int> read, uint seed, int maxPayload, long position)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(maxPayload);
        ArgumentOutOfRangeException.ThrowIfNegative(position);
        _origin = _start = position;
        _read = read;
        _seed = seed;
        MaxPayload = Math.Min(maxPayload, Array.MaxLength - Frame.HeaderSize);
    }

    /// <summary>The longest payload that is read. A header with a longer one counts as damage, and takes no memory.</summary>
    public int MaxPayload { get; }

    /// <summary>The position at which the next frame should begin: after the last whole frame, or after skipped damage.</summary>
    public long Position => _broken >= 0 ? _broken : Here;

    /// <summary>How many bytes <see cref="SkipDamage"/> has skipped so far.</summary>
    public long SkippedBytes { get; private set; }

    /// <summary>Reads the next frame. The payload is valid until the next call.</summary>
    public FrameStatus Read(out ReadOnlySpan<byte> payload)
    {
        // The usual case, a whole frame in the window. After Dispose the window is empty.
        if (_broken < 0 && !_distrusts && Frame.Read(_window.AsSpan(_at, _length - _at), Here, out payload, out int size, _seed)
            == OperationStatus.Done && payload.Length <= MaxPayload)
        {
            _at += size;
            _summed += size;
            _hasRead = true;
            return FrameStatus.Frame;
        }
        return ReadSlow(out payload);
    }

    private FrameStatus ReadSlow(out ReadOnlySpan<byte> payload)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        payload = default;
        if (_broken >= 0) return _found;
        Need(Frame.HeaderSize);
        if (_length == _at) return FrameStatus.End;
        if (TryFrame(out payload, out int consumed))
        {
            _at += consumed;
            _hasRead = true;
            return FrameStatus.Frame;
        }
        _broken = Here;
        _distrusts = true;
        OperationStatus header = Frame.ReadHeader(_window.AsSpan(_at, _length - _at), Here, out int length);
        bool isTooLong = header == OperationStatus.Done && length > MaxPayload;
        _found = FindNext();
        // With a wrong seed or too small a limit, cutting the log here would lose all of it. And a file of another kind may begin with
        // what looks like the header of a frame that was cut off.
        if (_found == FrameStatus.TornEnd && (isTooLong || !_hasRead)) _found = FrameStatus.Unrecognized;
        return _found;
    }

    /// <summary>Goes on at the next whole frame.</summary>
    /// <exception cref="InvalidOperationException">The last read found no damage.</exception>
    public void SkipDamage()
    {
        if (_broken < 0 || _found != FrameStatus.Damaged) throw new InvalidOperationException(
            "There is nothing to skip: the last Read did not say Damaged.");
        SkippedBytes += Here - _broken;
        _broken = -1;
    }

    /// <summary>Gives the memory back. The source stays open.</summary>
    public void Dispose()
    {
        if (_window.Length > 0 && !_isBorrowed) ArrayPool<byte>.Shared.Return(_window);
        _window = [];
        _start = Here;
        _length = _at = 0;
        _isDisposed = true;
    }

    // The tests check that these stay low: the bytes that were summed, and those that were moved within the window or to a larger one.
    internal long SummedBytes => _sums.SummedBytes + _summed;

    internal long MovedBytes { get; private set; }

    private bool TryFrame(out ReadOnlySpan<byte> payload, out int consumed)
    {
        payload = default;
        consumed = 0;
        if (Frame.ReadHeader(_window.AsSpan(_at, _length - _at), Here, out int length) != OperationStatus.Done
            || length > MaxPayload) return false;
        // After damage no length is trusted. In a hostile file small frames may take turns with headers that claim long payloads, and
        // summing each of these anew would take too long.
        if (_distrusts)
        {
            if (!IsFrame()) return false;
            payload = _window.AsSpan(_at + Frame.HeaderSize, length);
            consumed = Frame.HeaderSize + length;
            return true;
        }
        if (!Need(Frame.HeaderSize + length)) return false;
        _summed += length;
        return Frame.Read(_window.AsSpan(_at, _length - _at), Here, out payload, out consumed, _seed) == OperationStatus.Done;
    }

    // Moves to the next whole frame, or to the end.
    private FrameStatus FindNext()
    {
        bool zeros = true;
        for (; Need(1); _at++)
        {
            zeros &= _window[_at] == 0;
            if (!Need(Frame.HeaderSize) || BinaryPrimitives.ReadInt64LittleEndian(_window.AsSpan(_at + 8)) != Here) continue;
            if (IsFrame()) return FrameStatus.Damaged;
        }
        return zeros ? FrameStatus.End : FrameStatus.TornEnd;
    }

    private bool IsFrame()
    {
        if (Frame.ReadHeader(_window.AsSpan(_at, _length - _at), Here, out int length) != OperationStatus.Done
            || length > MaxPayload) return false;
        if (!Need(Frame.HeaderSize + length)) return false;
        ReadOnlySpan<byte> header = _window.AsSpan(_at, Frame.HeaderSize);
        int payload = _at + Frame.HeaderSize;
        uint sum = _sums.Sum(_window, _start, payload, payload + length, Frame.SumOfHeader(length, Here, _seed));
        return sum == Frame.SumIn(header);
    }

    private long Here => _start + _at;

    // Reads on until the window has that many bytes from _at on. False if the source ends first.
    private bool Need(int bytes)
    {
        if (_length - _at >= bytes) return true;
        if (_ended) return false;
        return Fill(bytes);
    }

    private bool Fill(int bytes)
    {
        while (_length - _at < bytes && !_ended)
        {
            // The length may be wrong. So more memory is taken only when the window is full.
            int kept = _length - _at, wanted = Math.Min(bytes, Math.Max(LeastWindow, kept + 1));
            if (_window.Length - _at < wanted) MakeRoom(wanted);
            Memory<byte> room = _window.AsMemory(_length);
            int read = _read(_start + _length - _origin, room);
            if ((uint)read > (uint)room.Length) BufferErrors.StreamReadTooMuch(read, room.Length);
            _ended = read == 0;
            _length += read;
        }
        return _length - _at >= bytes;
    }

    // The new window is at least twice what is kept. So the bytes moved stay in proportion to the bytes read, whatever the headers say.
    private void MakeRoom(int bytes)
    {
        int kept = _length - _at;
        long room = Math.Max(Math.Max(bytes, LeastWindow), Math.Min(2L * kept, Array.MaxLength));
        byte[] window = _window.Length >= room ? _window : ArrayPool<byte>.Shared.Rent((int)room);
        _window.AsSpan(_at, kept).CopyTo(window);
        MovedBytes += kept;
        if (window != _window && _window.Length > 0) ArrayPool<byte>.Shared.Return(_window);
        (_window, _start, _at, _length) = (window, Here, 0, kept);
    }

    // The segments are counted: one that lies about its place would leave bytes of before in the window, or end in an error of theirs.
    private static int Copy(in ReadOnlySequence<byte> source, long position, Memory<byte> room)
    {
        int size = (int)Math.Min(room.Length, source.Length - position), copied = 0;
        try
        {
            foreach (ReadOnlyMemory<byte> segment in source.Slice(position, size))
            {
                segment.Span[..Math.Min(segment.Length, size - copied)].CopyTo(room.Span[copied..]);
                copied += segment.Length;
                if (copied > size) break;
            }
        }
        catch (ArgumentOutOfRangeException)
        {
            // The slice begins or ends in no segment.
        }
        if (copied != size) BufferErrors.SequenceHasAnotherLength(source.Length, position + copied);
        return size;
    }
}

namespace MemPrims.Records.Log;

// A frame's header and its checks; LOG-FORMAT.md has the layout. The header has a check of its own, so the length is trusted before the
// payload is read. The payload has two: a CRC-32C, and a sum of its words. A CRC alone does not see a part that ends with its own CRC-32C
// exchanged for another such part, and pages and frames with a CRC are what logs are made of. The sum sees that.
internal readonly struct LogFrame
{
    public const int HeaderBytes = 32, Alignment = 8;

    // The lengths of frames without payload: one that a sync left, and one that a close left.
    public const int Mark = -1, Closed = -2;

    // No frame: the length of the header that stands where a file ends and another one follows.
    public const int Continued = -3;

    public const int MaxPayload = 0x7FFF_0000;

    // Below, the CRC is a chain of instructions that leaves room for the sum beside it; from there on it is folded, far faster.
    private const int FoldedFrom = 256;

    private readonly ulong _payloadCheck;

    private LogFrame(int length, long mark, ulong payloadCheck) => (Length, OnDisk, _payloadCheck) = (length, mark, payloadCheck);

    // How long the payload is; Mark or Closed where there is none.
    public int Length { get; }

    // The mark: all that lies before it was on the disk when this was written.
    public long OnDisk { get; }

    public long Size => SizeOf(Length);

    public static long SizeOf(int length) => HeaderBytes + (Math.Max(length, 0) + (Alignment - 1L) & -Alignment);

    // The header at a place, if it is one of this log and of this place.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe bool TryReadHeader(byte* at, long position, uint seed, out LogFrame frame) =>
        IsSound(at, position, seed, out frame) && frame.Length is >= Closed and <= MaxPayload;

    // Whether the header at a place says that the log goes on in a file that begins there.
    public static unsafe bool IsContinuation(byte* at, long position, uint seed) =>
        IsSound(at, position, seed, out LogFrame frame) && frame.Length == Continued;

    // Each word is loaded once: another process may be writing here.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static unsafe bool IsSound(byte* at, long position, uint seed, out LogFrame frame)
    {
        ulong first = Unsafe.ReadUnaligned<ulong>(at), payloadCheck = Unsafe.ReadUnaligned<ulong>(at + 24);
        long place = Unsafe.ReadUnaligned<long>(at + 8), mark = Unsafe.ReadUnaligned<long>(at + 16);
        int length = (int)(first >> 32);
        frame = new(length, mark, payloadCheck);
        return place == position && (uint)first == HeaderCheck(seed, length, position, mark, payloadCheck);
    }

    public bool Has(in PayloadSum payload) => payload.Value == _payloadCheck;

    // Whether the payload is the one that was written. It has whole words: zeros follow it up to the next.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public unsafe bool HasSoundPayload(byte* at)
    {
        byte* payload = at + HeaderBytes;
        nint length = (nint)(Size - HeaderBytes);
        PayloadSum sum = length < FoldedFrom ? ShortCheck(default, payload, length) : PayloadCheck(default, payload, length);
        return sum.Value == _payloadCheck;
    }

    public static unsafe void WriteHeader(byte* at, int length, long position, long mark, uint seed, in PayloadSum payload)
    {
        ulong payloadCheck = payload.Value;
        Unsafe.WriteUnaligned(at, HeaderCheck(seed, length, position, mark, payloadCheck) | (ulong)(uint)length << 32);
        Unsafe.WriteUnaligned(at + 8, position);
        Unsafe.WriteUnaligned(at + 16, mark);
        Unsafe.WriteUnaligned(at + 24, payloadCheck);
    }

    // Continues the sums with more of the payload, in whole words.
    public static unsafe PayloadSum PayloadCheck(PayloadSum before, byte* payload, nint length) =>
        length < FoldedFrom ? ShortCheck(before, payload, length) : LongCheck(before, payload, length);

    // Apart: the first call of a method with such vectors waits for the runtime to load their types.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static unsafe PayloadSum LongCheck(PayloadSum before, byte* payload, nint length)
    {
        ulong sum = before.Sum;
        byte* end = payload + length;
        uint crc = Checksum.Crc32C(before.Crc, payload, length);
        Vector256<ulong> a = default, b = default;
        for (; end - payload >= 2 * Vector256<byte>.Count; payload += 2 * Vector256<byte>.Count)
        {
            a += Vector256.Load((ulong*)payload);
            b += Vector256.Load((ulong*)payload + Vector256<ulong>.Count);
        }
        sum += Vector256.Sum(a + b);
        for (; payload < end; payload += sizeof(ulong)) sum += Unsafe.ReadUnaligned<ulong>(payload);
        return new(crc, sum);
    }

    // "log: read at a place": two words a turn.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static unsafe PayloadSum ShortCheck(PayloadSum before, byte* payload, nint length)
    {
        ulong sum = before.Sum;
        uint state = ~before.Crc;
        for (; length >= 2 * sizeof(ulong); length -= 2 * sizeof(ulong), payload += 2 * sizeof(ulong))
        {
            ulong word = Unsafe.ReadUnaligned<ulong>(payload), next = Unsafe.ReadUnaligned<ulong>(payload + sizeof(ulong));
            state = BitOperations.Crc32C(BitOperations.Crc32C(state, word), next);
            sum += word + next;
        }
        if (length > 0)
        {
            ulong word = Unsafe.ReadUnaligned<ulong>(payload);
            state = BitOperations.Crc32C(state, word);
            sum += word;
        }
        return new(~state, sum);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static uint HeaderCheck(uint seed, int length, long position, long mark, ulong payloadCheck)
    {
        uint state = BitOperations.Crc32C(~seed, (uint)length);
        state = BitOperations.Crc32C(state, (ulong)position);
        state = BitOperations.Crc32C(state, (ulong)mark);
        return ~BitOperations.Crc32C(state, payloadCheck);
    }
}

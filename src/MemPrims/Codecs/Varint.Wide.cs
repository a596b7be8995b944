using System.Buffers;

namespace MemPrims.Codecs;

// Spans of 64-bit and of signed values. What most lists hold fits 32 bits, so chunks go through the kernels for these and are widened; a
// value that does not fit ends the chunk and is read or written alone.
public static unsafe partial class Varint
{
    // Elements of a chunk: 1 KiB on the stack. The 32-bit kernels need room for 64 values behind what they read.
    private const int Chunk = 256, LeastChunk = 96, WideRun = 32;

    /// <inheritdoc cref="WriteMany(ReadOnlySpan{uint}, Span{byte}, out int, out int)"/>
    public static OperationStatus WriteMany(ReadOnlySpan<ulong> values, Span<byte> destination, out int count, out int written) =>
        Write<ulong, Unsigned>(values, destination, out count, out written);

    /// <summary>Writes signed values as <see cref="WriteZigZag"/> does, as many as fit.</summary>
    public static OperationStatus WriteManyZigZag(ReadOnlySpan<long> values, Span<byte> destination, out int count, out int written) =>
        Write<long, Signed>(values, destination, out count, out written);

    /// <summary>Writes signed values of 32 bits as <see cref="WriteZigZag"/> does, as many as fit.</summary>
    public static OperationStatus WriteManyZigZag(ReadOnlySpan<int> values, Span<byte> destination, out int count, out int written) =>
        Write<int, Signed32>(values, destination, out count, out written);

    /// <summary>
    /// Fills <paramref name="values"/> with 64-bit values, with the same answers as for those of 32 bits. Elements past
    /// <paramref name="count"/> may have been overwritten.
    /// </summary>
    public static OperationStatus ReadMany(ReadOnlySpan<byte> source, Span<ulong> values, out int consumed, out int count) =>
        Read<ulong, Unsigned>(source, values, out consumed, out count);

    /// <summary>
    /// Fills <paramref name="values"/> with what <see cref="WriteManyZigZag(ReadOnlySpan{long}, Span{byte}, out int, out int)"/> wrote.
    /// </summary>
    public static OperationStatus ReadManyZigZag(ReadOnlySpan<byte> source, Span<long> values, out int consumed, out int count) =>
        Read<long, Signed>(source, values, out consumed, out count);

    /// <summary>The same for values of 32 bits: one that needs more is <see cref="OperationStatus.InvalidData"/>.</summary>
    public static OperationStatus ReadManyZigZag(ReadOnlySpan<byte> source, Span<int> values, out int consumed, out int count) =>
        Read<int, Signed32>(source, values, out consumed, out count);

    private static OperationStatus Read<T, TForm>(ReadOnlySpan<byte> source, Span<T> values, out int consumed, out int count)
        where TForm : IForm<T>
    {
        uint* chunk = stackalloc uint[Chunk];
        fixed (byte* from = source)
        {
            byte* at = from, end = from + source.Length;
            count = 0;
            OperationStatus status = OperationStatus.Done;
            while (count < values.Length && status == OperationStatus.Done)
            {
                int alone = int.MaxValue;
                if (end - at >= LeastChunk && values.Length - count >= LeastChunk)
                {
                    uint* last = chunk;
                    ReadBlocks(ref at, end, ref last, chunk + Math.Min(Chunk, values.Length - count));
                    Span<T> widened = values.Slice(count, (int)(last - chunk));
                    for (int i = 0; i < widened.Length; i++) widened[i] = TForm.Unfold(chunk[i]);
                    count += widened.Length;
                    // Where the kernel finds nothing, wide values are many: it is asked again only after some of them.
                    alone = widened.IsEmpty ? WideRun : 1;
                }
                for (; alone > 0 && count < values.Length; alone--)
                {
                    Decoded read = SevenBitGroups.Read(ref *at, (int)Math.Min(end - at, MaxSize), Flip);
                    if (read.Length <= 0 || read.Value > TForm.Most)
                    {
                        status = read.Length == Decoded.NeedMoreData && !Exceeds(end - at, TForm.Most) ? OperationStatus.NeedMoreData : OperationStatus.InvalidData;
                        break;
                    }
                    values[count++] = TForm.Unfold(read.Value);
                    at += read.Length;
                }
            }
            consumed = (int)(at - from);
            return status;
        }
    }

    // Five bytes that say that more follow: whatever follows, the value is greater than 32 bits.
    private static bool Exceeds(long length, ulong most) => most == uint.MaxValue && length >= MaxSize32;

    private static OperationStatus Write<T, TForm>(ReadOnlySpan<T> values, Span<byte> destination, out int count, out int written)
        where TForm : IForm<T>
    {
        uint* chunk = stackalloc uint[Chunk];
        count = written = 0;
        while (count < values.Length)
        {
            int narrow = 0, most = Math.Min(Chunk, values.Length - count);
            while (narrow < most && TForm.Fold(values[count + narrow]) is var folded && folded <= uint.MaxValue) chunk[narrow++] = (uint)folded;
            OperationStatus status = WriteMany(new ReadOnlySpan<uint>(chunk, narrow), destination[written..], out int whole, out int bytes);
            count += whole;
            written += bytes;
            if (status != OperationStatus.Done) return status;
            if (narrow == most) continue;
            if (!TryWrite(destination[written..], TForm.Fold(values[count]), out bytes)) return OperationStatus.DestinationTooSmall;
            count++;
            written += bytes;
        }
        return OperationStatus.Done;
    }

    private interface IForm<T>
    {
        static abstract ulong Most { get; }

        static abstract ulong Fold(T value);

        static abstract T Unfold(ulong value);
    }

    private readonly struct Unsigned : IForm<ulong>
    {
        public static ulong Most => ulong.MaxValue;

        public static ulong Fold(ulong value) => value;

        public static ulong Unfold(ulong value) => value;
    }

    private readonly struct Signed : IForm<long>
    {
        public static ulong Most => ulong.MaxValue;

        public static ulong Fold(long value) => ZigZag(value);

        public static long Unfold(ulong value) => UnZigZag(value);
    }

    private readonly struct Signed32 : IForm<int>
    {
        public static ulong Most => uint.MaxValue;

        public static ulong Fold(int value) => ZigZag(value);

        public static int Unfold(ulong value) => (int)UnZigZag(value);
    }
}

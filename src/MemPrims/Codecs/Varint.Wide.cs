using System.Buffers;
using System.Runtime.Intrinsics;

namespace MemPrims.Codecs;

// Spans of 64-bit and of signed values. What most lists hold fits 32 bits, so chunks go through the kernels for these and are widened or
// narrowed by vectors. A value that does not fit ends the chunk and is read or written alone.
public static unsafe partial class Varint
{
    // Elements of a chunk: 1 KiB on the stack. The 32-bit kernels need room for 64 values behind what they read.
    private const int Chunk = 256, LeastChunk = 96, WideRun = 32, LeastRun = 16;

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
        where T : unmanaged
        where TForm : IForm<T>
    {
        uint* chunk = stackalloc uint[Chunk];
        fixed (byte* from = source)
        fixed (T* to = values)
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
                    int read = (int)(last - chunk);
                    Widen<T, TForm>(chunk, read, to + count);
                    count += read;
                    // Where the kernel finds nothing, wide values are many: it is asked again only after some of them.
                    alone = read == 0 ? WideRun : 1;
                }
                for (; alone > 0 && count < values.Length; alone--)
                {
                    Decoded found = SevenBitGroups.Read(ref *at, (int)Math.Min(end - at, MaxSize), Flip);
                    if (found.Length <= 0 || found.Value > TForm.Most)
                    {
                        status = found.Length == Decoded.NeedMoreData && !Exceeds(end - at, TForm.Most) ? OperationStatus.NeedMoreData
                            : OperationStatus.InvalidData;
                        break;
                    }
                    to[count++] = TForm.Unfold(found.Value);
                    at += found.Length;
                }
            }
            consumed = (int)(at - from);
            return status;
        }
    }

    // Five bytes that say that more follow: whatever follows, the value is greater than 32 bits.
    private static bool Exceeds(long length, ulong most) => most == uint.MaxValue && length >= MaxSize32;

    private static OperationStatus Write<T, TForm>(ReadOnlySpan<T> values, Span<byte> destination, out int count, out int written)
        where T : unmanaged
        where TForm : IForm<T>
    {
        uint* chunk = stackalloc uint[Chunk];
        fixed (T* from = values)
        fixed (byte* to = destination)
        {
            byte* at = to, end = to + destination.Length;
            count = 0;
            OperationStatus status = OperationStatus.Done;
            while (count < values.Length && status == OperationStatus.Done)
            {
                int most = Math.Min(Chunk, values.Length - count), narrow = Narrow<T, TForm>(from + count, most, chunk), alone = WideRun;
                if (narrow >= LeastRun)
                {
                    status = WriteMany(new ReadOnlySpan<uint>(chunk, narrow), new Span<byte>(at, (int)(end - at)), out int whole,
                        out int bytes);
                    count += whole;
                    at += bytes;
                    alone = narrow == most || status != OperationStatus.Done ? 0 : 1;
                }
                // Where wide values are many, some are written alone before the kernel is asked again: for uniform ones that is 2.7
                // times as
                // fast as to ask after each.
                for (; alone > 0 && count < values.Length; alone--)
                {
                    ulong value = TForm.Fold(from[count]);
                    if (end - at < MaxSize && end - at < Size(value))
                    {
                        status = OperationStatus.DestinationTooSmall;
                        break;
                    }
                    at = Write(at, value);
                    count++;
                }
            }
            written = (int)(at - to);
            return status;
        }
    }

    // Values as 32-bit ones, up to the first that is greater; how many these are.
    private static int Narrow<T, TForm>(T* from, int most, uint* to)
        where T : unmanaged
        where TForm : IForm<T>
    {
        int i = 0;
        if (Vector128.IsHardwareAccelerated && sizeof(T) == sizeof(ulong))
            for (; i <= most - 8; i += 8)
            {
                Vector256<ulong> low = TForm.Fold(Vector256.Load((ulong*)from + i)),
                    high = TForm.Fold(Vector256.Load((ulong*)from + i + 4));
                if (((low | high) & Vector256.Create(~(ulong)uint.MaxValue)) != Vector256<ulong>.Zero) break;
                Vector256.Narrow(low, high).Store(to + i);
            }
        while (i < most && TForm.Fold(from[i]) is var folded && folded <= uint.MaxValue) to[i++] = (uint)folded;
        return i;
    }

    private static void Widen<T, TForm>(uint* from, int count, T* to)
        where T : unmanaged
        where TForm : IForm<T>
    {
        int i = 0;
        if (Vector128.IsHardwareAccelerated && sizeof(T) == sizeof(ulong))
            for (; i <= count - 8; i += 8)
            {
                (Vector256<ulong> low, Vector256<ulong> high) = Vector256.Widen(Vector256.Load(from + i));
                TForm.Unfold(low).Store((ulong*)to + i);
                TForm.Unfold(high).Store((ulong*)to + i + 4);
            }
        for (; i < count; i++) to[i] = TForm.Unfold(from[i]);
    }

    private interface IForm<T>
    {
        static abstract ulong Most { get; }

        static abstract ulong Fold(T value);

        static abstract T Unfold(ulong value);

        // Of vectors, for values of 64 bits.
        static virtual Vector256<ulong> Fold(Vector256<ulong> values) => values;

        static virtual Vector256<ulong> Unfold(Vector256<ulong> values) => values;
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

        public static Vector256<ulong> Fold(Vector256<ulong> values) => values << 1 ^ (Vector256<ulong>.Zero - (values >>> 63));

        public static Vector256<ulong> Unfold(Vector256<ulong> values) =>
            values >>> 1 ^ (Vector256<ulong>.Zero - (values & Vector256<ulong>.One));
    }

    private readonly struct Signed32 : IForm<int>
    {
        public static ulong Most => uint.MaxValue;

        public static ulong Fold(int value) => ZigZag(value);

        public static int Unfold(ulong value) => (int)UnZigZag(value);
    }
}

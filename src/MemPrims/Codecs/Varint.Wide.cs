namespace MemPrims.Codecs;

// Spans of 64-bit and of signed values. Most values fit 32 bits, so chunks go through the kernels for these, and vectors widen or narrow
// them. A value that does not fit ends its chunk, and is read or written alone.
public readonly unsafe partial struct Varint
{
    // A chunk takes 1 KiB of the stack. The 32-bit kernels write up to 64 values more than they read, so a short chunk is not worth a
    // call.
    private const int Chunk = 256, LeastChunk = 96, WideRun = 32, LongestWideRun = 256, LeastRun = 16;

    /// <inheritdoc cref="WriteMany(ReadOnlySpan{uint}, Span{byte}, out int, out int)"/>
    public static OperationStatus WriteMany(ReadOnlySpan<ulong> values, Span<byte> destination, out int count, out int written) =>
        Write<ulong, Unsigned>(values, destination, out count, out written);

    /// <summary>
    /// Fills <paramref name="values"/> with 64-bit values. The answers are those of the overload for 32 bits. Elements past
    /// <paramref name="count"/> may be overwritten.
    /// </summary>
    public static OperationStatus ReadMany(ReadOnlySpan<byte> source, Span<ulong> values, out int consumed, out int count) =>
        Read<ulong, Unsigned>(source, values, out consumed, out count);

    internal static OperationStatus Read<T, TForm>(ReadOnlySpan<byte> source, Span<T> values, out int consumed, out int count)
        where T : unmanaged
        where TForm : IForm<T>
    {
        uint* chunk = stackalloc uint[Chunk];
        fixed (byte* from = source)
        fixed (T* to = values)
        {
            // Locals, and not the out parameters: those lie in memory, and each value would wait for the count of the one before.
            byte* at = from, end = from + source.Length;
            T* next = to, last = to + values.Length;
            OperationStatus status = OperationStatus.Done;
            while (next < last && status == OperationStatus.Done)
            {
                long alone = last - next;
                if (end - at >= LeastChunk && last - next >= LeastChunk)
                {
                    uint* read = chunk;
                    ReadBlocks(ref at, end, ref read, chunk + Math.Min(Chunk, last - next));
                    int narrow = (int)(read - chunk);
                    Widen<T, TForm>(chunk, narrow, next);
                    next += narrow;
                    // If the kernel found few, there are many wide values. It is asked again only after some of them.
                    alone = narrow < LeastRun ? WideRun : 1;
                }
                for (T* stop = next + Math.Min(alone, last - next); next < stop; next++)
                {
                    Decoded found = SevenBitGroups.Read(ref *at, (int)Math.Min(end - at, MaxSize), Flip);
                    if (found.Length <= 0 || found.Value > TForm.Most)
                    {
                        status = found.Length == Decoded.NeedMoreData && !Exceeds(end - at, TForm.Most) ? OperationStatus.NeedMoreData
                            : OperationStatus.InvalidData;
                        break;
                    }
                    *next = TForm.Unfold(found.Value);
                    at += found.Length;
                }
            }
            consumed = (int)(at - from);
            count = (int)(next - to);
            return status;
        }
    }

    // Five bytes all say that more follow. So the value has more than 32 bits, whatever follows.
    private static bool Exceeds(long length, ulong most) => most == uint.MaxValue && length >= MaxSize32;

    internal static OperationStatus Write<T, TForm>(ReadOnlySpan<T> values, Span<byte> destination, out int count, out int written)
        where T : unmanaged
        where TForm : IForm<T>
    {
        uint* chunk = stackalloc uint[Chunk];
        fixed (T* from = values)
        fixed (byte* to = destination)
        {
            byte* at = to, end = to + destination.Length;
            T* next = from, last = from + values.Length;
            OperationStatus status = OperationStatus.Done;
            for (int wide = WideRun; next < last && status == OperationStatus.Done;)
            {
                int most = (int)Math.Min(Chunk, last - next), narrow = Narrow<T, TForm>(next, most, chunk), alone = wide;
                wide = Math.Min(2 * wide, LongestWideRun);
                if (narrow >= LeastRun)
                {
                    wide = WideRun;
                    status = WriteMany(new ReadOnlySpan<uint>(chunk, narrow), new Span<byte>(at, (int)(end - at)), out int whole,
                        out int bytes);
                    next += whole;
                    at += bytes;
                    alone = narrow == most || status != OperationStatus.Done ? 0 : 1;
                }
                // If there are many wide values, some are written by fours or alone before the kernel is asked again: twice as many
                // after each time that it took few.
                T* ask = next;
                for (T* stop = next + Math.Min(alone, last - next); next < stop;)
                {
                    if (Vector128.IsHardwareAccelerated && sizeof(T) == sizeof(ulong) && next >= ask && stop - next >= 4
                        && end - at >= VarintFour.Reach)
                    {
                        ask = next + 4;
                        if (VarintFour.TryWrite(TForm.Fold(Vector256.Load((ulong*)next)), ref at))
                        {
                            next = ask;
                            continue;
                        }
                    }
                    ulong value = TForm.Fold(*next);
                    if (end - at < MaxSize && end - at < Size(value))
                    {
                        status = OperationStatus.DestinationTooSmall;
                        break;
                    }
                    at = Write(at, value);
                    next++;
                }
            }
            written = (int)(at - to);
            count = (int)(next - from);
            return status;
        }
    }

    // Copies values of up to 32 bits, and stops at the first greater one. Returns how many it copied.
    private static int Narrow<T, TForm>(T* from, int most, uint* to)
        where T : unmanaged
        where TForm : IForm<T>
    {
        int i = 0;
        if (Vector128.IsHardwareAccelerated && sizeof(T) == sizeof(ulong))
            for (; i <= most - 8; i += 8)
            {
                // Of 128 bits also where the processor has more: there it takes as long, and elsewhere the emulated Vector256.Narrow
                // takes 6.7 times as long.
                Vector128<ulong> v0 = TForm.Fold(Vector128.Load((ulong*)from + i)), v2 = TForm.Fold(Vector128.Load((ulong*)from + i + 2)),
                    v4 = TForm.Fold(Vector128.Load((ulong*)from + i + 4)), v6 = TForm.Fold(Vector128.Load((ulong*)from + i + 6));
                if (((v0 | v2 | v4 | v6) & Vector128.Create(~(ulong)uint.MaxValue)) != Vector128<ulong>.Zero) break;
                Vector128.Narrow(v0, v2).Store(to + i);
                Vector128.Narrow(v4, v6).Store(to + i + 4);
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
            for (; i <= count - 4; i += 4)
            {
                (Vector128<ulong> low, Vector128<ulong> high) = Vector128.Widen(Vector128.Load(from + i));
                TForm.Unfold(low).Store((ulong*)to + i);
                TForm.Unfold(high).Store((ulong*)to + i + 2);
            }
        for (; i < count; i++) to[i] = TForm.Unfold(from[i]);
    }

    internal interface IForm<T>
    {
        static abstract ulong Most { get; }

        static abstract ulong Fold(T value);

        static abstract T Unfold(ulong value);

        // The same on vectors of 64-bit values.
        static virtual Vector256<ulong> Fold(Vector256<ulong> values) => values;

        static virtual Vector128<ulong> Fold(Vector128<ulong> values) => values;

        static virtual Vector128<ulong> Unfold(Vector128<ulong> values) => values;
    }

    private readonly struct Unsigned : IForm<ulong>
    {
        public static ulong Most => ulong.MaxValue;

        public static ulong Fold(ulong value) => value;

        public static ulong Unfold(ulong value) => value;
    }

    internal readonly struct Signed : IForm<long>
    {
        public static ulong Most => ulong.MaxValue;

        public static ulong Fold(long value) => ZigZag(value);

        public static long Unfold(ulong value) => UnZigZag(value);

        public static Vector256<ulong> Fold(Vector256<ulong> values) => values << 1 ^ (Vector256<ulong>.Zero - (values >>> 63));

        public static Vector128<ulong> Fold(Vector128<ulong> values) => values << 1 ^ (Vector128<ulong>.Zero - (values >>> 63));

        public static Vector128<ulong> Unfold(Vector128<ulong> values) =>
            values >>> 1 ^ (Vector128<ulong>.Zero - (values & Vector128<ulong>.One));
    }

    internal readonly struct Signed32 : IForm<int>
    {
        public static ulong Most => uint.MaxValue;

        public static ulong Fold(int value) => ZigZag(value);

        public static int Unfold(ulong value) => (int)UnZigZag(value);
    }
}

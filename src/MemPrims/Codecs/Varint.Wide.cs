namespace MemPrims.Codecs;

// Spans of 64-bit values. Most values fit 32 bits, so chunks go through the kernels for these, and vectors widen or narrow
// them. A value that does not fit ends its chunk, and is read or written alone.
public readonly unsafe partial struct Varint
{
    // A chunk takes 1 KiB of the stack. The 32-bit kernels write up to 64 values more than they read, so a short chunk is not worth a
    // call.
    private const int Chunk = 256, LeastChunk = 96, WideRun = 32, LongestWideRun = 256, LeastRun = 16;

    /// <summary>
    /// Fills <paramref name="values"/> with 64-bit values. The answers are those of the overload for 32 bits. Elements past
    /// <paramref name="count"/> may be overwritten.
    /// </summary>
    public static OperationStatus ReadMany(ReadOnlySpan<byte> source, Span<ulong> values, out int consumed, out int count)
    {
        uint* chunk = stackalloc uint[Chunk];
        fixed (byte* from = source)
        fixed (ulong* to = values)
        {
            // Locals, and not the out parameters: those lie in memory, and each value would wait for the count of the one before.
            byte* at = from, end = from + source.Length;
            ulong* next = to, last = to + values.Length;
            OperationStatus status = OperationStatus.Done;
            while (next < last && status == OperationStatus.Done)
            {
                long alone = last - next;
                if (end - at >= LeastChunk && last - next >= LeastChunk)
                {
                    uint* read = chunk;
                    ReadBlocks(ref at, end, ref read, chunk + Math.Min(Chunk, last - next));
                    int narrow = (int)(read - chunk);
                    Widen(chunk, narrow, next);
                    next += narrow;
                    // If the kernel found few, there are many wide values. It is asked again only after some of them.
                    alone = narrow < LeastRun ? WideRun : 1;
                }
                for (ulong* stop = next + Math.Min(alone, last - next); next < stop; next++)
                {
                    Decoded found = SevenBitGroups.Read(ref *at, (int)Math.Min(end - at, MaxSize), Flip);
                    if (found.Length <= 0)
                    {
                        status = found.Length == Decoded.NeedMoreData ? OperationStatus.NeedMoreData : OperationStatus.InvalidData;
                        break;
                    }
                    *next = found.Value;
                    at += found.Length;
                }
            }
            consumed = (int)(at - from);
            count = (int)(next - to);
            return status;
        }
    }

    /// <inheritdoc cref="WriteMany(ReadOnlySpan{uint}, Span{byte}, out int, out int)"/>
    public static OperationStatus WriteMany(ReadOnlySpan<ulong> values, Span<byte> destination, out int count, out int written)
    {
        uint* chunk = stackalloc uint[Chunk];
        fixed (ulong* from = values)
        fixed (byte* to = destination)
        {
            byte* at = to, end = to + destination.Length;
            ulong* next = from, last = from + values.Length;
            OperationStatus status = OperationStatus.Done;
            for (int wide = WideRun; next < last && status == OperationStatus.Done;)
            {
                int most = (int)Math.Min(Chunk, last - next), narrow = Narrow(next, most, chunk), alone = wide;
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
                ulong* ask = next;
                for (ulong* stop = next + Math.Min(alone, last - next); next < stop;)
                {
                    if (Vector128.IsHardwareAccelerated && next >= ask && stop - next >= 4 && end - at >= VarintFour.Reach)
                    {
                        ask = next + 4;
                        if (VarintFour.TryWrite(Vector256.Load(next), ref at))
                        {
                            next = ask;
                            continue;
                        }
                    }
                    if (end - at < MaxSize && end - at < Size(*next))
                    {
                        status = OperationStatus.DestinationTooSmall;
                        break;
                    }
                    at = Write(at, *next++);
                }
            }
            written = (int)(at - to);
            count = (int)(next - from);
            return status;
        }
    }

    // Copies values of up to 32 bits, and stops at the first greater one. Returns how many it copied.
    private static int Narrow(ulong* from, int most, uint* to)
    {
        int i = 0;
        if (Vector128.IsHardwareAccelerated)
            for (; i <= most - 8; i += 8)
            {
                // Of 128 bits also where the processor has more: there it takes as long, and elsewhere the emulated Vector256.Narrow
                // takes 6.7 times as long.
                Vector128<ulong> v0 = Vector128.Load(from + i), v2 = Vector128.Load(from + i + 2), v4 = Vector128.Load(from + i + 4),
                    v6 = Vector128.Load(from + i + 6);
                if (((v0 | v2 | v4 | v6) & Vector128.Create(~(ulong)uint.MaxValue)) != Vector128<ulong>.Zero) break;
                Vector128.Narrow(v0, v2).Store(to + i);
                Vector128.Narrow(v4, v6).Store(to + i + 4);
            }
        for (; i < most && from[i] <= uint.MaxValue; i++) to[i] = (uint)from[i];
        return i;
    }

    private static void Widen(uint* from, int count, ulong* to)
    {
        int i = 0;
        if (Vector128.IsHardwareAccelerated)
            for (; i <= count - 4; i += 4)
            {
                (Vector128<ulong> low, Vector128<ulong> high) = Vector128.Widen(Vector128.Load(from + i));
                low.Store(to + i);
                high.Store(to + i + 2);
            }
        for (; i < count; i++) to[i] = from[i];
    }
}

using MemPrims.Codecs;

namespace MemPrims.Buffers;

internal unsafe ref partial struct Writer<TRoom>
{
    // Up to so many bytes a codec writes into the room at hand. As many follow every segment, and nobody else is given them.
    private const int SmallCodec = SegmentPool.Slack;

    // A PackedLength of less than this is one byte.
    private const int LongLength = 255;

    // Writes a value of a codec.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write<TCodec, TValue>(TValue value)
        where TCodec : ICodec<TCodec, TValue>
    {
        byte* at = _position, end = _end;
        if ((uint)TCodec.MaxSize > SmallCodec || typeof(TRoom) != typeof(Unchecked) && end - at < TCodec.MaxSize)
        {
            this = WriteSlow<TCodec, TValue>(Lend(), value);
            return;
        }
        // Four fields and a varint take 3.75 ns so, and 4.05 by Varint.Write of a span ("buffers: Appender, five fields", Emerald Rapids).
        // The end is taken away meanwhile, as below: the JIT otherwise keeps it in a register that the counter of the caller's loop then
        // lacks (4.3 ns).
        if (typeof(TCodec) == typeof(Varint) && typeof(TValue) == typeof(ulong))
        {
            _end = null;
            _position = Varint.WriteInRoom(at, Unsafe.BitCast<TValue, ulong>(value));
            _end = end;
            return;
        }
        // The writer is closed while code of the codec runs. If that throws, it stays closed.
        _end = null;
        int written = TCodec.Write(new Span<byte>(at, TCodec.MaxSize), value);
        if ((uint)written > (uint)TCodec.MaxSize) BufferErrors.ThrowWroteAnotherSize(TCodec.Name, TCodec.MaxSize, written);
        _position = at + written;
        _end = end;
    }

    // Writes a primitive, an enum, a Guid, an Int128, a UInt128 or a Half, little-endian.
    // Nothing is called but Claim, and the test of the type is written out: the JIT decides it before it looks for calls to inline. A
    // message of ten fields otherwise uses up what the JIT inlines into one method, and takes twice the time ("a message of ten fields").
    // The appenders have the constraint, unmanaged. With one here the precompiler would leave it out.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write<T>(T value)
    {
        if (!typeof(T).IsPrimitive && !typeof(T).IsEnum && typeof(T) != typeof(Guid) && typeof(T) != typeof(Int128)
            && typeof(T) != typeof(UInt128) && typeof(T) != typeof(Half)) RefuseType(Lend(), typeof(T));
        byte* at = typeof(TRoom) != typeof(Unchecked) ? Claim(Unsafe.SizeOf<T>()) : _position;
        Unsafe.WriteUnaligned(at, value);
        _position = at + Unsafe.SizeOf<T>();
    }

    // Writes a varint that must not be negative.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteNotNegative(long value)
    {
        if (value < 0) RefuseNegative(Lend(), value);
        Write<Varint, ulong>((ulong)value);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteBlock(scoped ReadOnlySpan<byte> source)
    {
        byte* at = _position;
        if (source.Length < LongLength && _end - at > source.Length)
        {
            *at = (byte)source.Length;
            Block.CopyOneOfMany(new Span<byte>(at + 1, source.Length), source);
            _position = at + 1 + source.Length;
        }
        else this = WriteLongBlock(Lend(), source);
    }

    // Writes a text as UTF-8, after its length if `withLength`.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteText(scoped ReadOnlySpan<char> text, bool withLength)
    {
        byte* end = Utf8Text.TryWriteShort(_position, _end, text, withLength);
        if (end != null) _position = end;
        else this = WriteLongText(Lend(), text, withLength);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Writer<TRoom> WriteSlow<TCodec, TValue>(Writer<TRoom> to, TValue value)
        where TCodec : ICodec<TCodec, TValue>
    {
        try
        {
            int size = TCodec.Size(value);
            if (TCodec.MaxSize < 0) BufferErrors.ThrowNegativeMaxSize(TCodec.Name, TCodec.MaxSize);
            if (size < 0) BufferErrors.ThrowWroteAnotherSize(TCodec.Name, size, 0);
            byte* at = to.Claim(size);
            int written = TCodec.Write(new Span<byte>(at, size), value);
            if (written != size) BufferErrors.ThrowWroteAnotherSize(TCodec.Name, size, written);
            to._position = at + written;
            return to;
        }
        catch
        {
            // The copy may have a newer ticket than the original, which could then no longer free the list.
            to.Dispose();
            throw;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Writer<TRoom> WriteLongBlock(Writer<TRoom> to, scoped ReadOnlySpan<byte> source)
    {
        to.Write<PackedLength, ulong>((ulong)source.Length);
        to.Write(source);
        return to;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Writer<TRoom> WriteLongText(Writer<TRoom> to, scoped ReadOnlySpan<char> text, bool withLength)
    {
        int size;
        try
        {
            size = Utf8Text.Size(text);
        }
        catch
        {
            to.Dispose();
            throw;
        }
        // The sum is a long: near 2^31 it is more than an int holds.
        long prefix = withLength ? PackedLength.Size((ulong)size) : 0, total = prefix + size;
        byte* at = to.Claim(total);
        if (withLength) PackedLength.Write(at, (ulong)size);
        Utf8Text.Write(at + prefix, size, text);
        to._position = at + total;
        return to;
    }

    [DoesNotReturn]
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void RefuseNegative(Writer<TRoom> to, long value)
    {
        to.Dispose();
        BufferErrors.ThrowNegativeNumber(value);
    }

    [DoesNotReturn]
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void RefuseType(Writer<TRoom> to, Type type)
    {
        to.Dispose();
        Scalar.Refuse(type);
    }
}

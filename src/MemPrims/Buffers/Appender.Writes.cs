using System.Buffers;
using System.Runtime.CompilerServices;
using Self = MemPrims.Buffers.Appender;

namespace MemPrims.Buffers;

// Members that all three appenders have. The build writes this file again for ReservedAppender and UnsafeAppender (MemPrims.csproj). Most
// members only call AppenderWrites: its extensions could not be called on a `using` variable, which C# does not pass by ref.
//
// The others are those that a record uses: texts, blocks, frames. They never pass the address of the appender to another method, since the
// JIT would then keep its fields in memory for all writes of the record. So their slow methods take a copy and return it.
public unsafe ref partial struct Appender
{
    /// <summary>What this appender has written so far. It is not published yet. The sequence is valid until the next call.</summary>
    public readonly ReadOnlySequence<byte> Written => SegmentList.WrittenBy(_list, _position, _end, _ticket);

    /// <summary>The CRC-32C of what this appender has written so far, from the position <paramref name="from"/> of the list on.</summary>
    public readonly uint Crc32C(long from, uint seed = 0) => SegmentList.SumOf(Written, Position, from, seed);

    /// <inheritdoc cref="AppenderWrites.Write"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write<T>(T value)
        where T : unmanaged => AppenderWrites.Write(ref this, value);

    /// <inheritdoc cref="AppenderWrites.WriteBigEndian"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteBigEndian<T>(T value)
        where T : unmanaged => AppenderWrites.WriteBigEndian(ref this, value);

    /// <inheritdoc cref="AppenderWrites.WriteWithPadding"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteWithPadding<T>(in T value)
        where T : unmanaged => AppenderWrites.WriteWithPadding(ref this, in value);

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteBlock(scoped ReadOnlySpan<byte> source)
    {
        byte* at = _position;
        if (source.Length < LongLength && _end - at > source.Length)
        {
            *at = (byte)source.Length;
            Block.Copy(new Span<byte>(at + 1, source.Length), source);
            _position = at + 1 + source.Length;
        }
        else this = WriteBlockSlow(Lend(), source);
    }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteText(scoped ReadOnlySpan<char> text)
    {
        byte* end = Utf8Text.TryWriteShort(_position, _end, text, withLength: true);
        if (end != null) _position = end;
        else this = WriteTextSlow(Lend(), text, withLength: true);
    }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteUtf8(scoped ReadOnlySpan<char> text)
    {
        byte* end = Utf8Text.TryWriteShort(_position, _end, text, withLength: false);
        if (end != null) _position = end;
        else this = WriteTextSlow(Lend(), text, withLength: false);
    }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void BeginFrame(long position, uint seed = 0)
    {
        byte* at = Claim(Frame.HeaderSize), end = _end;
        // Closed meanwhile: it stays closed if the list refuses.
        _end = null;
        SegmentList.BeginFrame(_list, at, end, _ticket, position, seed);
        _end = end;
        _position = at + Frame.HeaderSize;
    }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int EndFrame()
    {
        byte* end = _end;
        _end = null;
        int size = SegmentList.EndFrame(_list, _position, end, _ticket);
        _end = end;
        return size;
    }

    /// <inheritdoc cref="AppenderWrites.WriteVarint{TAppender}(ref TAppender, ulong)"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteVarint(ulong value) => AppenderWrites.WriteVarint(ref this, value);

    /// <inheritdoc cref="AppenderWrites.WriteVarint{TAppender}(ref TAppender, long)"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteVarint(long value) => AppenderWrites.WriteVarint(ref this, value);

    /// <inheritdoc cref="AppenderWrites.WriteZigZag"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteZigZag(long value) => AppenderWrites.WriteZigZag(ref this, value);

    /// <inheritdoc cref="AppenderWrites.WritePackedLength{TAppender}(ref TAppender, ulong)"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WritePackedLength(ulong value) => AppenderWrites.WritePackedLength(ref this, value);

    /// <inheritdoc cref="AppenderWrites.WritePackedLength{TAppender}(ref TAppender, long)"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WritePackedLength(long value) => AppenderWrites.WritePackedLength(ref this, value);

    /// <inheritdoc cref="AppenderWrites.WriteSortableUInt{TAppender}(ref TAppender, ulong)"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteSortableUInt(ulong value) => AppenderWrites.WriteSortableUInt(ref this, value);

    /// <inheritdoc cref="AppenderWrites.WriteSortableUInt{TAppender}(ref TAppender, ulong, bool)"/>
    public void WriteSortableUInt(ulong value, bool descending) => AppenderWrites.WriteSortableUInt(ref this, value, descending);

    /// <inheritdoc cref="AppenderWrites.WriteLastUInt"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteLastUInt(ulong value) => AppenderWrites.WriteLastUInt(ref this, value);

    /// <inheritdoc cref="AppenderWrites.WriteVarints{TAppender}(ref TAppender, ReadOnlySpan{uint})"/>
    [OverloadResolutionPriority(1)]
    public void WriteVarints(scoped ReadOnlySpan<uint> values) => AppenderWrites.WriteVarints(ref this, values);

    /// <inheritdoc cref="AppenderWrites.WriteUIntBatch"/>
    public void WriteUIntBatch(scoped ReadOnlySpan<uint> values) => AppenderWrites.WriteUIntBatch(ref this, values);

    /// <inheritdoc cref="AppenderWrites.WriteSortableInt"/>
    public void WriteSortableInt(long value, bool descending = false) => AppenderWrites.WriteSortableInt(ref this, value, descending);

    /// <inheritdoc cref="AppenderWrites.WriteSortableDouble"/>
    public void WriteSortableDouble(double value, bool descending = false) => AppenderWrites.WriteSortableDouble(ref this, value,
        descending);

    /// <inheritdoc cref="AppenderWrites.WriteSortableBlock"/>
    public void WriteSortableBlock(scoped ReadOnlySpan<byte> block, bool descending = false) =>
        AppenderWrites.WriteSortableBlock(ref this, block, descending);

    /// <inheritdoc cref="AppenderWrites.WriteSortableText"/>
    public void WriteSortableText(scoped ReadOnlySpan<char> text, bool descending = false) =>
        AppenderWrites.WriteSortableText(ref this, text, descending);

    /// <inheritdoc cref="AppenderWrites.WriteFrame{TAppender}(ref TAppender, ReadOnlySpan{byte}, long, uint)"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int WriteFrame(scoped ReadOnlySpan<byte> payload, long position, uint seed = 0)
    {
        byte* end = Frame.TryWrite(_position, _end, payload, position, seed);
        if (end != null) _position = end;
        else this = WriteFrameSlow(Lend(), payload, position, seed);
        return Frame.HeaderSize + payload.Length;
    }

    /// <inheritdoc cref="AppenderWrites.WriteFrame{TAppender}(ref TAppender, in ReadOnlySequence{byte}, long, uint)"/>
    public int WriteFrame(in ReadOnlySequence<byte> payload, long position, uint seed = 0) =>
        AppenderWrites.WriteFrame(ref this, in payload, position, seed);

    /// <inheritdoc cref="AppenderWrites.WriteVarints{TAppender}(ref TAppender, ReadOnlySpan{ulong})"/>
    public void WriteVarints(scoped ReadOnlySpan<ulong> values) => AppenderWrites.WriteVarints(ref this, values);

    /// <inheritdoc cref="AppenderWrites.WriteVarints{TAppender}(ref TAppender, ReadOnlySpan{int})"/>
    public void WriteVarints(scoped ReadOnlySpan<int> values) => AppenderWrites.WriteVarints(ref this, values);

    /// <inheritdoc cref="AppenderWrites.WriteVarints{TAppender}(ref TAppender, ReadOnlySpan{long})"/>
    public void WriteVarints(scoped ReadOnlySpan<long> values) => AppenderWrites.WriteVarints(ref this, values);

    /// <inheritdoc cref="AppenderWrites.WriteZigZags{TAppender}(ref TAppender, ReadOnlySpan{long})"/>
    [OverloadResolutionPriority(1)]
    public void WriteZigZags(scoped ReadOnlySpan<long> values) => AppenderWrites.WriteZigZags(ref this, values);

    /// <inheritdoc cref="AppenderWrites.WriteZigZags{TAppender}(ref TAppender, ReadOnlySpan{int})"/>
    public void WriteZigZags(scoped ReadOnlySpan<int> values) => AppenderWrites.WriteZigZags(ref this, values);

    // A PackedLength of less than this is one byte.
    private const int LongLength = 255;

    // A copy for a slow method. The appender is closed until the copy comes back, and stays closed if the method throws.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Self Lend()
    {
        Self lent = this;
        _end = null;
        return lent;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Self WriteBlockSlow(Self to, scoped ReadOnlySpan<byte> source)
    {
        AppenderWrites.WritePackedLength(ref to, (ulong)source.Length);
        to.Write(source);
        return to;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Self WriteTextSlow(Self to, scoped ReadOnlySpan<char> text, bool withLength)
    {
        AppenderWrites.WriteLongText(ref to, text, withLength);
        return to;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Self WriteFrameSlow(Self to, scoped ReadOnlySpan<byte> payload, long position, uint seed)
    {
        AppenderWrites.WriteFrame(ref to, payload, position, seed);
        return to;
    }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void MoveTo(byte* end) => _position = end;

    private void RefuseHole(int bytes)
    {
        Cancel();
        BufferErrors.NegativeLength(nameof(bytes), bytes);
    }
}

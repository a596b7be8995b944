using System.Runtime.CompilerServices;

namespace MemPrims.Buffers;

// The members of AppenderWrites again, one line each. The extensions alone could not be called on a `using` variable: C# passes none by
// ref. The build makes the same for ReservedAppender and UnsafeAppender out of this file (MemPrims.csproj).
public unsafe ref partial struct Appender
{
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

    /// <inheritdoc cref="AppenderWrites.WriteUtf8"/>
    public void WriteUtf8(scoped ReadOnlySpan<char> text) => AppenderWrites.WriteUtf8(ref this, text);

    /// <inheritdoc cref="AppenderWrites.WriteBlock"/>
    public void WriteBlock(scoped ReadOnlySpan<byte> source) => AppenderWrites.WriteBlock(ref this, source);

    /// <inheritdoc cref="AppenderWrites.WriteText"/>
    public void WriteText(scoped ReadOnlySpan<char> text) => AppenderWrites.WriteText(ref this, text);

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

    /// <inheritdoc cref="AppenderWrites.WriteSortableUInt"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteSortableUInt(ulong value) => AppenderWrites.WriteSortableUInt(ref this, value);

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

    /// <inheritdoc cref="AppenderWrites.WriteFrame"/>
    public void WriteFrame(scoped ReadOnlySpan<byte> payload, long position, uint seed = 0) => AppenderWrites.WriteFrame(ref this,
        payload, position, seed);

    /// <inheritdoc cref="AppenderWrites.WriteVarints{TAppender}(ref TAppender, ReadOnlySpan{ulong})"/>
    public void WriteVarints(scoped ReadOnlySpan<ulong> values) => AppenderWrites.WriteVarints(ref this, values);

    /// <inheritdoc cref="AppenderWrites.WriteZigZags"/>
    public void WriteZigZags(scoped ReadOnlySpan<long> values) => AppenderWrites.WriteZigZags(ref this, values);
}

using System.Buffers;
using System.Runtime.CompilerServices;
using MemPrims.Codecs;

namespace MemPrims.Buffers;

/// <summary>
/// Appends to a <see cref="SegmentList"/> without any check. Its room is reserved once, when it is opened. It is the fastest appender,
/// for writes whose size is known beforehand.
/// </summary>
/// <remarks>
/// <para><b>Readable range.</b> Only what is given to a write is read. All writes together must stay within the bytes reserved, or, inside
/// a value that encodes itself, within its bound. Writing more is noticed only at Commit, or at the end of the value: too late for the
/// memory after it.</para>
/// <para><b>Overlap.</b> A block that is written must not lie in the reservation.</para>
/// <para><b>Alignment.</b> Any.</para>
/// <para><b>Lifetime.</b> From the constructor to Commit, Cancel or Dispose. The list must not be disposed meanwhile. Writes after that
/// are not noticed. An <see cref="IEncodable{TSelf}"/> may copy it to a local variable while it encodes, and assigns it back at its
/// end.</para>
/// <para><b>Wrong length.</b> Writing past the reservation overwrites other memory of the process.</para>
/// </remarks>
public ref struct UnsafeAppender : IAppender
{
    private Writer<Unchecked> _to;

    /// <summary>Opens an appender that has room for <paramref name="bytes"/> bytes, in one segment.</summary>
    /// <exception cref="InvalidOperationException">Another one is open.</exception>
    public UnsafeAppender(SegmentList list, long bytes) => _to = new(list, bytes);

    internal unsafe UnsafeAppender(byte* position, byte* end, long type) => _to = new(position, end, type);

    internal readonly unsafe byte* Place => _to.Place;

    /// <summary>How many bytes of the reservation are left.</summary>
    public readonly long RoomLeft => _to.RoomLeft;

    /// <inheritdoc/>
    public readonly long Position => _to.Position;
    /// <inheritdoc/>
    public readonly ReadOnlySequence<byte> Written => _to.Written;
    /// <inheritdoc/>
    public readonly uint Crc32C(long from, uint seed = 0) => _to.Crc32C(from, seed);
    /// <inheritdoc/>
    public void Write<TCodec, TValue>(TValue value)
        where TCodec : ICodec<TCodec, TValue> => _to.Write<TCodec, TValue>(value);
    /// <inheritdoc/>
    public void Write<T>(T value)
        where T : unmanaged => _to.Write(value);
    /// <inheritdoc/>
    public void WriteBigEndian<T>(T value)
        where T : unmanaged => _to.WriteBigEndian(value);
    /// <inheritdoc/>
    public void WriteWithPadding<T>(in T value)
        where T : unmanaged => _to.WriteWithPadding(in value);
    /// <inheritdoc/>
    public void Write(scoped ReadOnlySpan<byte> source) => _to.Write(source);
    /// <inheritdoc/>
    public void WriteBlock(scoped ReadOnlySpan<byte> source) => _to.WriteBlock(source);
    /// <inheritdoc/>
    public void WriteText(scoped ReadOnlySpan<char> text) => _to.WriteText(text, withLength: true);
    /// <inheritdoc/>
    public void WriteUtf8(scoped ReadOnlySpan<char> text) => _to.WriteText(text, withLength: false);
    /// <inheritdoc/>
    public void Append<T>(in T value)
        where T : IEncodable<T>, allows ref struct => _to.Append(in value);
    /// <inheritdoc/>
    public void WriteVarint(ulong value) => _to.Write<Varint, ulong>(value);
    /// <inheritdoc/>
    public void WriteVarint(long value) => _to.WriteNotNegative<Varint>(value);
    /// <inheritdoc/>
    public void WriteZigZag(long value) => _to.Write<Varint, ulong>(Varint.ZigZag(value));
    /// <inheritdoc/>
    [OverloadResolutionPriority(1)]
    public void WriteVarints(scoped ReadOnlySpan<uint> values) => _to.WriteMany<Varint, uint>(values);
    /// <inheritdoc/>
    public void WriteVarints(scoped ReadOnlySpan<ulong> values) => _to.WriteMany<Varint, ulong>(values);
    /// <inheritdoc/>
    public void WriteVarints(scoped ReadOnlySpan<int> values) => _to.WriteManyNotNegative(values);
    /// <inheritdoc/>
    public void WriteVarints(scoped ReadOnlySpan<long> values) => _to.WriteManyNotNegative(values);
    /// <inheritdoc/>
    [OverloadResolutionPriority(1)]
    public void WriteZigZags(scoped ReadOnlySpan<long> values) => _to.WriteMany<ZigZags, long>(values);
    /// <inheritdoc/>
    public void WriteZigZags(scoped ReadOnlySpan<int> values) => _to.WriteMany<ZigZags, int>(values);
    /// <inheritdoc/>
    public void WriteUIntBatch(scoped ReadOnlySpan<uint> values) => _to.WriteUIntBatch(values);
    /// <inheritdoc/>
    public void WritePackedLength(ulong value) => _to.Write<PackedLength, ulong>(value);
    /// <inheritdoc/>
    public void WritePackedLength(long value) => _to.WriteNotNegative<PackedLength>(value);
    /// <inheritdoc/>
    public void WriteLastUInt(ulong value) => _to.Write<LastUInt, ulong>(value);
    /// <inheritdoc/>
    public void WriteSortableUInt(ulong value) => _to.Write<SortableUInt, ulong>(value);
    /// <inheritdoc/>
    public void WriteSortableUInt(ulong value, bool descending) => _to.WriteSortableUInt(value, descending);
    /// <inheritdoc/>
    public void WriteSortableInt(long value, bool descending = false) => _to.WriteSortableInt(value, descending);
    /// <inheritdoc/>
    public void WriteSortableDouble(double value, bool descending = false) => _to.WriteSortableDouble(value, descending);
    /// <inheritdoc/>
    public void WriteSortableBlock(scoped ReadOnlySpan<byte> block, bool descending = false) => _to.WriteSortableBlock(block, descending);
    /// <inheritdoc/>
    public void WriteSortableText(scoped ReadOnlySpan<char> text, bool descending = false) => _to.WriteSortableText(text, descending);
    /// <inheritdoc/>
    public int WriteFrame(scoped ReadOnlySpan<byte> payload, long position, uint seed = 0) => _to.WriteFrame(payload, position, seed);
    /// <inheritdoc/>
    public int WriteFrame(in ReadOnlySequence<byte> payload, long position, uint seed = 0) => _to.WriteFrame(in payload, position, seed);
    /// <inheritdoc/>
    public void BeginFrame(long position, uint seed = 0) => _to.BeginFrame(position, seed);
    /// <inheritdoc/>
    public int EndFrame() => _to.EndFrame();
    /// <inheritdoc/>
    public Hole LeaveHole(int bytes) => _to.LeaveHole(bytes);
    /// <inheritdoc/>
    public void Commit() => _to.Commit();
    /// <inheritdoc/>
    public void Cancel() => _to.Cancel();

    /// <summary>Drops what was written, unless <see cref="Commit"/> published it, and closes the appender.</summary>
    public void Dispose() => _to.Dispose();
}

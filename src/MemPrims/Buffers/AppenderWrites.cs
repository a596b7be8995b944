using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using MemPrims.Codecs;

namespace MemPrims.Buffers;

/// <summary>
/// The Write methods of the appenders, once for all three. They are extensions, for generic code. The appenders also have them as members,
/// since C# does not pass a `using` variable by ref. A method that throws closes the appender.
/// </summary>
public static unsafe class AppenderWrites
{
    extension<TAppender>(ref TAppender to)
        where TAppender : struct, IAppender, allows ref struct
    {
        /// <summary>
        /// Writes a primitive, an enum, a Guid, an Int128, a UInt128 or a Half, little-endian. A Guid is written as it lies in memory.
        /// </summary>
        /// <exception cref="NotSupportedException">Any other type: it might have padding.</exception>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void Write<T>(T value)
            where T : unmanaged
        {
            Scalar.Require<TAppender, T>(ref to);
            byte* at = to.Claim(sizeof(T));
            Unsafe.WriteUnaligned(at, value);
            to.MoveTo(at + sizeof(T));
        }

        /// <summary>Writes what <see cref="Write"/> writes, with the high byte first. A Guid is written in the order of its
        /// text.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void WriteBigEndian<T>(T value)
            where T : unmanaged
        {
            Scalar.Require<TAppender, T>(ref to);
            byte* at = to.Claim(sizeof(T));
            Unsafe.WriteUnaligned(at, Scalar.Swap(value));
            to.MoveTo(at + sizeof(T));
        }

        /// <summary>Writes a struct as it lies in memory, with whatever its padding bytes contain.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void WriteWithPadding<T>(in T value)
            where T : unmanaged
        {
            byte* at = to.Claim(sizeof(T));
            Unsafe.WriteUnaligned(at, value);
            to.MoveTo(at + sizeof(T));
        }

        /// <summary>Writes a <see cref="Varint"/>.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void WriteVarint(ulong value) => to.MoveTo(Varint.Write(to.Claim(TAppender.Grows ? Varint.MaxSize : Varint.Size(value)),
            value));

        /// <summary>Writes a number that is not negative, a length for example, as a <see cref="Varint"/>.</summary>
        /// <exception cref="ArgumentOutOfRangeException">The number is negative. <see cref="WriteZigZag"/> writes these.</exception>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void WriteVarint(long value)
        {
            if (value < 0) RefuseNegative(ref to, value);
            to.WriteVarint((ulong)value);
        }

        /// <summary>Writes a signed number as a <see cref="Varint"/>. Small ones of either sign take few bytes.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void WriteZigZag(long value) => to.WriteVarint(Varint.ZigZag(value));

        /// <summary>Writes a <see cref="PackedLength"/>.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void WritePackedLength(ulong value) =>
            to.MoveTo(PackedLength.Write(to.Claim(TAppender.Grows ? PackedLength.MaxSize : PackedLength.Size(value)), value));

        /// <summary>Writes a number that is not negative as a <see cref="PackedLength"/>.</summary>
        /// <exception cref="ArgumentOutOfRangeException">The number is negative.</exception>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void WritePackedLength(long value)
        {
            if (value < 0) RefuseNegative(ref to, value);
            to.WritePackedLength((ulong)value);
        }

        /// <summary>Writes a <see cref="SortableUInt"/>.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void WriteSortableUInt(ulong value) =>
            to.MoveTo(SortableUInt.Write(to.Claim(TAppender.Grows ? SortableUInt.MaxSize : SortableUInt.Size(value)), value));

        /// <summary>Writes an unsigned number as a part of a key, in ascending or descending order: <see cref="SortableKey"/>.</summary>
        public void WriteSortableUInt(ulong value, bool descending)
        {
            Span<byte> part = stackalloc byte[SortableUInt.MaxSize];
            to.Write(part[..SortableKey.WriteUInt(part, value, descending)]);
        }

        /// <summary>Writes a <see cref="LastUInt"/>.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void WriteLastUInt(ulong value) => to.MoveTo(LastUInt.Write(to.Claim(TAppender.Grows ? LastUInt.MaxSize
            : LastUInt.Size(value)), value));

        /// <summary>Writes many numbers as varints. Of a List, take <c>CollectionsMarshal.AsSpan</c>.</summary>
        [OverloadResolutionPriority(1)]
        public void WriteVarints(scoped ReadOnlySpan<uint> values) => WriteMany<TAppender, uint, Varints32>(ref to, values);

        /// <inheritdoc cref="WriteVarints{TAppender}(ref TAppender, ReadOnlySpan{uint})"/>
        public void WriteVarints(scoped ReadOnlySpan<ulong> values) => WriteMany<TAppender, ulong, Varints64>(ref to, values);

        /// <inheritdoc cref="WriteVarints{TAppender}(ref TAppender, ReadOnlySpan{uint})"/>
        /// <exception cref="ArgumentOutOfRangeException">A number is negative. <see cref="WriteZigZags{TAppender}(ref TAppender,
        /// ReadOnlySpan{int})"/> writes these. Nothing was written.</exception>
        public void WriteVarints(scoped ReadOnlySpan<int> values)
        {
            if (values.IndexOfAnyExceptInRange(0, int.MaxValue) is var at && at >= 0) RefuseNegative(ref to, values[at]);
            to.WriteVarints(MemoryMarshal.Cast<int, uint>(values));
        }

        /// <inheritdoc cref="WriteVarints{TAppender}(ref TAppender, ReadOnlySpan{int})"/>
        public void WriteVarints(scoped ReadOnlySpan<long> values)
        {
            if (values.IndexOfAnyExceptInRange(0, long.MaxValue) is var at && at >= 0) RefuseNegative(ref to, values[at]);
            to.WriteVarints(MemoryMarshal.Cast<long, ulong>(values));
        }

        /// <summary>Writes many signed numbers as <see cref="WriteZigZag"/> writes one.</summary>
        [OverloadResolutionPriority(1)]
        public void WriteZigZags(scoped ReadOnlySpan<long> values) => WriteMany<TAppender, long, ZigZags64>(ref to, values);

        /// <inheritdoc cref="WriteZigZags{TAppender}(ref TAppender, ReadOnlySpan{long})"/>
        public void WriteZigZags(scoped ReadOnlySpan<int> values) => WriteMany<TAppender, int, ZigZags32>(ref to, values);

        /// <summary>Writes a signed number as a part of a key: <see cref="SortableKey"/>.</summary>
        public void WriteSortableInt(long value, bool descending = false)
        {
            Span<byte> part = stackalloc byte[SortableKey.MaxSizeOfInt];
            to.Write(part[..SortableKey.WriteInt(part, value, descending)]);
        }

        /// <summary>Writes a double as a part of a key: <see cref="SortableKey"/>.</summary>
        public void WriteSortableDouble(double value, bool descending = false)
        {
            Span<byte> part = stackalloc byte[SortableKey.SizeOfDouble];
            to.Write(part[..SortableKey.WriteDouble(part, value, descending)]);
        }

        /// <summary>Writes a block as a part of a key: <see cref="SortableKey"/>.</summary>
        public void WriteSortableBlock(scoped ReadOnlySpan<byte> block, bool descending = false)
        {
            int size = checked((int)SortableKey.SizeOfBlock(block));
            byte* at = to.Claim(size);
            if (to.RoomLeft < size) to.FailOverrun(size);
            SortableKey.WriteBlock(new(at, size), block, descending);
            to.MoveTo(at + size);
        }

        /// <summary>Writes a text as a part of a key: <see cref="SortableKey"/>.</summary>
        /// <exception cref="ArgumentException">The text has half of a surrogate pair.</exception>
        public void WriteSortableText(scoped ReadOnlySpan<char> text, bool descending = false)
        {
            int size = checked((int)(SizeOfUtf8(ref to, text) + (long)text.Count('\0') + 2));
            byte* at = to.Claim(size);
            if (to.RoomLeft < size) to.FailOverrun(size);
            SortableKey.WriteText(new(at, size), text, descending);
            to.MoveTo(at + size);
        }

        /// <summary>
        /// Writes a <see cref="Frame"/> around a payload; returns the bytes it took. The position is the frame's own in the log. It need
        /// not be the one in this list.
        /// </summary>
        public int WriteFrame(scoped ReadOnlySpan<byte> payload, long position, uint seed = 0)
        {
            WriteHeader(ref to, position, payload.Length, Checksum.Crc32C(Frame.SumOfHeader(payload.Length, position, seed), payload));
            to.Write(payload);
            return Frame.HeaderSize + payload.Length;
        }

        /// <inheritdoc cref="WriteFrame{TAppender}(ref TAppender, ReadOnlySpan{byte}, long, uint)"/>
        /// <remarks>The bytes may be those of another <see cref="SegmentList"/>. They must not change meanwhile.</remarks>
        public int WriteFrame(in ReadOnlySequence<byte> payload, long position, uint seed = 0)
        {
            if (payload.IsSingleSegment) return to.WriteFrame(payload.FirstSpan, position, seed);
            int length = (int)Math.Min(payload.Length, int.MaxValue);
            WriteHeader(ref to, position, payload.Length, Checksum.Crc32C(Frame.SumOfHeader(length, position, seed), in payload));
            foreach (ReadOnlyMemory<byte> part in payload) to.Write(part.Span);
            return Frame.HeaderSize + length;
        }

        /// <summary>Writes many numbers as a <see cref="UIntBatch"/>, in one segment.</summary>
        public void WriteUIntBatch(scoped ReadOnlySpan<uint> values)
        {
            long size = TAppender.Grows ? UIntBatch.MaxSize(values.Length) : UIntBatch.Size(values);
            byte* at = to.Claim(size);
            if (UIntBatch.WriteMany(values, Room(ref to, at), out _, out int written) != OperationStatus.Done) to.FailOverrun(size);
            to.MoveTo(at + written);
        }
    }

    /// <summary>Writes a text of any length. The members of the appenders do short ones themselves.</summary>
    internal static void WriteLongText<TAppender>(ref TAppender to, scoped ReadOnlySpan<char> text, bool withLength)
        where TAppender : struct, IAppender, allows ref struct
    {
        int size = SizeOfUtf8(ref to, text);
        // The sum is a long: near 2^31 it is more than an int holds.
        long prefix = withLength ? PackedLength.Size((ulong)size) : 0, total = prefix + size;
        byte* at = to.Claim(total);
        if (withLength) PackedLength.Write(at, (ulong)size);
        Utf8Text.Write(at + prefix, size, text);
        to.MoveTo(at + total);
    }

    // Writes as many values as the memory at hand holds, then asks for more.
    private static void WriteMany<TAppender, T, TMany>(ref TAppender to, scoped ReadOnlySpan<T> values)
        where TAppender : struct, IAppender, allows ref struct
        where TMany : IMany<T>
    {
        while (!values.IsEmpty)
        {
            byte* at = to.Claim(TMany.Size(values[0]));
            TMany.Write(values, Room(ref to, at), out int count, out int written);
            if (count == 0) to.FailOverrun(TMany.Size(values[0]));
            to.MoveTo(at + written);
            values = values[count..];
        }
    }

    private static Span<byte> Room<TAppender>(ref TAppender to, byte* at)
        where TAppender : struct, IAppender, allows ref struct => new(at, (int)Math.Clamp(to.RoomLeft, 0, int.MaxValue));

    private static int SizeOfUtf8<TAppender>(ref TAppender to, scoped ReadOnlySpan<char> text)
        where TAppender : struct, IAppender, allows ref struct
    {
        try
        {
            return Utf8Text.Size(text);
        }
        catch
        {
            to.Cancel();
            throw;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void RefuseNegative<TAppender>(ref TAppender to, long value)
        where TAppender : struct, IAppender, allows ref struct
    {
        to.Cancel();
        BufferErrors.NegativeNumber(value);
    }

    private static void WriteHeader<TAppender>(ref TAppender to, long position, long length, uint sum)
        where TAppender : struct, IAppender, allows ref struct
    {
        if (position < 0 || length > Frame.MaxPayload)
        {
            to.Cancel();
            if (position < 0) BufferErrors.NegativePosition(position);
            BufferErrors.PayloadOutOfRange(length);
        }
        byte* at = to.Claim(Frame.HeaderSize);
        Frame.StoreHeader(new(at, Frame.HeaderSize), (int)length, position, sum);
        to.MoveTo(at + Frame.HeaderSize);
    }

    private interface IMany<T>
    {
        static abstract int Size(T value);

        static abstract void Write(ReadOnlySpan<T> values, Span<byte> destination, out int count, out int written);
    }

    private readonly struct Varints32 : IMany<uint>
    {
        public static int Size(uint value) => Varint.Size((ulong)value);

        public static void Write(ReadOnlySpan<uint> values, Span<byte> destination, out int count, out int written) =>
            Varint.WriteMany(values, destination, out count, out written);
    }

    private readonly struct Varints64 : IMany<ulong>
    {
        public static int Size(ulong value) => Varint.Size(value);

        public static void Write(ReadOnlySpan<ulong> values, Span<byte> destination, out int count, out int written) =>
            Varint.WriteMany(values, destination, out count, out written);
    }

    private readonly struct ZigZags64 : IMany<long>
    {
        public static int Size(long value) => Varint.SizeZigZag(value);

        public static void Write(ReadOnlySpan<long> values, Span<byte> destination, out int count, out int written) =>
            Varint.WriteManyZigZag(values, destination, out count, out written);
    }

    private readonly struct ZigZags32 : IMany<int>
    {
        public static int Size(int value) => Varint.SizeZigZag(value);

        public static void Write(ReadOnlySpan<int> values, Span<byte> destination, out int count, out int written) =>
            Varint.WriteManyZigZag(values, destination, out count, out written);
    }
}

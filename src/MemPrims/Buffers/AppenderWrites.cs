using System.Buffers;
using System.Runtime.CompilerServices;
using MemPrims.Codecs;

namespace MemPrims.Buffers;

/// <summary>
/// Every Write method of the appenders, once for all three. They are extensions for generic code; the appenders also have them as members
/// of their own, one line each, since C# passes no `using` variable by ref. Whatever throws in here closes the appender.
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

        /// <summary>The same with the high byte first; a Guid in the order of its text.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void WriteBigEndian<T>(T value)
            where T : unmanaged
        {
            Scalar.Require<TAppender, T>(ref to);
            byte* at = to.Claim(sizeof(T));
            Unsafe.WriteUnaligned(at, Scalar.Swap(value));
            to.MoveTo(at + sizeof(T));
        }

        /// <summary>Writes a struct as it lies in memory. Whatever its padding holds goes along.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void WriteWithPadding<T>(in T value)
            where T : unmanaged
        {
            byte* at = to.Claim(sizeof(T));
            Unsafe.WriteUnaligned(at, value);
            to.MoveTo(at + sizeof(T));
        }

        /// <summary>Writes text as UTF-8, without its length.</summary>
        /// <exception cref="ArgumentException">The text has half of a surrogate pair.</exception>
        public void WriteUtf8(scoped ReadOnlySpan<char> text)
        {
            int size = SizeOfUtf8(ref to, text);
            byte* at = to.Claim(size);
            Utf8Text.Write(at, size, text);
            to.MoveTo(at + size);
        }

        /// <summary>Writes a block behind its length, a <see cref="PackedLength"/>.</summary>
        public void WriteBlock(scoped ReadOnlySpan<byte> source)
        {
            to.WritePackedLength((ulong)source.Length);
            to.Write(source);
        }

        /// <summary>Writes text as UTF-8 behind its length in bytes, a <see cref="PackedLength"/>.</summary>
        /// <exception cref="ArgumentException">The text has half of a surrogate pair.</exception>
        public void WriteText(scoped ReadOnlySpan<char> text)
        {
            int size = SizeOfUtf8(ref to, text);
            // Added as 64-bit numbers: near 2^31 the sum is more than an int holds.
            long total = PackedLength.Size((ulong)size) + (long)size;
            byte* at = to.Claim(total);
            Utf8Text.Write(PackedLength.Write(at, (ulong)size), size, text);
            to.MoveTo(at + total);
        }

        /// <summary>Writes a <see cref="Varint"/>.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void WriteVarint(ulong value) => to.MoveTo(Varint.Write(to.Claim(TAppender.Grows ? Varint.MaxSize : Varint.Size(value)),
            value));

        /// <summary>Writes a number that is not negative, a length for example, as a <see cref="Varint"/>.</summary>
        /// <exception cref="ArgumentOutOfRangeException">The number is negative: write it by <see cref="WriteZigZag"/>.</exception>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void WriteVarint(long value)
        {
            if (value < 0) RefuseNegative(ref to, value);
            to.WriteVarint((ulong)value);
        }

        /// <summary>Writes a signed number as a <see cref="Varint"/>: small ones of either sign take few bytes.</summary>
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

        /// <summary>Writes a <see cref="LastUInt"/>.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void WriteLastUInt(ulong value) => to.MoveTo(LastUInt.Write(to.Claim(TAppender.Grows ? LastUInt.MaxSize
            : LastUInt.Size(value)), value));

        /// <summary>Writes many numbers as varints.</summary>
        [OverloadResolutionPriority(1)]
        public void WriteVarints(scoped ReadOnlySpan<uint> values)
        {
            while (!values.IsEmpty)
            {
                byte* at = to.Claim(Varint.Size(values[0]));
                Varint.WriteMany(values, Room(ref to, at), out int count, out int written);
                if (count == 0) to.FailOverrun(Varint.Size(values[0]));
                to.MoveTo(at + written);
                values = values[count..];
            }
        }

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

        /// <summary>Writes a <see cref="Frame"/> around a payload. The position is the frame's own in the log, not in this list.</summary>
        public void WriteFrame(scoped ReadOnlySpan<byte> payload, long position, uint seed = 0)
        {
            Span<byte> header = stackalloc byte[Frame.HeaderSize];
            Frame.WriteHeader(header, payload, position, seed);
            to.Write(header);
            to.Write(payload);
        }

        /// <summary>Writes many numbers as varints.</summary>
        public void WriteVarints(scoped ReadOnlySpan<ulong> values)
        {
            while (!values.IsEmpty)
            {
                byte* at = to.Claim(Varint.Size(values[0]));
                Varint.WriteMany(values, Room(ref to, at), out int count, out int written);
                if (count == 0) to.FailOverrun(Varint.Size(values[0]));
                to.MoveTo(at + written);
                values = values[count..];
            }
        }

        /// <summary>Writes many signed numbers as <see cref="WriteZigZag"/> does one.</summary>
        public void WriteZigZags(scoped ReadOnlySpan<long> values)
        {
            while (!values.IsEmpty)
            {
                byte* at = to.Claim(Varint.SizeZigZag(values[0]));
                Varint.WriteManyZigZag(values, Room(ref to, at), out int count, out int written);
                if (count == 0) to.FailOverrun(Varint.SizeZigZag(values[0]));
                to.MoveTo(at + written);
                values = values[count..];
            }
        }

        /// <summary>Writes many numbers as a <see cref="UIntBatch"/>, side by side in memory.</summary>
        public void WriteUIntBatch(scoped ReadOnlySpan<uint> values)
        {
            long size = TAppender.Grows ? UIntBatch.MaxSize(values.Length) : UIntBatch.Size(values);
            byte* at = to.Claim(size);
            if (UIntBatch.WriteMany(values, Room(ref to, at), out _, out int written) != OperationStatus.Done) to.FailOverrun(size);
            to.MoveTo(at + written);
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
}

using MemPrims.Codecs;

namespace MemPrims.Buffers;

/// <summary>
/// The reads of named items, once for both readers: TryReadX and ReadX for a WriteX of an appender. They name a codec.
/// </summary>
public static class ReaderItems
{
    extension<TReader>(ref TReader from)
        where TReader : struct, IReader, allows ref struct
    {
        /// <summary>Reads a <see cref="Varint"/>.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public bool TryReadVarint(out ulong value) => from.TryRead<Varint, ulong>(out value);

        /// <summary>Reads a <see cref="Varint"/> that fits 32 bits. A greater one is InvalidData.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public bool TryReadVarintUInt32(out uint value) => from.TryRead<Varint, uint>(out value);

        /// <inheritdoc cref="TryReadVarintUInt32"/>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public uint ReadVarintUInt32() => from.Read<Varint, uint>();

        /// <summary>Reads a <see cref="Varint"/> that fits an int, a count for example. A greater one is InvalidData.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public bool TryReadVarintInt32(out int value) => from.TryRead<Varint, int>(out value);

        /// <inheritdoc cref="TryReadVarintInt32"/>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public int ReadVarintInt32() => from.Read<Varint, int>();

        /// <summary>Reads a signed number of WriteZigZag.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public bool TryReadZigZag(out long value)
        {
            bool isRead = from.TryRead<Varint, ulong>(out ulong folded);
            value = Varint.UnZigZag(folded);
            return isRead;
        }

        /// <inheritdoc cref="TryReadZigZag"/>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public long ReadZigZag() => Varint.UnZigZag(from.ReadVarint());
    }
}

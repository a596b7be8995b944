using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MemPrims.Codecs;

/// <summary>
/// A primitive, an enum, a Guid, an Int128, a UInt128 or a Half as it lies in memory: the low byte first. A bool is 00 or 01.
/// </summary>
/// <exception cref="NotSupportedException">Any other type: it might have padding.</exception>
public readonly unsafe struct LittleEndian<T> : ICodec<LittleEndian<T>, T>
    where T : unmanaged
{
    static string ICodec<LittleEndian<T>, T>.Name => typeof(T).Name;

    static int ICodec<LittleEndian<T>, T>.MaxSize => sizeof(T);

    static int ICodec<LittleEndian<T>, T>.Size(T value) => sizeof(T);

    /// <inheritdoc cref="Varint.Write(Span{byte}, ulong)"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Write(Span<byte> destination, T value)
    {
        Scalar.Require<T>();
        return AnyBytes<T>.Write(destination, value);
    }

    /// <inheritdoc cref="Varint.Read(ReadOnlySpan{byte}, out ulong, out int)"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static OperationStatus Read(ReadOnlySpan<byte> source, out T value, out int consumed)
    {
        Scalar.Require<T>();
        // A bool of any other byte is neither true nor false: the caller never gets one.
        if (typeof(T) != typeof(bool) || source.IsEmpty || source[0] <= 1) return AnyBytes<T>.Read(source, out value, out consumed);
        value = default;
        consumed = 0;
        return OperationStatus.InvalidData;
    }
}

/// <summary>The same types with the high byte first. A Guid is written in the order of its text.</summary>
/// <inheritdoc cref="LittleEndian{T}"/>
public readonly unsafe struct BigEndian<T> : ICodec<BigEndian<T>, T>
    where T : unmanaged
{
    static string ICodec<BigEndian<T>, T>.Name => typeof(T).Name;

    static int ICodec<BigEndian<T>, T>.MaxSize => sizeof(T);

    static int ICodec<BigEndian<T>, T>.Size(T value) => sizeof(T);

    /// <inheritdoc cref="Varint.Write(Span{byte}, ulong)"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Write(Span<byte> destination, T value) => AnyBytes<T>.Write(destination, Scalar.Swap(value));

    /// <inheritdoc cref="Varint.Read(ReadOnlySpan{byte}, out ulong, out int)"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static OperationStatus Read(ReadOnlySpan<byte> source, out T value, out int consumed)
    {
        OperationStatus status = LittleEndian<T>.Read(source, out value, out consumed);
        if (status == OperationStatus.Done) value = Scalar.Swap(value);
        return status;
    }
}

/// <summary>Any struct as it lies in memory, with whatever its padding contains. Any bytes are read as one.</summary>
public readonly unsafe struct AnyBytes<T> : ICodec<AnyBytes<T>, T>
    where T : unmanaged
{
    static string ICodec<AnyBytes<T>, T>.Name => typeof(T).Name;

    static int ICodec<AnyBytes<T>, T>.MaxSize => sizeof(T);

    static int ICodec<AnyBytes<T>, T>.Size(T value) => sizeof(T);

    /// <inheritdoc cref="Varint.Write(Span{byte}, ulong)"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Write(Span<byte> destination, T value)
    {
        if (destination.Length < sizeof(T)) CodecErrors.DestinationTooShort(destination.Length, sizeof(T));
        Unsafe.WriteUnaligned(ref MemoryMarshal.GetReference(destination), value);
        return sizeof(T);
    }

    /// <inheritdoc cref="Varint.Read(ReadOnlySpan{byte}, out ulong, out int)"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static OperationStatus Read(ReadOnlySpan<byte> source, out T value, out int consumed)
    {
        bool isWhole = source.Length >= sizeof(T);
        value = isWhole ? Unsafe.ReadUnaligned<T>(ref MemoryMarshal.GetReference(source)) : default;
        consumed = isWhole ? sizeof(T) : 0;
        return isWhole ? OperationStatus.Done : OperationStatus.NeedMoreData;
    }
}

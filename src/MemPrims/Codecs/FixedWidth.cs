using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MemPrims.Codecs;

/// <summary>
/// A primitive, an enum, a Guid, an Int128, a UInt128 or a Half as it lies in memory: the low byte first. A bool is 00 or 01.
/// </summary>
/// <exception cref="NotSupportedException">Any other type: it might have padding.</exception>
public readonly struct LittleEndian<T> : ICodec<LittleEndian<T>, T>
    where T : unmanaged
{
    /// <inheritdoc/>
    public static string Name => typeof(T).Name;

    /// <inheritdoc/>
    public static unsafe int MaxSize => sizeof(T);

    /// <inheritdoc/>
    public static int Size(T value) => MaxSize;

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Write(Span<byte> destination, T value)
    {
        Scalar.Require<T>();
        return AnyBytes<T>.Write(destination, value);
    }

    /// <inheritdoc/>
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
public readonly struct BigEndian<T> : ICodec<BigEndian<T>, T>
    where T : unmanaged
{
    /// <inheritdoc/>
    public static string Name => typeof(T).Name;

    /// <inheritdoc/>
    public static int MaxSize => LittleEndian<T>.MaxSize;

    /// <inheritdoc/>
    public static int Size(T value) => MaxSize;

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Write(Span<byte> destination, T value) => AnyBytes<T>.Write(destination, Scalar.Swap(value));

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static OperationStatus Read(ReadOnlySpan<byte> source, out T value, out int consumed)
    {
        OperationStatus status = LittleEndian<T>.Read(source, out value, out consumed);
        if (status == OperationStatus.Done) value = Scalar.Swap(value);
        return status;
    }
}

/// <summary>Any struct as it lies in memory, with whatever its padding contains. Any bytes are read as one.</summary>
public readonly struct AnyBytes<T> : ICodec<AnyBytes<T>, T>
    where T : unmanaged
{
    /// <inheritdoc/>
    public static string Name => typeof(T).Name;

    /// <inheritdoc/>
    public static unsafe int MaxSize => sizeof(T);

    /// <inheritdoc/>
    public static int Size(T value) => MaxSize;

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Write(Span<byte> destination, T value)
    {
        if (destination.Length < MaxSize) CodecErrors.DestinationTooShort(destination.Length, MaxSize);
        Unsafe.WriteUnaligned(ref MemoryMarshal.GetReference(destination), value);
        return MaxSize;
    }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static OperationStatus Read(ReadOnlySpan<byte> source, out T value, out int consumed)
    {
        bool isWhole = source.Length >= MaxSize;
        value = isWhole ? Unsafe.ReadUnaligned<T>(ref MemoryMarshal.GetReference(source)) : default;
        consumed = isWhole ? MaxSize : 0;
        return isWhole ? OperationStatus.Done : OperationStatus.NeedMoreData;
    }
}

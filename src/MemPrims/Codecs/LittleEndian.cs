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

namespace MemPrims.Codecs;

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

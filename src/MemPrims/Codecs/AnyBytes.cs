namespace MemPrims.Codecs;

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
        if (destination.Length < sizeof(T)) CodecErrors.ThrowDestinationTooShort(destination.Length, sizeof(T));
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

namespace MemPrims;

/// <summary>A form in which numbers are written and read many at a time.</summary>
internal interface IBulk<T>
    where T : unmanaged
{
    /// <summary>Whether numbers of this type have the form.</summary>
    static virtual bool IsSupported => true;

    static abstract int Size(T value);

    /// <summary>The place of the first number that has no such form, or −1.</summary>
    static virtual int IndexOfRefused(ReadOnlySpan<T> values) => -1;

    static abstract OperationStatus WriteMany(ReadOnlySpan<T> values, Span<byte> destination, out int count, out int written);

    static abstract OperationStatus ReadMany(ReadOnlySpan<byte> source, Span<T> values, out int consumed, out int count);
}

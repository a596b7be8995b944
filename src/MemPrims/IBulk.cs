namespace MemPrims;

// A form in which numbers are written and read many at a time.
internal interface IBulk<T>
    where T : unmanaged
{
    // Whether numbers of this type have the form.
    static abstract bool IsSupported { get; }

    static abstract int Size(T value);

    // The place of the first number that has no such form, or −1.
    static virtual int IndexOfRefused(ReadOnlySpan<T> values) => -1;

    static abstract OperationStatus WriteMany(ReadOnlySpan<T> values, Span<byte> destination, out int count, out int written);

    static abstract OperationStatus ReadMany(ReadOnlySpan<byte> source, Span<T> values, out int consumed, out int count);
}

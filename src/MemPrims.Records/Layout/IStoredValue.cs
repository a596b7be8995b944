namespace MemPrims.Records;

/// <summary>How a value is stored that the runtime keeps in its own way, and which bits are no such value. For generated code.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IStoredValue<T, TBits>
{
    /// <summary>The value; false when the bits are none.</summary>
    static abstract bool TryRead(TBits bits, out T value);

    /// <summary>The bits of a value.</summary>
    static abstract TBits BitsOf(T value);
}

namespace MemPrims.Records;

/// <summary>A time of day: ticks of 100 ns since midnight.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct StoredTimeOnly : IStoredValue<TimeOnly, ulong>
{
    /// <inheritdoc/>
    public static bool TryRead(ulong bits, out TimeOnly value)
    {
        bool right = bits <= (ulong)TimeOnly.MaxValue.Ticks;
        value = right ? new((long)bits) : default;
        return right;
    }

    /// <inheritdoc/>
    public static ulong BitsOf(TimeOnly value) => (ulong)value.Ticks;
}

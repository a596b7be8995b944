namespace MemPrims.Records;

/// <summary>A day: days since the first of January of the year 1.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct StoredDateOnly : IStoredValue<DateOnly, uint>
{
    /// <inheritdoc/>
    public static bool TryRead(uint bits, out DateOnly value)
    {
        bool right = bits <= (uint)DateOnly.MaxValue.DayNumber;
        value = right ? DateOnly.FromDayNumber((int)bits) : default;
        return right;
    }

    /// <inheritdoc/>
    public static uint BitsOf(DateOnly value) => (uint)value.DayNumber;
}

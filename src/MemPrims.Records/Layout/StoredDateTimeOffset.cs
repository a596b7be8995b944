namespace MemPrims.Records;

/// <summary>A date with its distance from UTC: ticks in UTC, then minutes as a signed number of 64 bits.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct StoredDateTimeOffset : IStoredValue<DateTimeOffset, UInt128>
{
    private const long MostMinutes = 14 * 60;

    /// <inheritdoc/>
    public static bool TryRead(UInt128 bits, out DateTimeOffset value)
    {
        ulong utc = (ulong)bits;
        long minutes = (long)(ulong)(bits >> 64);
        value = default;
        if (utc > (ulong)DateTime.MaxValue.Ticks || minutes is < -MostMinutes or > MostMinutes) return false;
        long local = (long)utc + minutes * TimeSpan.TicksPerMinute;
        if (local < 0 || local > DateTime.MaxValue.Ticks) return false;
        value = new(local, TimeSpan.FromMinutes(minutes));
        return true;
    }

    /// <inheritdoc/>
    public static UInt128 BitsOf(DateTimeOffset value) => new((ulong)(long)value.TotalOffsetMinutes, (ulong)value.UtcTicks);
}

using System.ComponentModel;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using MemPrims.Records.Format;

namespace MemPrims.Records;

/// <summary>
/// How a value is stored that the runtime keeps in a way of its own, and which bits are no such value. For generated code.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IStoredValue<T, TBits>
{
    /// <summary>The value; false when the bits are none.</summary>
    static abstract bool TryRead(TBits bits, out T value);

    /// <summary>The bits of a value.</summary>
    static abstract TBits BitsOf(T value);
}

/// <summary>A decimal: 96 bits of number, then the scale in bits 112 to 119 and the sign in bit 127.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct StoredDecimal : IStoredValue<decimal, UInt128>
{
    private const uint ScaleMask = 0xFF, SignBit = 1u << 31;
    private const int MaxScale = 28, ScaleShift = 16;

    /// <inheritdoc/>
    public static bool TryRead(UInt128 bits, out decimal value)
    {
        uint flags = (uint)(bits >> 96), scale = flags >> ScaleShift & ScaleMask;
        bool right = (flags & ~(ScaleMask << ScaleShift | SignBit)) == 0 && scale <= MaxScale;
        value = right
            ? new decimal((int)(uint)bits, (int)(uint)(bits >> 32), (int)(uint)(bits >> 64), (flags & SignBit) != 0, (byte)scale) : 0;
        return right;
    }

    /// <inheritdoc/>
    public static UInt128 BitsOf(decimal value)
    {
        Span<int> parts = stackalloc int[4];
        decimal.GetBits(value, parts);
        return new((uint)parts[2] | (ulong)(uint)parts[3] << 32, (uint)parts[0] | (ulong)(uint)parts[1] << 32);
    }
}

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

/// <summary>How values are stored where the bits alone do not say it, and which bits are no value.</summary>
internal static class RecordFormat
{
    private const ulong TicksMask = (1UL << 62) - 1;
    private static readonly byte[] s_zeros = new byte[PageHeader.Room];

    public static ReadOnlySpan<byte> Zeros(int bytes) => s_zeros.AsSpan(0, bytes);

    public static ulong FromDateTime(DateTime value) => (ulong)value.Ticks | ((ulong)value.Kind << 62);

    public static bool IsDateTime(ulong bits) => (bits & TicksMask) <= (ulong)DateTime.MaxValue.Ticks;

    // The runtime has two marks for local time, 2 and 3; an array of dates is stored as the runtime keeps it.
    public static DateTime ToDateTime(ulong bits) =>
        new((long)(bits & TicksMask), (DateTimeKind)Math.Min(bits >> 62, (ulong)DateTimeKind.Local));

    // Of the element types only these two have bits that are no value; for all others the test is folded away.
    public static bool IsArrayOf<T>(ReadOnlySpan<byte> array) where T : unmanaged
    {
        if (typeof(T) == typeof(bool)) return !array.ContainsAnyExceptInRange((byte)0, (byte)1);
        if (typeof(T) != typeof(DateTime)) return true;
        foreach (ulong bits in MemoryMarshal.Cast<byte, ulong>(array))
            if (!IsDateTime(bits)) return false;
        return true;
    }

    public static T Read<T>(ref byte start, int offset) where T : unmanaged => Unsafe.ReadUnaligned<T>(ref Unsafe.Add(ref start, offset));

    public static void Write<T>(ref byte start, int offset, T value) where T : unmanaged =>
        Unsafe.WriteUnaligned(ref Unsafe.Add(ref start, offset), value);
}

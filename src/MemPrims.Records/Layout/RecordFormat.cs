namespace MemPrims.Records;

// How values are stored where the bits alone do not say it, and which bits are no value.
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
}

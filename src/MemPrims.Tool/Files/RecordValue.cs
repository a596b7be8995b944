namespace MemPrims.Tool.Files;

// The values of the codes in FORMAT.md. Bits that are no such value are shown as they are.
internal static class RecordValue
{
    public static int SizeOf(string code) => code switch
    {
        "i8" or "u8" or "bool" => 1,
        "i16" or "u16" or "f16" => 2,
        "i32" or "u32" or "f32" or "day" => 4,
        "i64" or "u64" or "f64" or "date" or "span" or "time" => 8,
        "i128" or "u128" or "guid" or "zoned" or "decimal" => 16,
        ['{', .. var parts, '}'] => parts.Split('+').Sum(SizeOf),
        _ => throw new UsageException($"The layout has a field of {code}, which this version of memprims does not know."),
    };

    public static object Read(string code, ReadOnlySpan<byte> bits) => code switch
    {
        "i8" => (long)(sbyte)bits[0],
        "i16" => (long)As<short>(bits),
        "i32" => (long)As<int>(bits),
        "i64" => As<long>(bits),
        "u8" => (long)bits[0],
        "u16" => (long)As<ushort>(bits),
        "u32" => (long)As<uint>(bits),
        "u64" => As<ulong>(bits),
        "bool" => bits[0] != 0,
        "i128" => Text(As<Int128>(bits)),
        "u128" => Text(As<UInt128>(bits)),
        "f16" => Text(As<Half>(bits)),
        "f32" => Text(As<float>(bits)),
        "f64" => Text(As<double>(bits)),
        "guid" => new Guid(bits).ToString(),
        "span" => new TimeSpan(As<long>(bits)).ToString("c"),
        "date" when RecordFormat.IsDateTime(As<ulong>(bits)) => Text(RecordFormat.ToDateTime(As<ulong>(bits))),
        "time" when StoredTimeOnly.TryRead(As<ulong>(bits), out TimeOnly time) => time.ToString("O", CultureInfo.InvariantCulture),
        "day" when StoredDateOnly.TryRead(As<uint>(bits), out DateOnly day) => day.ToString("O", CultureInfo.InvariantCulture),
        "zoned" when StoredDateTimeOffset.TryRead(As<UInt128>(bits), out DateTimeOffset zoned) =>
            zoned.ToString("O", CultureInfo.InvariantCulture),
        "decimal" when StoredDecimal.TryRead(As<UInt128>(bits), out decimal number) => Text(number),
        _ => Printable.Hex(bits),
    };

    // Local time is that of the machine that wrote it: shown without this one's distance from UTC.
    private static string Text(DateTime date) => (date.Kind == DateTimeKind.Local ? DateTime.SpecifyKind(date, DateTimeKind.Unspecified)
        : date).ToString("O", CultureInfo.InvariantCulture);

    private static T As<T>(ReadOnlySpan<byte> bits) where T : unmanaged => MemoryMarshal.Read<T>(bits);

    private static string Text<T>(T number) where T : IFormattable => number.ToString(null, CultureInfo.InvariantCulture);
}

namespace MemPrims.Wire;

// Timestamps as RFC 3339 and durations as seconds, with 0, 3, 6 or 9 digits of a second.
internal static class JsonTimes
{
    private const long FirstSecond = -62_135_596_800, LastSecond = 253_402_300_799, LongestDuration = 315_576_000_000;

    // What a Timestamp holds, which has a form.
    public static (long Seconds, int Nanos) Timestamp(Message message)
    {
        (long seconds, int nanos) = (message.Get<long>("seconds"), message.Get<int>("nanos"));
        return seconds is >= FirstSecond and <= LastSecond && nanos is >= 0 and <= 999_999_999 ? (seconds, nanos)
            : throw new WireException($"a Timestamp of {seconds} s and {nanos} ns is outside the years 1 to 9999");
    }

    public static string TimestampText(Message message)
    {
        (long seconds, int nanos) = Timestamp(message);
        string time = DateTimeOffset.FromUnixTimeSeconds(seconds).ToString("yyyy-MM-dd'T'HH:mm:ss", CultureInfo.InvariantCulture);
        return time + Fraction(nanos) + "Z";
    }

    // What a Duration holds, which has a form.
    public static (long Seconds, int Nanos) Duration(Message message)
    {
        (long seconds, int nanos) = (message.Get<long>("seconds"), message.Get<int>("nanos"));
        return seconds is >= -LongestDuration and <= LongestDuration && nanos is >= -999_999_999 and <= 999_999_999
            && Math.Sign(seconds) * Math.Sign(nanos) >= 0 ? (seconds, nanos)
            : throw new WireException($"a Duration of {seconds} s and {nanos} ns is above 10,000 years, or its parts differ in sign");
    }

    public static string DurationText(Message message)
    {
        (long seconds, int nanos) = Duration(message);
        string sign = seconds < 0 || nanos < 0 ? "-" : "";
        return $"{sign}{Math.Abs(seconds).ToString(CultureInfo.InvariantCulture)}{Fraction(Math.Abs(nanos))}s";
    }

    public static bool TryParseTimestamp(string text, out long seconds, out int nanos)
    {
        (seconds, nanos) = (0, 0);
        // 0123-56-89T12:45:78, then a fraction, then Z or an offset.
        if (text.Length < 20 || text[10] != 'T') return false;
        if (!DateTime.TryParseExact(text[..19], "yyyy-MM-dd'T'HH:mm:ss", CultureInfo.InvariantCulture, DateTimeStyles.None,
            out DateTime local)) return false;
        int at = 19;
        if (text[at] == '.')
        {
            int end = ++at;
            while (end < text.Length && char.IsAsciiDigit(text[end])) end++;
            if (!TryParseNanos(text.AsSpan(at, end - at), out nanos)) return false;
            at = end;
        }
        int offset = 0;
        if (text.AsSpan(at) is not "Z" && !TryParseOffset(text.AsSpan(at), out offset)) return false;
        seconds = (local.Ticks - DateTime.UnixEpoch.Ticks) / TimeSpan.TicksPerSecond - offset;
        return seconds is >= FirstSecond and <= LastSecond;
    }

    public static bool TryParseDuration(string text, out long seconds, out int nanos)
    {
        (seconds, nanos) = (0, 0);
        if (!text.EndsWith('s')) return false;
        bool isNegative = text.StartsWith('-');
        ReadOnlySpan<char> number = text.AsSpan(isNegative ? 1 : 0)[..^1];
        int point = number.IndexOf('.');
        ReadOnlySpan<char> whole = point < 0 ? number : number[..point];
        if (whole.IsEmpty || !long.TryParse(whole, NumberStyles.None, CultureInfo.InvariantCulture, out seconds)) return false;
        if (point >= 0 && !TryParseNanos(number[(point + 1)..], out nanos)) return false;
        if (seconds > LongestDuration) return false;
        if (isNegative) (seconds, nanos) = (-seconds, -nanos);
        return true;
    }

    private static bool TryParseOffset(ReadOnlySpan<char> text, out int seconds)
    {
        seconds = 0;
        if (text.IsEmpty || text[0] is not ('+' or '-')
            || !TimeSpan.TryParseExact(text[1..], @"hh\:mm", CultureInfo.InvariantCulture, out TimeSpan offset)) return false;
        seconds = (int)offset.TotalSeconds * (text[0] == '-' ? -1 : 1);
        return true;
    }

    private static bool TryParseNanos(ReadOnlySpan<char> digits, out int nanos)
    {
        nanos = 0;
        if (digits.Length is 0 or > 9 || !int.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out nanos)) return false;
        for (int i = digits.Length; i < 9; i++) nanos *= 10;
        return true;
    }

    private static string Fraction(int nanos) =>
        nanos == 0 ? ""
        : nanos % 1_000_000 == 0 ? $".{nanos / 1_000_000:D3}"
        : nanos % 1000 == 0 ? $".{nanos / 1000:D6}"
        : $".{nanos:D9}";
}

namespace MemPrims.Records.Format;

// The writes of a small commit, carried in its meta slot: one sync then makes both durable, because whoever opens the file writes them
// once more. Each is a word, `place / 64 · 256 + lines`, and that many lines of 64 bytes.
internal static class Redo
{
    // Odd, with bits all over: 2^64 divided by the golden ratio.
    private const ulong Multiplier = 0x9E3779B97F4A7C15;

    // Puts one more write at the start of the room that is left; false when it does not fit.
    public static bool TryPut(ref Span<byte> rest, long place, ReadOnlySpan<byte> lines)
    {
        if (rest.Length < sizeof(ulong) + lines.Length) return false;
        BinaryPrimitives.WriteUInt64LittleEndian(rest, ((ulong)place / PageLines.Bytes << 8) + (ulong)(lines.Length / PageLines.Bytes));
        lines.CopyTo(rest[sizeof(ulong)..]);
        rest = rest[(sizeof(ulong) + lines.Length)..];
        return true;
    }

    // Takes the first write off the rest of them; false at the end, and where what is left makes no sense.
    public static bool TryTake(ref ReadOnlySpan<byte> rest, out long place, out ReadOnlySpan<byte> lines)
    {
        place = 0;
        lines = default;
        if (rest.Length < sizeof(ulong)) return false;
        ulong word = BinaryPrimitives.ReadUInt64LittleEndian(rest);
        int length = (int)(word & 0xFF) * PageLines.Bytes;
        if (length == 0 || length > rest.Length - sizeof(ulong)) return false;
        place = (long)(word >> 8) * PageLines.Bytes;
        lines = rest.Slice(sizeof(ulong), length);
        rest = rest[(sizeof(ulong) + length)..];
        return true;
    }

    // What makes no sense about the writes that a meta carries; null when all does. Each lies within the active copy of one page.
    public static string? Contradiction(ReadOnlySpan<byte> writes, in MetaHeader header, ReadOnlySpan<ulong> active)
    {
        while (TryTake(ref writes, out long place, out ReadOnlySpan<byte> lines))
        {
            long within = place - 2L * header.SlotBytes, copy = within / PageHeader.PageBytes, page = copy >> 1;
            if (within < 0 || page >= header.PageCount || (active[(int)(page >> 6)] >> (int)(page & 63) & 1) != (ulong)(copy & 1)
                || within % PageHeader.PageBytes + lines.Length > PageHeader.PageBytes)
                return $"it carries a write of {lines.Length} bytes to {place}, where no page is active";
        }
        return writes.IsEmpty ? null : "the writes that it carries do not end where they should";
    }

    // The seal of a meta. It is no CRC: a page contains its own CRC, so a CRC around it does not see one whole page exchanged for another.
    // Here each word of 8 bytes goes through a multiplication together with all the words before it.
    public static ulong Seal(ulong seal, ReadOnlySpan<byte> bytes)
    {
        for (; bytes.Length >= sizeof(ulong); bytes = bytes[sizeof(ulong)..])
            seal = BitOperations.RotateLeft((seal ^ BinaryPrimitives.ReadUInt64LittleEndian(bytes)) * Multiplier, 29);
        return seal;
    }
}

namespace MemPrims.Codecs;

// Four varints of up to eight bytes at a time, by shifts that all vectors have. Their groups of 7 bits are spread to a byte each. Which of
// these bytes are needed is one mask of 32 bits, whose ones are counted for where each of the four begins: no value waits for the one
// before, and no branch is on a length.
internal static unsafe class VarintFour
{
    // How many bytes from where they begin are written over at most.
    public const int Reach = 4 * sizeof(ulong);

    private const ulong MoreThan56Bits = 0xFF00_0000_0000_0000, More = 0x0080_8080_8080_8080;

    // Writes them and moves `to` behind; false where one has more than 56 bits.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryWrite(Vector256<ulong> values, ref byte* to)
    {
        if ((values & Vector256.Create(MoreThan56Bits)) != Vector256<ulong>.Zero) return false;
        Vector256<ulong> groups = VarintWords.SpreadWide(values);
        // A byte is needed where it or one above it is not zero, and the first always.
        Vector256<ulong> above = groups | Vector256<ulong>.One;
        above |= above >>> 8;
        above |= above >>> 16;
        above |= above >>> 32;
        Vector256<byte> unneeded = Vector256.Equals(above.AsByte(), Vector256<byte>.Zero);
        uint needed = ~unneeded.ExtractMostSignificantBits();
        groups |= Vector256.AndNot(Vector256.Create(More), unneeded.AsUInt64() >>> 8);
        byte* at = to;
        Unsafe.WriteUnaligned(at, groups.GetElement(0));
        Unsafe.WriteUnaligned(at + BitOperations.PopCount(needed & 0xFF), groups.GetElement(1));
        Unsafe.WriteUnaligned(at + BitOperations.PopCount(needed & 0xFFFF), groups.GetElement(2));
        Unsafe.WriteUnaligned(at + BitOperations.PopCount(needed & 0xFF_FFFF), groups.GetElement(3));
        to = at + BitOperations.PopCount(needed);
        return true;
    }
}

namespace MemPrims.Wire;

// Varints as protobuf takes them: of up to ten bytes, though fewer would do.
internal static unsafe class LooseVarint
{
    private const int MostBytes = 10;

    // Returns how many bytes it has: 0 where the end comes before its last one, -1 where it goes on after the tenth.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Read(byte* p, byte* end, out ulong value)
    {
        byte* last = end - p < MostBytes ? end : p + MostBytes, at = p;
        ulong sum = 0;
        for (int shift = 0; at < last; shift += 7)
        {
            ulong b = *at++;
            sum |= (b & 0x7F) << shift;
            if (b < 0x80)
            {
                value = sum;
                return (int)(at - p);
            }
        }
        value = 0;
        return last - p < MostBytes ? 0 : -1;
    }
}

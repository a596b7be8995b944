namespace MemPrims.Sets;

// Whether one id is in the array of a container. Up to 128 ids are all compared, in two or four vectors that overlap. More are searched:
// ArraySearch looks where an evenly spread id lies (Sets/small, 100 ids in 60,000: searched 20 ns).
internal static class ArrayContains
{
    // The ids of two and of four vectors of 128 bits, and of four of 512.
    private const int InTwo = 16, InFour = 32, InFourOf512 = 128;

    // What HoldsFew takes, and the bytes that it may read in front of the ids.
    public const int MostFew = 8, BytesInFront = 16;

    // The same for at most eight ids, without a branch on how many: the vector that ends with them is compared, and what lies before them
    // is left out.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool HoldsFew(ref ushort first, int count, ushort id)
    {
        Vector128<ushort> eight = Vector128.LoadUnsafe(ref Unsafe.Add(ref first, count - MostFew));
        return Vector128.Equals(eight, Vector128.Create(id)).ExtractMostSignificantBits() >> (MostFew - count) != 0;
    }

    public static bool Holds(ref ushort first, int count, ushort id)
    {
        if (Hardware.Tier == Tier.Scalar) return ArraySearch.Contains(MemoryMarshal.CreateReadOnlySpan(ref first, count), id);
        if (count < Vector128<ushort>.Count)
        {
            bool found = false;
            for (int i = 0; i < count; i++) found |= Unsafe.Add(ref first, i) == id;
            return found;
        }
        if (count < InTwo)
            return Vector128.EqualsAny(Vector128.LoadUnsafe(ref first), Vector128.Create(id))
                | Vector128.EqualsAny(Vector128.LoadUnsafe(ref first, (nuint)(count - Vector128<ushort>.Count)), Vector128.Create(id));
        if (count <= InFour)
        {
            // Two vectors of 256 bits take as long, and 1.8 times as long where they are emulated.
            Vector128<ushort> ids = Vector128.Create(id);
            nuint last = (nuint)(count - Vector128<ushort>.Count), before = last - (nuint)Vector128<ushort>.Count;
            return (Vector128.Equals(Vector128.LoadUnsafe(ref first), ids)
                | Vector128.Equals(Vector128.LoadUnsafe(ref first, (nuint)Vector128<ushort>.Count), ids)
                | Vector128.Equals(Vector128.LoadUnsafe(ref first, before), ids)
                | Vector128.Equals(Vector128.LoadUnsafe(ref first, last), ids)) != Vector128<ushort>.Zero;
        }
        if (count <= InFourOf512)
        {
            int last = count - Vector512<ushort>.Count;
            Vector512<ushort> ids = Vector512.Create(id);
            return Vector512.EqualsAny(
                Vector512.Min(
                    Vector512.Min(Vector512.LoadUnsafe(ref first) ^ ids,
                        Vector512.LoadUnsafe(ref first, (nuint)Math.Min(Vector512<ushort>.Count, last)) ^ ids),
                    Vector512.Min(Vector512.LoadUnsafe(ref first, (nuint)Math.Min(2 * Vector512<ushort>.Count, last)) ^ ids,
                        Vector512.LoadUnsafe(ref first, (nuint)last) ^ ids)),
                Vector512<ushort>.Zero);
        }
        return ArraySearch.Contains(MemoryMarshal.CreateReadOnlySpan(ref first, count), id);
    }
}

namespace MemPrims;

// Where two blocks differ first, and which of them is greater there. Both come from the same loaded bytes: another thread may change the
// memory meanwhile, so a second look could find something else. One register holds it: the position, and in the lowest bit whether the
// left block is greater.
internal readonly struct Difference
{
    private readonly nint _value;

    private Difference(nint value) => _value = value;

    // The position of the first difference; the length when there is none.
    public nint Position
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _value >> 1;
    }

    // No difference within the length.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Difference None(nint length) => new(length << 1);

    // The first difference of two vectors, in blocks where they lie at `offset`.
    // offset: where the vectors begin.
    // different: bit i is set where byte i differs; at least one is.
    // greater: bit i is set where byte i of the left vector is greater.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Difference At(nint offset, ulong different, ulong greater)
    {
        Debug.Assert(different != 0, "Without a difference there is no position.");
        int bit = BitOperations.TrailingZeroCount(different);
        return new((offset + bit) << 1 | ((nint)(greater >> bit) & 1));
    }

    // Negative when the left block is less, positive when it is greater, 0 when there is no difference within the length.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int Order(nint length) => Position == length ? 0 : ((int)(_value & 1) << 1) - 1;
}

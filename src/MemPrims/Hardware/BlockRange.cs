namespace MemPrims;

// What can be said of a block that a caller gives by a pointer and a length. Only assertions ask.
internal static unsafe class BlockRange
{
    // What an assertion says where it does not hold.
    public const string Wraps = "The block would pass the end of the address space: the length is wrong.";

    // Whether memory can hold such a block. A length below 0 is refused by exception, so it passes here.
    public static bool Exists(byte* block, nint length) => length <= 0 || (nuint)length - 1 <= nuint.MaxValue - (nuint)block;
}

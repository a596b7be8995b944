namespace MemPrims;

// The errors of the core. Cold and out of line, so that the routines that may throw them stay small.
internal static class Throw
{
    [DoesNotReturn]
    public static void NegativeLength(nint length) =>
        throw new ArgumentOutOfRangeException(nameof(length), length, "The length of a block cannot be negative.");

    // For a parameter of another name.
    [DoesNotReturn]
    public static void NegativeLength(nint length, string parameter) =>
        throw new ArgumentOutOfRangeException(parameter, length, "The length of a block cannot be negative.");

    [DoesNotReturn]
    public static void LengthTooLarge(nuint length, string parameter) => throw new ArgumentOutOfRangeException(
        parameter, length, $"A block cannot be longer than {nint.MaxValue} bytes, the largest that can be addressed.");

    [DoesNotReturn]
    public static void LengthBeyondArrays(int length, int most, string parameter) => throw new ArgumentOutOfRangeException(
        parameter, length, $"The length can be from 0 to {most}, which is what the shorter array has; nothing was written.");

    [DoesNotReturn]
    public static void DestinationTooShort(int needed, int available) =>
        throw new ArgumentException($"The destination has {available} bytes and {needed} are needed; nothing was written.", "destination");
}

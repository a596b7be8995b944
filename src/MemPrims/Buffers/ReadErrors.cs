using System.Buffers;
using System.Runtime.CompilerServices;

namespace MemPrims.Buffers;

/// <summary>
/// What the readers throw. A reader writes `throw ReadErrors.Of(…)`. So the JIT sees that nothing follows the call, and the code that
/// makes the message is not inlined into the reader.
/// </summary>
internal static class ReadErrors
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static DamagedDataException Of<T>(OperationStatus status, long position, long remaining)
        where T : unmanaged => Of(status, typeof(T).Name, position, remaining);

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static DamagedDataException Of(OperationStatus status, string item, long position, long remaining) => new(
        status == OperationStatus.NeedMoreData
            ? $"The source ends inside the {item} at position {position}: {remaining} bytes are left. "
                + "Read on when more has come, or treat it as cut off."
            : $"The bytes at position {position} are not a valid {item}: {Why(item)}.",
        position);

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static ArgumentException TooSmall(string item, long position) => new(
        $"The destination is too short for the {item} at position {position}. The reader has not moved.", "destination");

    private static string Why(string item) => item switch
    {
        "text" or "sortable text" => "its length is above MaxLength, or it is not UTF-8",
        "block" or "length" => "the length is above MaxLength, or is not in its shortest form",
        "sortable block" => "its length is above MaxLength, or 00 is followed by neither FF nor 01",
        "sortable double" => "no double is written in this form",
        "frame" => "no frame of this position and seed begins here, or its length is above MaxLength",
        nameof(Boolean) => "a bool is 0 or 1",
        _ => "the number is not in its shortest form, or is too large for its type",
    };
}

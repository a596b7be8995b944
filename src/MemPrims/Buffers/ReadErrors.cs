using System.Buffers;
using System.Runtime.CompilerServices;

namespace MemPrims.Buffers;

/// <summary>
/// What the readers throw. A reader writes `throw ReadErrors.Of(…)`: so the JIT knows at the call that nothing comes after it, and none of
/// the making of the message is put into the caller.
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
            : $"The bytes at position {position} are no {item}: "
                + $"{(item == "text" ? "it is longer than MaxLength, or not UTF-8" : "overlong, or out of range")}.",
        position);
}

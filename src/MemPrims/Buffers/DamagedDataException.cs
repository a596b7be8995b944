using System.Buffers;
using System.Diagnostics.CodeAnalysis;

namespace MemPrims.Buffers;

/// <summary>Bytes that nobody writes, or a source that ends too soon: what was read, where, and which of the two.</summary>
public sealed class DamagedDataException : IOException
{
    /// <summary>Tells of an item that could not be read.</summary>
    public DamagedDataException(string message, long position)
        : base(message) => Position = position;

    /// <summary>Where in the source the item begins.</summary>
    public long Position { get; }

    [DoesNotReturn]
    internal static void Throw(OperationStatus status, string item, long position, long remaining) => throw new DamagedDataException(
        status == OperationStatus.NeedMoreData
            ? $"The source ends inside the {item} at position {position}: {remaining} bytes are left. Read on when more has come, or treat it as cut off."
            : $"The bytes at position {position} are no {item}: it is overlong, out of range, longer than MaxLength, or not UTF-8.",
        position);
}

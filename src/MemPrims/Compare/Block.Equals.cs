using System.ComponentModel;

namespace MemPrims;

// Every class inherits object.Equals, which would compare two arrays by reference and say false. So a call of Block.Equals is a compile
// error that names Equal; with spans or pointers it is one without this method.
public static unsafe partial class Block
{
    private const string UseEqual = "Block.Equals would not compare bytes. Use Block.Equal.";

    /// <summary>Does not compile: use <see cref="Equal(ReadOnlySpan{byte}, ReadOnlySpan{byte})"/>.</summary>
    /// <param name="left">Not looked at.</param>
    /// <param name="right">Not looked at.</param>
    /// <returns>Nothing.</returns>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Obsolete(UseEqual, error: true), EditorBrowsable(EditorBrowsableState.Never)]
    public static new bool Equals(object? left, object? right) => throw new NotSupportedException(UseEqual);
}

using System.ComponentModel;

namespace MemPrims;

// Every class inherits object.Equals, which would compare two arrays by reference and say false. So each call of Block.Equals is a
// compile error that names Equal.
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

    /// <inheritdoc cref="Equals(object, object)"/>
    /// <typeparam name="TLeft">Any type, spans too.</typeparam>
    /// <typeparam name="TRight">Any type, spans too.</typeparam>
    [Obsolete(UseEqual, error: true), EditorBrowsable(EditorBrowsableState.Never)]
    public static bool Equals<TLeft, TRight>(TLeft left, TRight right) where TLeft : allows ref struct where TRight : allows ref struct =>
        throw new NotSupportedException(UseEqual);

    /// <inheritdoc cref="Equals(object, object)"/>
    /// <param name="left">Not looked at.</param>
    /// <param name="right">Not looked at.</param>
    /// <param name="length">Not looked at.</param>
    [Obsolete(UseEqual, error: true), EditorBrowsable(EditorBrowsableState.Never)]
    public static bool Equals(byte* left, byte* right, nint length) => throw new NotSupportedException(UseEqual);
}

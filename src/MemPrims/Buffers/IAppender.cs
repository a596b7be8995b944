using System.Diagnostics.CodeAnalysis;

namespace MemPrims.Buffers;

/// <summary>
/// What <see cref="Appender"/>, <see cref="ReservedAppender"/> and <see cref="UnsafeAppender"/> have in common. Code for any of them
/// takes it by ref:
/// <code>
/// static void WritePair&lt;TAppender&gt;(ref TAppender to, int left, int right)
///     where TAppender : struct, IAppender, allows ref struct
/// {
///     to.Write(left);
///     to.WriteVarint(right);
/// }
/// </code>
/// All Write methods are built from the members here, once, in <see cref="AppenderWrites"/>.
/// </summary>
/// <remarks>
/// <para><b>Readable range.</b> <see cref="Claim"/> gives writable memory for as many bytes as it was asked for, or throws. Nothing
/// behind them may be written.</para>
/// <para><b>Overlap.</b> What is written must not lie in the claimed memory.</para>
/// <para><b>Alignment.</b> Any.</para>
/// <para><b>Lifetime.</b> A claimed place is valid until the next call on this appender.</para>
/// <para><b>Wrong length.</b> <see cref="MoveTo"/> trusts its caller. A place outside the claim publishes bytes that nobody wrote, or
/// damages the list.</para>
/// </remarks>
public unsafe interface IAppender : IDisposable
{
    /// <summary>Whether a claim makes room. If not, a claim for more than is left is an error, so callers ask for exact sizes.</summary>
    static abstract bool Grows { get; }

    /// <summary>Where in the list the next byte goes.</summary>
    long Position { get; }

    /// <summary>How many bytes are left in the memory at hand.</summary>
    long RoomLeft { get; }

    /// <summary>A place for so many bytes, where the next byte goes. It counts as written only after <see cref="MoveTo"/>.</summary>
    byte* Claim(long bytes);

    /// <summary>Says where the bytes that were written into the claim end.</summary>
    void MoveTo(byte* end);

    /// <summary>Writes a block, without its length.</summary>
    void Write(scoped ReadOnlySpan<byte> source);

    /// <summary>Writes a value that encodes itself.</summary>
    void Append<T>(in T value)
        where T : IEncodable<T>, allows ref struct;

    /// <summary>Leaves out so many bytes, side by side, to be filled before <see cref="Commit"/>.</summary>
    Hole LeaveHole(int bytes);

    /// <summary>Publishes what was written and closes the appender.</summary>
    void Commit();

    /// <summary>Drops what was written and closes the appender. On a closed appender it does nothing.</summary>
    void Cancel();

    /// <summary>Closes the appender and throws: a write needs <paramref name="bytes"/> where fewer are left.</summary>
    [DoesNotReturn]
    void FailOverrun(long bytes);
}

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
/// The other Write methods are built from the members here, once for all appenders, in <see cref="AppenderWrites"/>.
/// </summary>
/// <remarks>
/// <para><b>Readable range.</b> <see cref="Claim"/> gives writable memory for as many bytes as it was asked for, or throws. Nothing
/// behind them may be written.</para>
/// <para><b>Overlap.</b> What is written must not lie in the claimed memory.</para>
/// <para><b>Alignment.</b> Any.</para>
/// <para><b>Lifetime.</b> A claimed place is valid until the next call on this appender.</para>
/// <para><b>Wrong length.</b> <see cref="MoveTo"/> does not check its argument. A place outside the claim publishes bytes that nobody
/// wrote, or damages the list.</para>
/// </remarks>
public unsafe interface IAppender : IDisposable
{
    /// <summary>Whether <see cref="Claim"/> makes room. If not, claiming more than is left is an error, so callers claim exact
    /// sizes.</summary>
    static abstract bool Grows { get; }

    /// <summary>The position in the list of the next byte.</summary>
    long Position { get; }

    /// <summary>How many bytes are left in the present segment or reservation.</summary>
    long RoomLeft { get; }

    /// <summary>Makes room for <paramref name="bytes"/> bytes in one segment, and returns where the next byte goes. The bytes count as
    /// written only after <see cref="MoveTo"/>.</summary>
    byte* Claim(long bytes);

    /// <summary>Sets where the bytes end that were written into the claimed memory.</summary>
    void MoveTo(byte* end);

    /// <summary>Writes a block, without its length.</summary>
    void Write(scoped ReadOnlySpan<byte> source);

    /// <summary>Writes a value that encodes itself.</summary>
    void Append<T>(in T value)
        where T : IEncodable<T>, allows ref struct;

    /// <summary>Writes a block behind its length, a <see cref="Codecs.PackedLength"/>.</summary>
    void WriteBlock(scoped ReadOnlySpan<byte> source);

    /// <summary>Writes text as UTF-8 behind its length in bytes, a <see cref="Codecs.PackedLength"/>.</summary>
    /// <exception cref="ArgumentException">The text has half of a surrogate pair.</exception>
    void WriteText(scoped ReadOnlySpan<char> text);

    /// <summary>Writes text as UTF-8, without its length.</summary>
    /// <exception cref="ArgumentException">The text has half of a surrogate pair.</exception>
    void WriteUtf8(scoped ReadOnlySpan<char> text);

    /// <summary>
    /// Begins a <see cref="Frame"/>. Everything written from here to <see cref="EndFrame"/> is its payload. The position is the frame's
    /// own in the log. It need not be the one in this list. There is one open frame at a time.
    /// </summary>
    void BeginFrame(long position, uint seed = 0);

    /// <summary>Ends the frame of <see cref="BeginFrame"/> and writes its header. Returns how many bytes the frame has.</summary>
    /// <exception cref="InvalidOperationException">No frame was begun, or a hole in it is not filled. The appender is closed
    /// then.</exception>
    int EndFrame();

    /// <summary>Leaves a hole of <paramref name="bytes"/> bytes, in one segment. Fill it before <see cref="Commit"/>.</summary>
    Hole LeaveHole(int bytes);

    /// <summary>Publishes what was written and closes the appender.</summary>
    void Commit();

    /// <summary>Drops what was written and closes the appender. Does nothing if it is closed already.</summary>
    void Cancel();

    /// <summary>Closes the appender and throws: a write needs <paramref name="bytes"/> bytes, and fewer are left.</summary>
    [DoesNotReturn]
    void FailOverrun(long bytes);
}

using MemPrims.Codecs;

namespace MemPrims.Buffers;

/// <summary>
/// Appends to a <see cref="SegmentList"/>. Every write is checked, and the list grows as needed. Use this one unless you have measured
/// that another is faster for you.
/// <code>
/// using Appender to = new(list);
/// to.Write(42);
/// to.WriteText("name");
/// to.Commit();        // publishes; without it, Dispose drops everything
/// </code>
/// </summary>
/// <remarks>
/// <para><see cref="Commit"/> publishes what was written. <see cref="Dispose"/> without it drops everything, as with a transaction. If a
/// write throws, the appender is closed: nothing of it is published, and later writes throw.</para>
/// <para>Pass it by ref. A copy writes to the same places as the original, so what one of them writes is lost, and the library cannot
/// notice. The analyzer MEMPRIMS001 makes passing and copying by value a compile error. Whoever references the package has it. Whoever
/// references MemPrims.csproj itself adds it to the project file:
/// <code>
/// &lt;ProjectReference Include="…/MemPrims.Analyzers.csproj" OutputItemType="Analyzer" ReferenceOutputAssembly="false" /&gt;
/// </code>
/// A program that references only the DLL has no analyzer.</para>
/// <para>C# does not pass a `using` variable by ref (CS1657). If you pass the variable on, declare it without `using`, and call Dispose in
/// a finally block.</para>
/// </remarks>
// The three appenders are one writer with three kinds of room. Their members only call it: they stand in each of the three structs, since
// ref structs do not inherit, and an extension that takes its receiver by ref cannot be called on a `using` variable (DECISIONS.md).
public ref struct Appender : IAppender
{
    private Writer<Growing> _to;

    /// <summary>Opens an appender.</summary>
    /// <exception cref="InvalidOperationException">Another appender of this list is open.</exception>
    public Appender(SegmentList list) => _to = new(list, 0);

#pragma warning disable CS1591 // IAppender documents these members, and editors show its text for them.
    public readonly long Position => _to.Position;
    public readonly ReadOnlySequence<byte> Written => _to.Written;
    public void Write<TCodec, TValue>(TValue value)
        where TCodec : ICodec<TCodec, TValue> => _to.Write<TCodec, TValue>(value);
    public void Write<T>(T value)
        where T : unmanaged => _to.Write(value);
    public void Write(scoped ReadOnlySpan<byte> source) => _to.Write(source);
    public void WriteBlock(scoped ReadOnlySpan<byte> source) => _to.WriteBlock(source);
    public void WriteText(scoped ReadOnlySpan<char> text) => _to.WriteText(text, withLength: true);
    public void WriteUtf8(scoped ReadOnlySpan<char> text) => _to.WriteText(text, withLength: false);
    public void Append<T>(in T value)
        where T : IEncodable<T>, allows ref struct => _to.Append(in value);
    public void WriteVarint(ulong value) => _to.Write<Varint, ulong>(value);
    public void WriteVarint(long value) => _to.WriteNotNegative(value);
    public void WriteZigZag(long value) => _to.Write<Varint, ulong>(Varint.ZigZag(value));
    public Hole LeaveHole(int bytes) => _to.LeaveHole(bytes);
    public void Commit() => _to.Commit();
    public void Dispose() => _to.Dispose();
}

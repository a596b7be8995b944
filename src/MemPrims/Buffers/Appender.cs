using System.Runtime.CompilerServices;

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
/// a finally block:
/// <code>
/// Appender to = new(list);
/// try
/// {
///     WriteHeader(ref to);
///     to.Commit();
/// }
/// finally
/// {
///     to.Dispose();
/// }
/// </code></para>
/// <para>The fields lie in the struct, so that the JIT keeps them in registers. Shared fields behind a reference could not be lost by a
/// copy, but a u64 then took 0.41 ns instead of 0.36 ("Appending u64"). `using` costs nothing: Dispose needs none of the fields that a
/// write changes.</para>
/// </remarks>
public unsafe ref partial struct Appender : IAppender
{
    // _end is null when the appender is closed. So every write then takes the slow path, which throws.
    private SegmentList? _list;
    private byte* _position, _end;
    private long _ticket;

    /// <summary>Opens an appender.</summary>
    /// <exception cref="InvalidOperationException">Another appender of this list is open.</exception>
    public Appender(SegmentList list)
    {
        _position = list.Begin(0);
        _list = list;
        _end = list.Limit;
        _ticket = list.Ticket;
    }

    static bool IAppender.Grows => true;

    readonly long IAppender.RoomLeft => _end - _position;

    /// <summary>Writes a block, without its length.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(scoped ReadOnlySpan<byte> source)
    {
        byte* at = _position;
        if (at + source.Length > _end)
        {
            byte* end = _end;
            _end = null;
            at = SegmentList.WriteAcross(_list, at, end, source, _ticket);
            _end = _list!.Limit;
            _ticket = _list.Ticket;
            _position = at;
            return;
        }
        Block.Copy(new Span<byte>(at, source.Length), source);
        _position = at + source.Length;
    }

    /// <summary>Writes a value that encodes itself. It is measured once, and then written without checks.</summary>
    /// <exception cref="InvalidOperationException">The value wrote more than its bound. The message names its type. The appender is
    /// closed then.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Append<T>(in T value)
        where T : IEncodable<T>, allows ref struct
    {
        byte* end = _end;
        // The appender is closed while code of the value runs. If that throws, it stays closed.
        _end = null;
        int bound = Encodable.Bound(in value);
        _end = end;
        byte* at = Claim(bound);
        end = _end;
        _end = null;
        _position = Encodable.Encode(in value, at, bound, end);
        _end = end;
    }

    /// <inheritdoc/>
    // One comparison. Asking the list at every write whether this is still its appender cost a fifth of the time ("Appender"). So a copy
    // that is out of date is noticed only at the end of its segment and at Commit.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public byte* Claim(long bytes)
    {
        byte* at = _position;
        if (at + bytes > _end || bytes < 0)
        {
            byte* end = _end;
            _end = null;
            _position = at = SegmentList.Refill(_list, at, end, bytes, _ticket);
            _end = _list!.Limit;
            _ticket = _list.Ticket;
        }
        return at;
    }
}

namespace MemPrims.Codecs;

/// <summary>
/// A form of values as bytes. The codecs of this library implement it, and so can yours: appenders write its values by
/// <c>Write&lt;TCodec, TValue&gt;</c>, and readers read them by <c>Read&lt;TCodec, TValue&gt;</c>, also across segments.
/// <code>
/// public readonly struct Celsius : ICodec&lt;Celsius, double&gt;      // tenths of a degree in two bytes
/// {
///     public static string Name =&gt; "temperature";
///     public static int MaxSize =&gt; 2;
///     public static int Size(double value) =&gt; 2;
///
///     public static int Write(Span&lt;byte&gt; destination, double value)
///     {
///         BinaryPrimitives.WriteInt16LittleEndian(destination, checked((short)(value * 10)));
///         return 2;
///     }
///
///     public static OperationStatus Read(ReadOnlySpan&lt;byte&gt; source, out double value, out int consumed)
///     {
///         bool isWhole = BinaryPrimitives.TryReadInt16LittleEndian(source, out short tenths);
///         (value, consumed) = isWhole ? (tenths / 10.0, 2) : (0, 0);
///         return isWhole ? OperationStatus.Done : OperationStatus.NeedMoreData;
///     }
/// }
///
/// to.Write&lt;Celsius, double&gt;(21.5);
/// double outside = from.Read&lt;Celsius, double&gt;();
/// </code>
/// Make it a struct: the runtime then compiles each use for that codec alone.
/// </summary>
public interface ICodec<TSelf, TValue>
    where TSelf : ICodec<TSelf, TValue>
{
    /// <summary>What errors call a value of this form, for example "varint".</summary>
    static abstract string Name { get; }

    /// <summary>The most bytes that a value takes; <see cref="int.MaxValue"/> if there is no such bound.</summary>
    static abstract int MaxSize { get; }

    /// <summary>Whether a value goes to the end of its source, as a <see cref="LastUInt"/> does.</summary>
    static virtual bool TakesAll => false;

    /// <summary>How many bytes the value takes.</summary>
    static abstract int Size(TValue value);

    /// <summary>Writes the value, and returns how many bytes it took: as many as <see cref="Size"/> says.</summary>
    /// <exception cref="ArgumentException">The destination is too short; nothing was written.</exception>
    static abstract int Write(Span<byte> destination, TValue value);

    /// <summary>
    /// Reads the value that the source begins with. <see cref="OperationStatus.NeedMoreData"/>: the source ends before the value does.
    /// <see cref="OperationStatus.InvalidData"/>: no value begins with these bytes, whatever follows. In both cases nothing is consumed.
    /// </summary>
    static abstract OperationStatus Read(ReadOnlySpan<byte> source, out TValue value, out int consumed);
}

using System.Buffers;
using MemPrims.Benchmarks.Ratio;
using MemPrims.Codecs;

namespace MemPrims.Benchmarks.Codecs;

/// <summary>
/// PackedLength against Varint, both ways, with the bytes that each takes told in the name. There is no bound: which one to take depends
/// on the lengths.
/// </summary>
public sealed class LengthCases : IRatioCases
{
    public static IEnumerable<RatioCase> Cases()
    {
        foreach (string kind in new[] { Numbers.Realistic, Numbers.Uniform64 })
        {
            LengthWork sizes = new(kind);
            string told = $"{kind} ({sizes.PackedBytes:0.000} bytes each, Varint {sizes.VarintBytes:0.000})";
            yield return new("PackedLength against Varint", $"write, {told}", () =>
            {
                LengthWork work = new(kind);
                return new(Numbers.Count, new("PackedLength.Write", work.WritePacked), new Contender("Varint.Write", work.WriteVarint));
            });
            yield return new("PackedLength against Varint", $"read, {told}", () =>
            {
                LengthWork work = new(kind);
                return new(Numbers.Count, new("PackedLength.Read", work.ReadPacked), new Contender("Varint.Read", work.ReadVarint));
            });
        }
    }
}

public sealed class LengthWork
{
    private readonly ulong[] _values;
    private readonly byte[] _buffer = new byte[Numbers.Count * PackedLength.MaxSize];
    private readonly byte[] _varints, _packed;

    public LengthWork(string kind)
    {
        _values = Numbers.Of(kind);
        _varints = _buffer.AsSpan(0, (int)WriteVarint()).ToArray();
        _packed = _buffer.AsSpan(0, (int)WritePacked()).ToArray();
    }

    public double PackedBytes => (double)_packed.Length / Numbers.Count;

    public double VarintBytes => (double)_varints.Length / Numbers.Count;

    public long WritePacked()
    {
        Span<byte> rest = _buffer;
        foreach (ulong value in _values) rest = rest[PackedLength.Write(rest, value)..];
        return _buffer.Length - rest.Length;
    }

    public long WriteVarint()
    {
        Span<byte> rest = _buffer;
        foreach (ulong value in _values) rest = rest[Varint.Write(rest, value)..];
        return _buffer.Length - rest.Length;
    }

    public long ReadPacked()
    {
        ReadOnlySpan<byte> rest = _packed;
        ulong sum = 0;
        while (!rest.IsEmpty)
        {
            if (PackedLength.Read(rest, out ulong value, out int consumed) != OperationStatus.Done) throw new InvalidOperationException();
            sum += value;
            rest = rest[consumed..];
        }
        return (long)sum;
    }

    public long ReadVarint()
    {
        ReadOnlySpan<byte> rest = _varints;
        ulong sum = 0;
        while (!rest.IsEmpty)
        {
            if (Varint.Read(rest, out ulong value, out int consumed) != OperationStatus.Done) throw new InvalidOperationException();
            sum += value;
            rest = rest[consumed..];
        }
        return (long)sum;
    }
}

using System.Buffers;
using MemPrims.Benchmarks.Ratio;
using MemPrims.Codecs;

namespace MemPrims.Benchmarks.Codecs;

/// <summary>64-bit varints in bulk. The values are drawn anew before every batch, so that no predictor knows their lengths.</summary>
public sealed class WideCases : IRatioCases
{
    public static IEnumerable<RatioCase> Cases()
    {
        foreach (string kind in new[] { Numbers.Realistic, Numbers.OneByte, Numbers.Uniform64 })
        {
            double asked = kind == Numbers.Realistic ? 4 : 0;
            yield return new("64-bit numbers in bulk", $"Varint.ReadMany, {kind}", () =>
            {
                WideWork work = new(kind);
                return new(Numbers.Count, new("Varint.ReadMany", work.Read), new("plain loop", work.ReadByLoop, asked), new("Varint.Read", work.ReadOneByOne));
            });
            yield return new("64-bit numbers in bulk", $"Varint.WriteMany, {kind}", () =>
            {
                WideWork work = new(kind);
                return new(Numbers.Count, new("Varint.WriteMany", work.Write), new("plain loop", work.WriteByLoop), new("Varint.Write", work.WriteOneByOne));
            });
        }
    }
}

public sealed class WideWork
{
    // Each batch works on another of these: together they are more than a predictor remembers.
    private const int Draws = 8;

    private readonly ulong[][] _values;
    private readonly byte[][] _encoded;
    private readonly ulong[] _read = new ulong[Numbers.Count];
    private readonly byte[] _buffer = new byte[Numbers.Count * Varint.MaxSize];
    private int _next;

    public WideWork(string kind)
    {
        Random random = new(11);
        _values = new ulong[Draws][];
        _encoded = new byte[Draws][];
        for (int i = 0; i < Draws; i++)
        {
            _values[i] = Numbers.Of(kind);
            random.Shuffle(_values[i]);
            Varint.WriteMany(_values[i], _buffer, out _, out int size);
            _encoded[i] = _buffer.AsSpan(0, size).ToArray();
        }
    }

    public long Read()
    {
        if (Varint.ReadMany(_encoded[_next++ % Draws], _read, out int consumed, out _) != OperationStatus.Done) throw new InvalidOperationException();
        return consumed + (long)_read[^1];
    }

    public long ReadByLoop()
    {
        ReadOnlySpan<byte> rest = _encoded[_next++ % Draws];
        foreach (ref ulong value in _read.AsSpan())
        {
            value = PlainLoop.Read(rest, out int consumed);
            rest = rest[consumed..];
        }
        return (long)_read[^1];
    }

    public long ReadOneByOne()
    {
        ReadOnlySpan<byte> rest = _encoded[_next++ % Draws];
        foreach (ref ulong value in _read.AsSpan())
        {
            if (Varint.Read(rest, out value, out int consumed) != OperationStatus.Done) throw new InvalidOperationException();
            rest = rest[consumed..];
        }
        return (long)_read[^1];
    }

    public long Write()
    {
        Varint.WriteMany(_values[_next++ % Draws], _buffer, out _, out int written);
        return written;
    }

    public long WriteByLoop()
    {
        Span<byte> rest = _buffer;
        foreach (ulong value in _values[_next++ % Draws]) rest = rest[PlainLoop.Write(rest, value)..];
        return _buffer.Length - rest.Length;
    }

    public long WriteOneByOne()
    {
        Span<byte> rest = _buffer;
        foreach (ulong value in _values[_next++ % Draws]) rest = rest[Varint.Write(rest, value)..];
        return _buffer.Length - rest.Length;
    }
}

using System.Buffers;
using MemPrims.Benchmarks.Ratio;
using MemPrims.Codecs;

namespace MemPrims.Benchmarks.Codecs;

/// <summary>
/// 64-bit varints in bulk. There are eight draws of 65,536 values, made once, and each batch takes the next: a predictor remembers far fewer lengths than
/// the half million of them. Every contender counts for itself, so all of them work on the same draw in the same round.
/// </summary>
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
    private const int Draws = 8;

    private readonly ulong[][] _values;
    private readonly byte[][] _encoded;
    private readonly ulong[] _read = new ulong[Numbers.Count];
    private readonly byte[] _buffer = new byte[Numbers.Count * Varint.MaxSize];
    private readonly int[] _turns = new int[6];

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
        if (Varint.ReadMany(_encoded[_turns[0]++ % Draws], _read, out int consumed, out _) != OperationStatus.Done) throw new InvalidOperationException();
        return consumed + (long)_read[^1];
    }

    public long ReadByLoop()
    {
        ReadOnlySpan<byte> rest = _encoded[_turns[1]++ % Draws];
        foreach (ref ulong value in _read.AsSpan())
        {
            value = PlainLoop.Read(rest, out int consumed);
            rest = rest[consumed..];
        }
        return (long)_read[^1];
    }

    public long ReadOneByOne()
    {
        ReadOnlySpan<byte> rest = _encoded[_turns[2]++ % Draws];
        foreach (ref ulong value in _read.AsSpan())
        {
            if (Varint.Read(rest, out value, out int consumed) != OperationStatus.Done) throw new InvalidOperationException();
            rest = rest[consumed..];
        }
        return (long)_read[^1];
    }

    public long Write()
    {
        Varint.WriteMany(_values[_turns[3]++ % Draws], _buffer, out _, out int written);
        return written;
    }

    public long WriteByLoop()
    {
        Span<byte> rest = _buffer;
        foreach (ulong value in _values[_turns[4]++ % Draws]) rest = rest[PlainLoop.Write(rest, value)..];
        return _buffer.Length - rest.Length;
    }

    public long WriteOneByOne()
    {
        Span<byte> rest = _buffer;
        foreach (ulong value in _values[_turns[5]++ % Draws]) rest = rest[Varint.Write(rest, value)..];
        return _buffer.Length - rest.Length;
    }
}

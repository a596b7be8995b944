using System.Buffers;
using MemPrims.Benchmarks.Ratio;
using MemPrims.Codecs;

namespace MemPrims.Benchmarks.Codecs;

/// <summary>
/// 64-bit varints in bulk. The 65,536 values are put in another order before every timed round: a predictor learns lengths that come again
/// by heart. All contenders of a round work on the same values. Writing 1–5 bytes by shifts and one store of eight bytes took 5.8 to
/// 9.7 ns a number, by PDEP 3.1 to 5.2, four at a time 1.9 (Zen 3, loops by themselves).
/// <para>
/// One by one, realistic, 1–2 and 1–5 bytes, in ns (Zen 5): branches between two or three, four to eight and more bytes 1.16, 4.5, 6.4;
/// two to five bytes without a branch, the one kept, 1.09, 4.7, 3.4; the same after a branch for two bytes 1.36, 3.9, 4.5. In the
/// pointers' form, which appenders take, the one kept took 3.8 for five fields in place of 2.6: lengths that come in turn are predicted.
/// </para>
/// </summary>
public sealed class WideCases : IRatioCases
{
    public static IEnumerable<RatioCase> Cases()
    {
        foreach (string kind in new[]
            { Numbers.Realistic, Numbers.OneByte, Numbers.Uniform64, Numbers.TwoLengths, Numbers.FiveLengths })
        {
            double bound = kind == Numbers.Realistic ? 4 : 0;
            yield return new("64-bit numbers in bulk", $"Varint.ReadMany, {kind}", () =>
            {
                WideWork work = new(kind);
                Contender[] peers = [new("plain loop", work.ReadByLoop, bound), new("Varint.Read", work.ReadOneByOne)];
                return new(Numbers.Count, new("Varint.ReadMany", work.Read), peers) { Redraw = work.Redraw };
            });
            yield return new("64-bit numbers in bulk", $"Varint.WriteMany, {kind}", () =>
            {
                WideWork work = new(kind);
                Contender[] peers = [new("plain loop", work.WriteByLoop, 1), new("Varint.Write", work.WriteOneByOne)];
                return new(Numbers.Count, new("Varint.WriteMany", work.Write), peers) { Redraw = work.Redraw };
            });
            yield return new("64-bit numbers one by one", $"Varint.Write, {kind}", () =>
            {
                WideWork work = new(kind);
                return new(Numbers.Count, new("Varint.Write", work.WriteOneByOne), new Contender("plain loop", work.WriteByLoop,
                    1), new Contender("shifts, one store", work.WriteByShifts))
                { Redraw = work.Redraw };
            });
        }
    }
}

public sealed class WideWork
{
    private readonly Random _random = new(11);
    private readonly ulong[] _values, _read = new ulong[Numbers.Count];
    private readonly byte[] _encoded = new byte[Numbers.Count * Varint.MaxSize], _buffer = new byte[Numbers.Count * Varint.MaxSize];
    private int _size;

    public WideWork(string kind)
    {
        _values = Numbers.Of(kind);
        Redraw();
        if (Read() == 0 || !_read.AsSpan().SequenceEqual(_values))
            throw new InvalidOperationException("What was read is not what was written.");
    }

    public void Redraw()
    {
        _random.Shuffle(_values);
        Varint.WriteMany(_values, _encoded, out _, out _size);
    }

    public long Read()
    {
        if (Varint.ReadMany(_encoded.AsSpan(0, _size), _read, out int consumed, out _) != OperationStatus.Done)
            throw new InvalidOperationException();
        return consumed + (long)_read[^1];
    }

    public long ReadByLoop()
    {
        ReadOnlySpan<byte> rest = _encoded.AsSpan(0, _size);
        foreach (ref ulong value in _read.AsSpan())
        {
            value = PlainLoop.Read(rest, out int consumed);
            rest = rest[consumed..];
        }
        return (long)_read[^1];
    }

    public long ReadOneByOne()
    {
        ReadOnlySpan<byte> rest = _encoded.AsSpan(0, _size);
        foreach (ref ulong value in _read.AsSpan())
        {
            if (Varint.Read(rest, out value, out int consumed) != OperationStatus.Done) throw new InvalidOperationException();
            rest = rest[consumed..];
        }
        return (long)_read[^1];
    }

    public long Write()
    {
        Varint.WriteMany(_values, _buffer, out _, out int written);
        return written;
    }

    public long WriteByShifts()
    {
        Span<byte> rest = _buffer;
        foreach (ulong value in _values) rest = rest[PlainLoop.WriteByShifts(rest, value)..];
        return _buffer.Length - rest.Length;
    }

    public long WriteByLoop()
    {
        Span<byte> rest = _buffer;
        foreach (ulong value in _values) rest = rest[PlainLoop.Write(rest, value)..];
        return _buffer.Length - rest.Length;
    }

    public long WriteOneByOne()
    {
        Span<byte> rest = _buffer;
        foreach (ulong value in _values) rest = rest[Varint.Write(rest, value)..];
        return _buffer.Length - rest.Length;
    }
}

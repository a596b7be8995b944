using System.Buffers;
using MemPrims.Benchmarks.Ratio;
using MemPrims.Codecs;

namespace MemPrims.Benchmarks.Codecs;

/// <summary>
/// Varints one by one: written into and read from one buffer. Peers: BinaryWriter and BinaryReader over a MemoryStream, and the plain
/// loop.
/// </summary>
/// <remarks>
/// Tried for Write, time ÷ its time, on realistic values, one byte, 1–2 and 1–5 bytes at random (Zen 3). All but the last two
/// take one byte by a branch first: at 1–2 bytes at random it is guessed wrong every second time, for the plain loop too.
/// <code>
/// 2–5 bytes without a branch, three stores of two bytes     1.12  1.00  1.21  0.66
/// up to 8 bytes by one store of eight, past its end         1.06  0.99  1.13  0.56
/// 2–4 bytes without a branch, two stores                    1.28  1.19  1.17  1.18
/// up to 8 bytes by one store, no branch on one byte         1.87  3.83  0.79  0.40
/// 1–3 bytes without any branch                              1.87  3.97  0.61  0.90
/// </code>
/// Lengths that engines write are the first column. A store of eight bytes would also write over what the caller has after the value.
/// </remarks>
public sealed class VarintCases : IRatioCases
{
    public static IEnumerable<RatioCase> Cases()
    {
        foreach (string kind in new[] { Numbers.Realistic, Numbers.OneByte, Numbers.Uniform64 })
        {
            yield return new("Varint, one by one", $"write, {kind}", () =>
            {
                VarintWork work = new(kind);
                return new(Numbers.Count, new("Varint.Write", work.Write), new("BinaryWriter", work.WriteByWriter, 3), new("plain loop",
                    work.WriteByLoop, 1.1));
            });
            yield return new("Varint, one by one", $"strict read, {kind}", () =>
            {
                VarintWork work = new(kind);
                return new(Numbers.Count, new("Varint.Read", work.Read), new("BinaryReader", work.ReadByReader, 5), new("plain loop",
                    work.ReadByLoop, 1.2));
            });
        }
    }
}

public sealed class VarintWork
{
    private readonly ulong[] _values;
    private readonly byte[] _buffer = new byte[Numbers.Count * Varint.MaxSize];
    private readonly byte[] _encoded;
    private readonly MemoryStream _out, _in;
    private readonly BinaryWriter _writer;
    private readonly BinaryReader _reader;

    public VarintWork(string kind)
    {
        _values = Numbers.Of(kind);
        _encoded = _buffer.AsSpan(0, (int)Write()).ToArray();
        _out = new(_buffer);
        _in = new(_encoded);
        _writer = new(_out);
        _reader = new(_in);
    }

    public long Write()
    {
        Span<byte> rest = _buffer;
        foreach (ulong value in _values) rest = rest[Varint.Write(rest, value)..];
        return _buffer.Length - rest.Length;
    }

    public long WriteByLoop()
    {
        Span<byte> rest = _buffer;
        foreach (ulong value in _values) rest = rest[PlainLoop.Write(rest, value)..];
        return _buffer.Length - rest.Length;
    }

    public long WriteByWriter()
    {
        _out.Position = 0;
        foreach (ulong value in _values) _writer.Write7BitEncodedInt64((long)value);
        return _out.Position;
    }

    public long Read()
    {
        ReadOnlySpan<byte> rest = _encoded;
        ulong sum = 0;
        while (!rest.IsEmpty)
        {
            if (Varint.Read(rest, out ulong value, out int consumed) != OperationStatus.Done) throw new InvalidOperationException();
            sum += value;
            rest = rest[consumed..];
        }
        return (long)sum;
    }

    public long ReadByLoop()
    {
        ReadOnlySpan<byte> rest = _encoded;
        ulong sum = 0;
        while (!rest.IsEmpty)
        {
            sum += PlainLoop.Read(rest, out int consumed);
            rest = rest[consumed..];
        }
        return (long)sum;
    }

    public long ReadByReader()
    {
        _in.Position = 0;
        ulong sum = 0;
        for (int i = 0; i < Numbers.Count; i++) sum += (ulong)_reader.Read7BitEncodedInt64();
        return (long)sum;
    }
}

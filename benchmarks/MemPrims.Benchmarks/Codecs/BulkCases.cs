using System.Buffers;
using MemPrims.Benchmarks.Ratio;
using MemPrims.Codecs;

namespace MemPrims.Benchmarks.Codecs;

/// <summary>Many 32-bit numbers in one call: varints and the batch layout, against reading and writing them one by one.</summary>
public sealed class BulkCases : IRatioCases
{
    public static IEnumerable<RatioCase> Cases()
    {
        foreach (string kind in new[] { Numbers.Realistic, Numbers.OneByte, Numbers.Uniform32 })
        {
            bool bounded = kind == Numbers.Realistic;
            yield return Case("Varint.ReadMany", kind, w => w.ReadVarints, ("plain loop", w => w.ReadByLoop, bounded ? 3 : 0),
                ("Varint.Read", w => w.ReadOneByOne, 0));
            yield return Case("Varint.WriteMany", kind, w => w.WriteVarints, ("plain loop", w => w.WriteByLoop, 0));
            yield return Case("UIntBatch.ReadMany", kind, w => w.ReadBatch, ("BinaryReader", w => w.ReadByReader, bounded ? 25 : 0),
                ("plain loop", w => w.ReadByLoop, bounded ? 6 : 0), ("plain loop, same layout", w => w.ReadBatchByLoop, 0));
            yield return Case("UIntBatch.WriteMany", kind, w => w.WriteBatch, ("plain loop", w => w.WriteByLoop, 0));
        }
    }

    private static RatioCase Case(string name, string kind, Func<BulkWork, Func<long>> ours, params (string Name, Func<BulkWork,
        Func<long>> Batch, double AtLeast)[] peers) =>
        new("Numbers in bulk", $"{name}, {kind}", () =>
        {
            BulkWork work = new(kind);
            return new(Numbers.Count, new(name, ours(work)), [.. peers.Select(p => new Contender(p.Name, p.Batch(work), p.AtLeast))]);
        });
}

public sealed class BulkWork
{
    private readonly uint[] _values;
    private readonly uint[] _read = new uint[Numbers.Count];
    private readonly byte[] _buffer = new byte[UIntBatch.MaxSize(Numbers.Count) + Numbers.Count];
    private readonly byte[] _varints, _batch;
    private readonly MemoryStream _in;
    private readonly BinaryReader _reader;

    public BulkWork(string kind)
    {
        _values = Numbers.Of32(kind);
        _varints = _buffer.AsSpan(0, (int)WriteVarints()).ToArray();
        _batch = _buffer.AsSpan(0, (int)WriteBatch()).ToArray();
        _in = new(_varints);
        _reader = new(_in);
    }

    public long WriteVarints()
    {
        Varint.WriteMany(_values, _buffer, out _, out int written);
        return written;
    }

    public long WriteBatch()
    {
        UIntBatch.WriteMany(_values, _buffer, out _, out int written);
        return written;
    }

    public long WriteByLoop()
    {
        Span<byte> rest = _buffer;
        foreach (uint value in _values) rest = rest[PlainLoop.Write(rest, value)..];
        return _buffer.Length - rest.Length;
    }

    public long ReadVarints()
    {
        if (Varint.ReadMany(_varints, _read, out int consumed, out _) != OperationStatus.Done) throw new InvalidOperationException();
        return consumed + _read[^1];
    }

    public long ReadBatch()
    {
        if (UIntBatch.ReadMany(_batch, _read, out int consumed, out _) != OperationStatus.Done) throw new InvalidOperationException();
        return consumed + _read[^1];
    }

    public long ReadOneByOne()
    {
        ReadOnlySpan<byte> rest = _varints;
        foreach (ref uint value in _read.AsSpan())
        {
            if (Varint.Read32(rest, out value, out int consumed) != OperationStatus.Done) throw new InvalidOperationException();
            rest = rest[consumed..];
        }
        return _read[^1];
    }

    public long ReadByLoop()
    {
        ReadOnlySpan<byte> rest = _varints;
        foreach (ref uint value in _read.AsSpan())
        {
            value = (uint)PlainLoop.Read(rest, out int consumed);
            rest = rest[consumed..];
        }
        return _read[^1];
    }

    public long ReadBatchByLoop()
    {
        ReadOnlySpan<byte> control = _batch.AsSpan(0, Numbers.Count / 4), data = _batch.AsSpan(control.Length);
        for (int i = 0, at = 0; i < _read.Length; i++)
        {
            int size = (control[i / 4] >> (2 * (i % 4)) & 3) + 1;
            uint value = 0;
            for (int b = 0; b < size; b++) value |= (uint)data[at++] << (8 * b);
            _read[i] = value;
        }
        return _read[^1];
    }

    public long ReadByReader()
    {
        _in.Position = 0;
        foreach (ref uint value in _read.AsSpan()) value = (uint)_reader.Read7BitEncodedInt();
        return _read[^1];
    }
}

using System.Buffers;
using Google.Protobuf;
using MemPrims.Buffers;
using MemPrims.Wire;

namespace MemPrims.Benchmarks.Wire;

/// <summary>
/// The batches of one shape of message, for both sides. <paramref name="read"/> and <paramref name="readGenerated"/> read every field of
/// one.
/// </summary>
internal sealed class Shape<T>(T[] messages, string type, MessageParser<T> parser, Func<Message, long> read, Func<T, long> readGenerated,
    Action<T> reset)
    where T : class, IMessage<T>
{
    private readonly byte[][] _encoded = [.. messages.Select(m => m.ToByteArray())];
    private readonly Message[] _ours = [.. messages.Select(m => Samples.Schema[type].Decode(m.ToByteArray()))];
    private readonly MessageType _type = Samples.Schema[type];
    private readonly Message _reused = Samples.Schema[type].New();
    private readonly FieldHandle<object> _first = Samples.Schema[type].Field<object>(1);
    private readonly T _generatedReused = parser.ParseFrom([]);
    private readonly SegmentList _list = new();
    private readonly ArrayBufferWriter<byte> _writer = new(1 << 16);
    private readonly byte[] _array = new byte[1 << 16];

    public long Encode()
    {
        long sum = 0;
        foreach (int i in Samples.NextOrder())
        {
            _list.Clear();
            _ours[i].WriteTo(_list);
            sum += _list.Length;
        }
        return sum;
    }

    public long GeneratedWriter()
    {
        long sum = 0;
        foreach (int i in Samples.NextOrder())
        {
            _writer.ResetWrittenCount();
            messages[i].WriteTo(_writer);
            sum += _writer.WrittenCount;
        }
        return sum;
    }

    public long GeneratedSpan()
    {
        long sum = 0;
        foreach (int i in Samples.NextOrder())
        {
            int size = messages[i].CalculateSize();
            messages[i].WriteTo(_array.AsSpan(0, size));
            sum += size;
        }
        return sum;
    }

    public long Decode()
    {
        long sum = 0;
        foreach (int i in Samples.NextOrder()) sum += read(_type.Decode(_encoded[i]));
        return sum;
    }

    public long GeneratedParse()
    {
        long sum = 0;
        foreach (int i in Samples.NextOrder()) sum += readGenerated(parser.ParseFrom(_encoded[i]));
        return sum;
    }

    public long DecodeReused()
    {
        long sum = 0;
        foreach (int i in Samples.NextOrder())
        {
            _reused.DecodeFrom(_encoded[i]);
            sum += _reused.Has(_first) ? 1 : 0;
        }
        return sum;
    }

    public long GeneratedMerge()
    {
        long sum = 0;
        foreach (int i in Samples.NextOrder())
        {
            reset(_generatedReused);
            _generatedReused.MergeFrom(_encoded[i]);
            sum++;
        }
        return sum;
    }

    /// <summary>The same, and every field is read, text as strings.</summary>
    public long DecodeReusedAndRead()
    {
        long sum = 0;
        foreach (int i in Samples.NextOrder())
        {
            _reused.DecodeFrom(_encoded[i]);
            sum += read(_reused);
        }
        return sum;
    }

    public long GeneratedMergeAndRead()
    {
        long sum = 0;
        foreach (int i in Samples.NextOrder())
        {
            reset(_generatedReused);
            _generatedReused.MergeFrom(_encoded[i]);
            sum += readGenerated(_generatedReused);
        }
        return sum;
    }
}

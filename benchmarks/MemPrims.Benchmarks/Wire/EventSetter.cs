using System.Buffers;
using System.Text;
using Google.Protobuf;
using MemPrims.Benchmarks.Wire.Generated;
using MemPrims.Buffers;
using MemPrims.Wire;
using Message = MemPrims.Wire.Message;

namespace MemPrims.Benchmarks.Wire;

/// <summary>Sets the 8 values of an event of 20 to 60 bytes, some of them zero, and encodes it behind the ones before.</summary>
internal sealed class EventSetter
{
    private static readonly MessageType s_type = Samples.Schema["memprims.bench.Event"];
    private static readonly FieldHandle<ulong> s_time = s_type.Field<ulong>("time");
    private static readonly FieldHandle<uint> s_kind = s_type.Field<uint>("kind"), s_shard = s_type.Field<uint>("shard");
    private static readonly FieldHandle<long> s_user = s_type.Field<long>("user");
    private static readonly FieldHandle<string> s_key = s_type.Field<string>("key");
    private static readonly FieldHandle<ReadOnlyMemory<byte>> s_keyUtf8 = s_type.Field<ReadOnlyMemory<byte>>("key");
    private static readonly FieldHandle<int> s_value = s_type.Field<int>("value");
    private static readonly FieldHandle<bool> s_ok = s_type.Field<bool>("ok");
    private static readonly FieldHandle<float> s_load = s_type.Field<float>("load");

    private readonly Event[] _values = Samples.Events();
    private readonly byte[][] _keys;
    private readonly Event _generated = new();
    private readonly Message _message = s_type.New();
    private readonly SegmentList _list = new();
    private readonly ArrayBufferWriter<byte> _writer = new(1 << 16);

    public EventSetter() => _keys = [.. _values.Select(value => Encoding.UTF8.GetBytes(value.Key))];

    public long Generated()
    {
        Event m = _generated;
        _writer.ResetWrittenCount();
        foreach (int i in Samples.NextOrder())
        {
            Event v = _values[i];
            m.Time = v.Time;
            m.Kind = v.Kind;
            m.User = v.User;
            m.Key = v.Key;
            m.Value = v.Value;
            m.Ok = v.Ok;
            m.Load = v.Load;
            m.Shard = v.Shard;
            m.WriteTo(_writer);
        }
        return _writer.WrittenCount;
    }

    public long Strings()
    {
        Message m = _message;
        _list.Clear();
        foreach (int i in Samples.NextOrder())
        {
            Event v = _values[i];
            m.Set(s_key, v.Key);
            SetNumbers(m, v);
            m.WriteTo(_list);
        }
        return _list.Length;
    }

    public long Utf8()
    {
        Message m = _message;
        _list.Clear();
        foreach (int i in Samples.NextOrder())
        {
            m.Set(s_keyUtf8, _keys[i]);
            SetNumbers(m, _values[i]);
            m.WriteTo(_list);
        }
        return _list.Length;
    }

    private static void SetNumbers(Message m, Event v)
    {
        m.Set(s_time, v.Time);
        m.Set(s_kind, v.Kind);
        m.Set(s_user, v.User);
        m.Set(s_value, v.Value);
        m.Set(s_ok, v.Ok);
        m.Set(s_load, v.Load);
        m.Set(s_shard, v.Shard);
    }
}

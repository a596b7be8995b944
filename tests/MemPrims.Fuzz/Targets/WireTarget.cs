using System.Text;
using MemPrims.Wire;
using MemPrims.Wire.Tests;
using static MemPrims.Fuzz.WrongAnswerException;

namespace MemPrims.Fuzz;

/// <summary>
/// A message, whose type the head has: decoded at once, lazily, and into a message that is used again; walked field by field; read by
/// paths; written as JSON and read from it. All ways agree.
/// </summary>
internal sealed class WireTarget : Target
{
    private const int Paths = 4, MostWalked = 100;

    private static readonly DecodeOptions s_partial = new() { AllowPartial = true }, s_lazy = s_partial with { Lazy = true };

    private static readonly JsonParseOptions s_partialJson = new() { AllowPartial = true };

    public override string Name => "wire";

    public override int Rounds => 1_500;

    public override IEnumerable<byte[]> Seeds() =>
        Schemas.Samples().Select(sample => (byte[])[sample.Type, .. sample.Message.ToByteArray()]);

    public override void Run(ReadOnlySpan<byte> head, GuardedInput input)
    {
        MessageType type = Schemas.Of(head[0]);
        Message? eager = Schemas.Try(() => Schemas.Visit(type.Decode(input.Span, s_partial)));
        Message reused = type.New();
        Message? again = Schemas.Try(() =>
        {
            reused.DecodeFrom(input.Memory, s_partial);
            return Schemas.Visit(reused);
        });
        Message? late = Schemas.Try(() => Schemas.Visit(type.Decode(input.Span, s_lazy)));
        Unless(eager is null == again is null, "a message that is used again takes other bytes");
        Random random = new((int)Checksum.Crc32C(input.Span));
        for (int i = 0; i < Paths; i++) RandomPath.Draw(random, type, eager)?.Check(input.Span, eager);
        Walk(new(type, input.Span), eager, 0);
        if (eager is null)
        {
            // A part that another one of its oneof, or of its key, took away is not looked at lazily.
            if (late is not null) Unless(late.Equals(type.Decode(late.ToByteArray(), s_partial)), "a lazy message is not what it writes");
            return;
        }
        Unless(eager.Equals(again) && eager.Equals(late) && eager.Equals(eager.Clone()), "the ways of decoding do not agree");
        byte[] written = eager.ToByteArray();
        Message read = type.Decode(written, s_partial);
        Unless(eager.CalculateSize() == written.Length && read.Equals(eager) && read.ToByteArray().AsSpan().SequenceEqual(written)
            && again!.ToByteArray().AsSpan().SequenceEqual(written), "a message that was written is another one");
        Json(type, eager);
    }

    private static void Json(MessageType type, Message message)
    {
        string json;
        try
        {
            json = message.ToJson();
        }
        catch (WireException)
        {
            return;
        }
        Message read = type.ParseJson(json, s_partialJson);
        // A google.protobuf.NullValue of any number is null, and null is its zero, which is not written again.
        Unless(read.ToJson() == json || json.Contains("\"nothing\":null", StringComparison.Ordinal),
            "JSON that was written is read as another message");
    }

    // The reader tells every field of every level, or a fault; of a value that is there once, the last one is that of the message.
    private static void Walk(MessageReader reader, Message? whole, int depth)
    {
        Dictionary<MessageField, object> last = [];
        try
        {
            while (reader.Read())
            {
                if (reader.Field is not { } field)
                {
                    if (reader.WireType is WireType.Bytes or WireType.StartGroup) _ = reader.Bytes.Length;
                    else _ = reader.Raw;
                }
                else if (field.MessageType is not null)
                {
                    if (depth < MostWalked) Walk(reader.Inner(), null, depth + 1);
                }
                else if (field.Kind is FieldKind.String)
                    // Of proto2, text may be any bytes, which the reader's Text refuses.
                    last[field] = field.IsUtf8Checked ? reader.Text : Encoding.UTF8.GetString(reader.Bytes);
                else if (field.Kind is FieldKind.Bytes) last[field] = Convert.ToHexString(reader.Bytes);
                else if (field.IsRepeated) for (MessageReader value = reader.Values(); value.Read();) _ = value.Raw;
                else if (field.EnumType is null) last[field] = Scalar(ref reader, field.Kind);
            }
        }
        catch (WireException) when (whole is null)
        {
            return;
        }
        if (whole is null) return;
        foreach ((MessageField field, object value) in last)
        {
            if (field.IsRepeated || field.Oneof is not null) continue;
            object held = whole.Get<object>(field.Name);
            Unless(value.Equals(held is byte[] bytes ? Convert.ToHexString(bytes) : held), $"{field} is {held}, and {value} is read");
        }
    }

    private static object Scalar(ref MessageReader reader, FieldKind kind) => kind switch
    {
        FieldKind.Double => reader.Double,
        FieldKind.Float => reader.Float,
        FieldKind.Int64 or FieldKind.SInt64 or FieldKind.SFixed64 => reader.Int64,
        FieldKind.UInt64 or FieldKind.Fixed64 => reader.UInt64,
        FieldKind.UInt32 or FieldKind.Fixed32 => reader.UInt32,
        FieldKind.Bool => reader.Bool,
        _ => reader.Int32,
    };
}

using System.Text;
using MemPrims.Wire;
using static MemPrims.Fuzz.WrongAnswerException;

namespace MemPrims.Fuzz;

/// <summary>JSON of a message, whose type the head has: what was read is the same from its bytes, from its JSON, and from text.</summary>
internal sealed class JsonTarget : Target
{
    private static readonly JsonParseOptions s_partial = new() { AllowPartial = true },
        s_lenient = new() { AllowPartial = true, IgnoreUnknown = true };

    public override string Name => "json";

    public override int Rounds => 4_000;

    public override IEnumerable<byte[]> Seeds()
    {
        foreach ((byte type, Message message) in Schemas.Samples()) yield return [type, .. Encoding.UTF8.GetBytes(message.ToJson())];
        string[] known = ["{\"struct\":{\"a\":[1,null,{\"b\":true}]},\"value\":null,\"nothing\":null}",
            "{\"any\":{\"@type\":\"type.googleapis.com/google.protobuf.Duration\",\"value\":\"-1.000000001s\"}}",
            "{\"time\":\"1969-12-31T23:59:59.999999999Z\",\"span\":\"3s\",\"mask\":\"a.b,cD\",\"large\":\"18446744073709551615\"}"];
        foreach (string json in known) yield return [3, .. Encoding.UTF8.GetBytes(json)];
    }

    public override void Run(ReadOnlySpan<byte> head, GuardedInput input)
    {
        MessageType type = Schemas.Of(head[0]);
        Message? message = Schemas.Try(() => type.ParseJson(input.Span, s_partial));
        Message? lenient = Schemas.Try(() => type.ParseJson(input.Span, s_lenient));
        string text = Encoding.UTF8.GetString(input.Span);
        bool isUtf8 = Encoding.UTF8.GetBytes(text).AsSpan().SequenceEqual(input.Span);
        Message? ofText = isUtf8 ? Schemas.Try(() => type.ParseJson(text, s_partial)) : message;
        Unless(message is null ? ofText is null : message.Equals(ofText), "text and UTF-8 are read otherwise");
        if (message is null) return;
        Unless(message.Equals(lenient), "JSON without unknown fields is read otherwise where they may be");
        byte[] bytes = message.ToByteArray();
        Unless(message.Equals(type.Decode(bytes, new() { AllowPartial = true })), "a message of JSON is another one in its bytes");
        foreach (JsonWriteOptions options in (JsonWriteOptions[])[new(), new() { UseProtoNames = true, EnumsAsNumbers = true },
            new() { WriteDefaults = true, Indented = true }])
            Unless(type.ParseJson(message.ToJson(options), s_partial) is var again && (message.Equals(again) || options.WriteDefaults),
                "JSON that was written is read as another message");
    }
}

namespace MemPrims.Wire.Conformance;

/// <summary>
/// Answers one request: reads the payload as the message type that is named, and writes it in the format that is wanted.
/// </summary>
public sealed class Testee(MessageSchema schema)
{
    private readonly MessageType _request = schema["conformance.ConformanceRequest"],
        _response = schema["conformance.ConformanceResponse"];

    private enum Format
    {
        Unspecified, Protobuf, Json, Jspb, Text,
    }

    private const int JsonIgnoreUnknown = 3;

    public byte[] Answer(byte[] bytes)
    {
        Message response = _response.New();
        try
        {
            Answer(_request.Decode(bytes), response);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            response.Clear();
            response.Set("runtime_error", e.ToString());
        }
        return response.ToByteArray();
    }

    private void Answer(Message request, Message response)
    {
        string name = request.Get<string>("message_type");
        // The runner asks first which tests are known to fail: none are.
        if (name == "conformance.FailureSet")
        {
            response.Set("protobuf_payload", Array.Empty<byte>());
            return;
        }
        Format wanted = (Format)request.Get<int>("requested_output_format");
        string payload = request.WhichOf("payload")?.Name ?? "";
        if (payload is not ("protobuf_payload" or "json_payload") || wanted is not (Format.Protobuf or Format.Json))
        {
            response.Set("skipped", "text format and JSPB are not what this package does");
            return;
        }
        if (!schema.TryGetMessage(name, out MessageType? type))
        {
            response.Set("skipped", $"{name} is not in the descriptor set");
            return;
        }
        Message message;
        try
        {
            bool ignores = request.Get<int>("test_category") == JsonIgnoreUnknown;
            message = payload == "protobuf_payload"
                ? type.Decode(request.Get<byte[]>("protobuf_payload"))
                : type.ParseJson(request.Get<string>("json_payload"), new() { IgnoreUnknown = ignores });
        }
        catch (WireException e)
        {
            response.Set("parse_error", e.Message);
            return;
        }
        try
        {
            if (wanted == Format.Protobuf) response.Set("protobuf_payload", message.ToByteArray());
            else response.Set("json_payload", message.ToJson());
        }
        catch (WireException e)
        {
            response.Set("serialize_error", e.Message);
        }
    }
}

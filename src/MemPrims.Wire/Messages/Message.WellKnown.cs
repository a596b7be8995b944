namespace MemPrims.Wire;

// Any, Timestamp and Duration as .NET has them.
public sealed partial class Message
{
    /// <summary>The message that this google.protobuf.Any holds, decoded. Its type is looked up in the schema of this message.</summary>
    /// <exception cref="InvalidOperationException">This is no google.protobuf.Any.</exception>
    /// <exception cref="WireException">The schema has no such type, or the value is damaged.</exception>
    public Message Unpack(DecodeOptions? options = null)
    {
        CheckIs(WellKnown.Any);
        string url = Get<string>(1);
        if (!_type.Schema.TryGetByUrl(url, out MessageType? type)) throw new WireException(JsonWellKnown.UnknownAny(url));
        return type.Decode(Get<ReadOnlyMemory<byte>>(2).Span, options);
    }

    /// <summary>Puts a message into this google.protobuf.Any: its encoding, and its type as <c>prefix/full.name</c>.</summary>
    /// <exception cref="InvalidOperationException">This is no google.protobuf.Any.</exception>
    public void Pack(Message message, string urlPrefix = "type.googleapis.com")
    {
        CheckIs(WellKnown.Any);
        ArgumentNullException.ThrowIfNull(message);
        ArgumentNullException.ThrowIfNull(urlPrefix);
        byte[] value = message.ToByteArray();
        Set(1, urlPrefix.EndsWith('/') ? urlPrefix + message.Type.FullName : $"{urlPrefix}/{message.Type.FullName}");
        Set(2, value);
    }

    /// <summary>The time that this google.protobuf.Timestamp holds; of its nanoseconds, whole ticks of 100.</summary>
    /// <exception cref="InvalidOperationException">This is no google.protobuf.Timestamp.</exception>
    /// <exception cref="WireException">It is outside the years 1 to 9999, or its nanoseconds are.</exception>
    public DateTimeOffset ToDateTimeOffset()
    {
        CheckIs(WellKnown.Timestamp);
        (long seconds, int nanos) = (Get<long>(1), Get<int>(2));
        JsonTimes.CheckTimestamp(seconds, nanos);
        return DateTimeOffset.FromUnixTimeSeconds(seconds).AddTicks(nanos / 100);
    }

    /// <summary>The time span that this google.protobuf.Duration holds; of its nanoseconds, whole ticks of 100.</summary>
    /// <exception cref="InvalidOperationException">This is no google.protobuf.Duration.</exception>
    /// <exception cref="WireException">It is above 10,000 years, or its parts differ in sign.</exception>
    public TimeSpan ToTimeSpan()
    {
        CheckIs(WellKnown.Duration);
        (long seconds, int nanos) = (Get<long>(1), Get<int>(2));
        JsonTimes.CheckDuration(seconds, nanos);
        return new(seconds * TimeSpan.TicksPerSecond + nanos / 100);
    }

    private void CheckIs(WellKnown known)
    {
        if (_type.WellKnown != known)
            throw new InvalidOperationException($"This message is a {_type.FullName}, not a google.protobuf.{known}.");
    }
}

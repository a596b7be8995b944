namespace MemPrims.Wire;

/// <summary>
/// Any, Timestamp and Duration as .NET has them. Of threads, what <see cref="Message"/> says holds here too: <see cref="Pack"/> changes a
/// message, the rest reads one.
/// </summary>
public static class WellKnownMessages
{
    /// <summary>The message that this google.protobuf.Any holds, decoded. Its type is looked up in the schema of this message.</summary>
    /// <exception cref="InvalidOperationException">This is no google.protobuf.Any.</exception>
    /// <exception cref="WireException">The schema has no such type, or the value is damaged.</exception>
    public static Message Unpack(this Message any, DecodeOptions? options = null)
    {
        CheckIs(any, WellKnown.Any);
        string url = any.Get<string>("type_url");
        if (!any.Type.Schema.TryGetByUrl(url, out MessageType? type)) throw new WireException(JsonWriter.UnknownAny(url));
        return type.Decode(any.Get<ReadOnlyMemory<byte>>("value").Span, options);
    }

    /// <summary>Puts a message into this google.protobuf.Any: its encoding, and its type as <c>prefix/full.name</c>.</summary>
    /// <exception cref="InvalidOperationException">This is no google.protobuf.Any.</exception>
    public static void Pack(this Message any, Message message, string urlPrefix = "type.googleapis.com")
    {
        CheckIs(any, WellKnown.Any);
        ArgumentNullException.ThrowIfNull(message);
        ArgumentNullException.ThrowIfNull(urlPrefix);
        byte[] value = message.ToByteArray();
        any.Set("type_url", urlPrefix.EndsWith('/') ? urlPrefix + message.Type.FullName : $"{urlPrefix}/{message.Type.FullName}");
        any.Set("value", value);
    }

    /// <summary>The time that this google.protobuf.Timestamp holds; of its nanoseconds, whole ticks of 100.</summary>
    /// <exception cref="InvalidOperationException">This is no google.protobuf.Timestamp.</exception>
    /// <exception cref="WireException">It is outside the years 1 to 9999, or its nanoseconds are.</exception>
    public static DateTimeOffset ToDateTimeOffset(this Message timestamp)
    {
        CheckIs(timestamp, WellKnown.Timestamp);
        (long seconds, int nanos) = JsonTimes.Timestamp(timestamp);
        return DateTimeOffset.FromUnixTimeSeconds(seconds).AddTicks(nanos / 100);
    }

    /// <summary>The time span that this google.protobuf.Duration holds; of its nanoseconds, whole ticks of 100.</summary>
    /// <exception cref="InvalidOperationException">This is no google.protobuf.Duration.</exception>
    /// <exception cref="WireException">It is above 10,000 years, or its parts differ in sign.</exception>
    public static TimeSpan ToTimeSpan(this Message duration)
    {
        CheckIs(duration, WellKnown.Duration);
        (long seconds, int nanos) = JsonTimes.Duration(duration);
        return new(seconds * TimeSpan.TicksPerSecond + nanos / 100);
    }

    private static void CheckIs(Message message, WellKnown known)
    {
        ArgumentNullException.ThrowIfNull(message);
        if (message.Type.WellKnown != known)
            throw new InvalidOperationException($"This message is a {message.Type.FullName}, not a google.protobuf.{known}.");
    }
}

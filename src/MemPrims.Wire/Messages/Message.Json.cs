namespace MemPrims.Wire;

public sealed partial class Message
{
    /// <summary>The message as JSON.</summary>
    /// <exception cref="WireException">
    /// Something in it has no form in JSON: a time outside the years 1 to 9999, an Any of a type that the schema lacks, text that is not
    /// UTF-8. Its <see cref="WireException.Path"/> names the field; there is no offset.
    /// </exception>
    public string ToJson() => ToJson(null);

    /// <summary>The message as JSON. Exceptions are those of <see cref="ToJson()"/>.</summary>
    public string ToJson(JsonWriteOptions? options) => JsonWriter.ToText(this, options ?? JsonWriteOptions.Default);

    /// <summary>Writes the message as JSON.</summary>
    public void WriteJson(System.Text.Json.Utf8JsonWriter json, JsonWriteOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(json);
        JsonPlace.Write(this, json, options ?? JsonWriteOptions.Default);
    }

    /// <summary>The message as JSON, or what is wrong with it: for people and debuggers.</summary>
    public override string ToString()
    {
        try
        {
            return ToJson();
        }
        catch (Exception e)
        {
            return $"{_type.FullName} ({e.Message})";
        }
    }
}

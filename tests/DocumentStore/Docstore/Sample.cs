using System.Buffers;
using System.Text.Json;

namespace Docstore;

/// <summary>Orders to try the store with: the same for the same number. Threads: static methods share nothing.</summary>
public static class Sample
{
    private static readonly string[] s_cities = ["Paris", "Rome", "Berlin", "Madrid", "Vienna", "Oslo", "Lisbon", "Prague", "Dublin",
        "Athens"];
    private static readonly string[] s_states = ["open", "paid", "sent", "returned"];

    public static readonly string[] Indexes = ["customer.name", "total"], Facets = ["customer.city", "state", "lines.sku"];

    public static string Key(int number) => $"orders/{number:D8}";

    /// <summary>An order as JSON, of about 250 bytes.</summary>
    /// <param name="to">Where it goes; what is there stays before it.</param>
    /// <param name="number">Which order.</param>
    /// <param name="version">Other versions have other values.</param>
    public static ReadOnlyMemory<byte> Order(ArrayBufferWriter<byte> to, int number, int version = 0)
    {
        Random random = new(unchecked(number * 31 + version));
        int start = to.WrittenCount;
        using (Utf8JsonWriter json = new(to))
        {
            json.WriteStartObject();
            json.WriteString("id", Key(number));
            json.WriteStartObject("customer");
            json.WriteString("name", $"Customer {random.Next(100_000):D5}");
            json.WriteString("city", s_cities[(int)(random.NextDouble() * random.NextDouble() * s_cities.Length)]);
            json.WriteEndObject();
            json.WriteString("state", s_states[random.Next(s_states.Length)]);
            json.WriteNumber("total", random.Next(100_000_00) / 100m);
            json.WriteBoolean("gift", random.Next(10) == 0);
            json.WriteStartArray("lines");
            for (int line = random.Next(1, 4); line > 0; line--)
            {
                json.WriteStartObject();
                json.WriteString("sku", $"sku-{(int)(random.NextDouble() * random.NextDouble() * 200)}");
                json.WriteNumber("count", random.Next(1, 10));
                json.WriteEndObject();
            }
            json.WriteEndArray();
            json.WriteEndObject();
        }
        return to.WrittenMemory[start..];
    }
}

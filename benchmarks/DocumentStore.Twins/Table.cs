using System.Globalization;
using System.Text.Json;

namespace DocumentStore.Twins;

/// <summary>The figures of several twins as one table, a column for each.</summary>
internal static class Table
{
    public static void Write(IEnumerable<Dictionary<string, JsonElement>> rows)
    {
        Dictionary<string, JsonElement>[] twins = [.. rows];
        Console.WriteLine($"| | {string.Join(" | ", twins.Select(static twin => twin["twin"].GetString()))} |");
        Console.WriteLine($"| --- |{string.Concat(Enumerable.Repeat(" ---: |", twins.Length))}");
        foreach (string figure in twins[0].Keys.Where(static key => key is not ("twin" or "sqlite" or "facet sum")))
            Console.WriteLine($"| {figure} | {string.Join(" | ", twins.Select(twin => Text(twin[figure].GetDouble())))} |");
    }

    private static string Text(double value) => value.ToString(value >= 100 ? "N0" : value >= 10 ? "0.0" : "0.00",
        CultureInfo.InvariantCulture);
}

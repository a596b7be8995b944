using System.Globalization;
using System.Text.Json;

namespace DocumentStore.Twins;

/// <summary>A page of results: the figures of several twins as one table, a column for each.</summary>
internal static class Table
{
    public static void Write(IEnumerable<Dictionary<string, JsonElement>> rows)
    {
        Dictionary<string, JsonElement>[] twins = [.. rows];
        JsonElement[] machines = [.. twins.Select(static twin => twin["machine"]).DistinctBy(static machine => machine.GetString())];
        Console.WriteLine($"""
            # A document store of the packages, and its twins

            {string.Join("; ", machines)}.
            SQLite {twins[0]["sqlite"]}. Made by
            [`DocumentStore.Twins`](../../DocumentStore.Twins); nothing here is typed. Orders of about 190 bytes, in batches of 500, two
            indexes and three facets. What the columns are: [the document store](../../../tests/DocumentStore/README.md).

            """);
        Console.WriteLine($"| | {string.Join(" | ", twins.Select(static twin => twin["twin"].GetString()))} |");
        Console.WriteLine($"| --- |{string.Concat(Enumerable.Repeat(" ---: |", twins.Length))}");
        foreach (string figure in twins[0].Keys.Where(static key => key is not ("twin" or "sqlite" or "machine" or "facet sum")))
            Console.WriteLine($"| {figure} | {string.Join(" | ", twins.Select(twin => Text(twin[figure].GetDouble())))} |");
    }

    private static string Text(double value) => value.ToString(value >= 100 ? "N0" : value >= 10 ? "0.0" : "0.00",
        CultureInfo.InvariantCulture);
}

using System.Text.Json;
using MemPrims.Guard;

// Measures the rows whose names the arguments have a part of, or are with "=" before: a line of JSON for each. All rows without arguments.
bool IsWanted(string name) => args.Length == 0 || args.Any(word =>
    word.StartsWith('=') ? name == word[1..] : name.Contains(word, StringComparison.OrdinalIgnoreCase));

IEnumerable<Row> rows = typeof(Row).Assembly.GetTypes().Where(type => type.IsClass && type.IsAssignableTo(typeof(IRows)))
    .OrderBy(type => type.Name, StringComparer.Ordinal).SelectMany(type => ((IRows)Activator.CreateInstance(type)!).All);
foreach (Row row in rows.Where(row => IsWanted(row.Name))) Console.WriteLine(JsonSerializer.Serialize(Timing.Measure(row)));

using System.Buffers;
using System.Diagnostics;
using System.Text;
using System.Text.Json;
using DocumentStore;
using Spectre.Console;

namespace Docstore;

/// <summary>Puts many documents in, in batches, and shows how far it is.</summary>
internal static class Loading
{
    public static int Run(Collection collection, IEnumerable<(string Key, ReadOnlyMemory<byte> Content)> documents, int batchSize)
    {
        long start = Stopwatch.GetTimestamp(), done = 0;
        AnsiConsole.Status().Start("loading", status =>
        {
            long end = 0;
            Batch batch = new();
            foreach ((string key, ReadOnlyMemory<byte> content) in documents)
            {
                batch.Put(key, content);
                if (batch.Count < batchSize) continue;
                end = Commit();
                if (done % 10_000 != 0) continue;
                double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
                status.Status($"{done:N0} documents, {done / seconds:N0} a second");
            }
            if (batch.Count > 0) end = Commit();
            status.Status($"{done:N0} documents are on the disk, the indexes follow");
            collection.WaitForIndex(end, TimeSpan.FromHours(1));

            long Commit()
            {
                long at = collection.Commit(batch);
                done += batch.Count;
                batch.Clear();
                return at;
            }
        });
        Console.WriteLine($"{done} documents in {Stopwatch.GetElapsedTime(start).TotalSeconds:0.00} s, indexes included");
        return 0;
    }

    public static IEnumerable<(string Key, ReadOnlyMemory<byte> Content)> Orders(int count)
    {
        for (int i = 0; i < count; i++) yield return (Sample.Key(i), Sample.Order(new(512), i));
    }

    public static IEnumerable<(string Key, ReadOnlyMemory<byte> Content)> Lines(string path, string key)
    {
        using TextReader lines = path == "-" ? Console.In : new StreamReader(path);
        for (int number = 1; lines.ReadLine() is { } line; number++)
        {
            if (line.Length == 0) continue;
            using JsonDocument document = JsonDocument.Parse(line);
            if (document.RootElement.ValueKind != JsonValueKind.Object || !document.RootElement.TryGetProperty(key, out JsonElement value))
                throw new FormatException($"Line {number} has no property {key}.");
            yield return (value.ToString(), Encoding.UTF8.GetBytes(line));
        }
    }
}

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
            foreach (Batch batch in Batches(documents, batchSize))
            {
                end = collection.Commit(batch);
                done += batch.Count;
                if (done % 10_000 != 0) continue;
                double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
                status.Status($"{done:N0} documents, {done / seconds:N0} a second");
            }
            status.Status($"{done:N0} documents are on the disk, the indexes follow");
            collection.WaitForIndex(end, TimeSpan.FromHours(1));
        });
        Console.WriteLine($"{done} documents in {Stopwatch.GetElapsedTime(start).TotalSeconds:0.00} s, indexes included");
        return 0;
    }

    /// <summary>So many documents each, or less where they are long: a cluster takes no batch of more than 16 MiB.</summary>
    public static IEnumerable<Batch> Batches(IEnumerable<(string Key, ReadOnlyMemory<byte> Content)> documents, int most)
    {
        const long bytes = 4 << 20;
        Batch batch = new();
        long left = bytes, number = 0;
        foreach ((string key, ReadOnlyMemory<byte> content) in documents)
        {
            if (batch.Count > 0 && (batch.Count == most || content.Length > left))
            {
                yield return batch;
                (batch, left) = (new(), bytes);
            }
            number++;
            try
            {
                batch.Put(key, content);
            }
            catch (ArgumentException e)
            {
                throw new ArgumentException($"Document {number}: {e.Message} Those before it may be loaded.", e);
            }
            left -= content.Length;
        }
        if (batch.Count > 0) yield return batch;
    }

    /// <summary>What the command's options name: the lines of a file, or made orders.</summary>
    public static IEnumerable<(string Key, ReadOnlyMemory<byte> Content)> From(string? path, string key, int sample) =>
        (path is null) == (sample == 0) ? throw new ArgumentException("Give --from or --sample.")
        : path is null ? Enumerable.Range(0, sample).Select(static i => (Sample.Key(i), (ReadOnlyMemory<byte>)Sample.Order(new(512), i)))
        : Lines(path, key);

    private static IEnumerable<(string Key, ReadOnlyMemory<byte> Content)> Lines(string path, string key)
    {
        using TextReader lines = path == "-" ? Console.In : new StreamReader(path);
        for (int number = 1; lines.ReadLine() is { } line; number++)
            if (line.Length > 0) yield return (KeyOf(line, number, key), Encoding.UTF8.GetBytes(line));
    }

    private static string KeyOf(string line, int number, string key)
    {
        try
        {
            using JsonDocument document = JsonDocument.Parse(line);
            if (document.RootElement.ValueKind == JsonValueKind.Object && document.RootElement.TryGetProperty(key, out JsonElement value)
                && value.ValueKind is JsonValueKind.String or JsonValueKind.Number)
                return value.ToString();
            throw new FormatException($"Line {number} has no property {key} that is a text or a number. Those before it may be loaded.");
        }
        catch (InvalidOperationException e)
        {
            throw new FormatException($"The {key} of line {number} has half of a surrogate pair. Those before it may be loaded.", e);
        }
        catch (JsonException e)
        {
            throw new FormatException($"Line {number} is no JSON, at byte {e.BytePositionInLine}. Those before it may be loaded.", e);
        }
    }
}

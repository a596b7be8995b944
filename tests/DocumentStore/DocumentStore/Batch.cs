namespace DocumentStore;

/// <summary>
/// Changes that are kept together or not at all. Of several of one key the last one counts. Threads: one.
/// </summary>
public sealed class Batch
{
    internal const int MostKey = 300;

    internal Dictionary<string, ReadOnlyMemory<byte>?> Changes { get; } = new(StringComparer.Ordinal);

    /// <summary>How many documents are changed.</summary>
    public int Count => Changes.Count;

    /// <summary>Puts a document in, in the place of one of the same key. The content must stay unchanged until the commit.</summary>
    public void Put(string key, ReadOnlyMemory<byte> content) => Changes[Checked(key)] = content;

    /// <summary>Takes a document out, if it is there.</summary>
    public void Delete(string key) => Changes[Checked(key)] = null;

    /// <summary>For the next batch.</summary>
    public void Clear() => Changes.Clear();

    private static string Checked(string key) => key is { Length: > 0 and <= MostKey } ? key
        : throw new ArgumentException($"A key has from 1 to {MostKey} characters.", nameof(key));
}

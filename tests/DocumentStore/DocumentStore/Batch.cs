using System.Text;
using DocumentStore.Index;
using MemPrims.Records;
using Marks = DocumentStore.DocumentFrame.Marks;

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
    public Batch Put(string key, ReadOnlyMemory<byte> content) => With(key, content);

    /// <summary>Takes a document out, if it is there.</summary>
    public Batch Delete(string key) => With(key, null);

    /// <summary>For the next batch.</summary>
    public void Clear() => Changes.Clear();

    /// <summary>Writes the changes into the log, the last of them marked as the end; deletes of what is not there are left out.</summary>
    internal List<Change> AppendTo(LogFile log, KeyIndex keys)
    {
        uint next = keys.NextId;
        List<(string Key, ReadOnlyMemory<byte>? Content, (uint Id, long Place) Old)> known = new(Count);
        foreach ((string key, ReadOnlyMemory<byte>? content) in Changes)
            if (keys.Find(key) is var old && (content is not null || old.Place != 0)) known.Add((key, content, old));
        List<Change> changes = new(known.Count);
        foreach ((string key, ReadOnlyMemory<byte>? content, (uint id, long place)) in known)
        {
            byte[] utf8 = Encoding.UTF8.GetBytes(key);
            DocumentFrame frame = new()
            {
                Mark = (changes.Count == 0 ? Marks.First : 0) | (changes.Count + 1 == known.Count ? Marks.Last : 0)
                    | (content is null ? Marks.Delete : 0),
                Id = place != 0 ? id : next++, Previous = place, Key = utf8, Content = content is { } there ? there.Span : default,
            };
            changes.Add(new(utf8, frame.Id, log.Append(in frame), frame.IsDelete));
        }
        return changes;
    }

    private Batch With(string key, ReadOnlyMemory<byte>? content)
    {
        if (key is not { Length: > 0 and <= MostKey }) throw new ArgumentException($"A key has from 1 to {MostKey} characters.",
            nameof(key));
        Changes[key] = content;
        return this;
    }
}

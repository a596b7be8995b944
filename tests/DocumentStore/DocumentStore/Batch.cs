using System.Text;
using Marks = DocumentStore.DocumentFrame.Marks;

namespace DocumentStore;

/// <summary>Changes that are kept together or not at all. Of several of one key the last one counts. Threads: one.</summary>
public sealed class Batch
{
    private const int MostKey = 300, MostContent = 1 << 30;

    // Two texts with halves of surrogate pairs would become the same bytes: they are refused.
    private static readonly UTF8Encoding s_utf8 = new(false, throwOnInvalidBytes: true);

    /// <summary>How many documents are changed.</summary>
    public int Count => Contents.Count;

    /// <summary>New contents by keys; null for a delete.</summary>
    internal Dictionary<string, ReadOnlyMemory<byte>?> Contents { get; } = new(StringComparer.Ordinal);

    /// <summary>Puts a document in, in the place of one of the same key. The content must stay unchanged until the commit.</summary>
    /// <exception cref="ArgumentException">No document can have the key, or so many bytes.</exception>
    public Batch Put(string key, ReadOnlyMemory<byte> content)
    {
        if (content.Length > MostContent) throw new ArgumentException($"A document has at most {MostContent} bytes.");
        return With(key, content);
    }

    /// <summary>Takes a document out, if it is there.</summary>
    /// <inheritdoc cref="Put"/>
    public Batch Delete(string key) => With(key, null);

    /// <summary>For the next batch.</summary>
    public void Clear() => Contents.Clear();

    /// <summary>What there is to write: deletes of what is not there are left out. A content that cannot be read, as one whose owner was
    /// disposed, fails here, before anything is written.</summary>
    internal List<Change> Against(KeyIndex keys)
    {
        uint next = keys.NextId;
        List<Change> changes = new(Count);
        foreach ((string key, ReadOnlyMemory<byte>? content) in Contents)
        {
            byte[] utf8 = Encode(key);
            (uint id, long place) = keys.Find(utf8);
            _ = content.GetValueOrDefault().Span;
            if (place != 0 || content is not null) changes.Add(new(utf8, content, place != 0 ? id : next++, place));
        }
        return changes;
    }

    /// <summary>Writes changes into the log, the last of them marked as the end.</summary>
    internal static void Append(LogFile log, List<Change> changes)
    {
        for (int i = 0; i < changes.Count; i++)
        {
            (byte[] key, ReadOnlyMemory<byte>? content, uint id, long place) = changes[i];
            DocumentFrame frame = new()
            {
                Mark = (i == 0 ? Marks.First : 0) | (i == changes.Count - 1 ? Marks.Last : 0) | (content is null ? Marks.Delete : 0),
                Id = id, Previous = place, Key = key, Content = content.GetValueOrDefault().Span,
            };
            log.Append(in frame);
        }
    }

    /// <summary>The definition is the document of the empty key, which no other one can have.</summary>
    internal static Batch Of(ReadOnlyMemory<byte> definition)
    {
        Batch batch = new();
        batch.Contents[""] = definition;
        return batch;
    }

    /// <exception cref="ArgumentException">It has half of a surrogate pair.</exception>
    internal static byte[] Encode(string text) => s_utf8.GetBytes(text);

    private Batch With(string key, ReadOnlyMemory<byte>? content)
    {
        ArgumentNullException.ThrowIfNull(key);
        if (key.Length is 0 or > MostKey) throw new ArgumentException($"A key has from 1 to {MostKey} characters.");
        Encode(key);
        Contents[key] = content;
        return this;
    }

    /// <param name="Key">The key.</param>
    /// <param name="Content">Null for a delete.</param>
    /// <param name="Id">The number of the document.</param>
    /// <param name="Place">Where it is until now; 0 for nowhere.</param>
    internal readonly record struct Change(byte[] Key, ReadOnlyMemory<byte>? Content, uint Id, long Place);
}

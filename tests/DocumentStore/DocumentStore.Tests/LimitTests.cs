using System.Buffers;
using System.Text;

namespace DocumentStore.Tests;

/// <summary>Texts, names and documents at the ends of what there may be.</summary>
public class LimitTests
{
    private static readonly TimeSpan s_long = TimeSpan.FromSeconds(60);

    /// <summary>A long text counts by its first characters, and never by half of one.</summary>
    [Theory]
    [InlineData("é")]
    [InlineData("€")]
    [InlineData("😀")]
    public void A_long_text_is_cut_between_two_characters(string character)
    {
        using TempFolder folder = new();
        using Collection collection = Collection.Open(folder.Path, Model.Definition, Engine.Options);
        string many = string.Concat(Enumerable.Repeat(character, 200));
        int bytes = Encoding.UTF8.GetByteCount(character);
        for (int before = 0; before < bytes; before++)
            collection.Put($"{before}", Encoding.UTF8.GetBytes($$"""{"city": "{{new string('a', before)}}{{many}}"}"""));
        collection.WaitForIndex(collection.End, s_long);
        QueryResult found = collection.Find(new() { Facets = ["city"] });
        Assert.Equal(bytes, found.Facets["city"].Length);
        foreach (ValueCount value in found.Facets["city"])
        {
            Assert.Equal(1, value.Count);
            Assert.InRange(Encoding.UTF8.GetByteCount(value.Value), 256 - bytes, 255);
            Assert.Equal(1, collection.Find(new() { Where = [("city", value.Value + character)], Limit = 0 }).Total);
        }
        Assert.Null(collection.Verify());
    }

    /// <summary>A document that is no text is kept, as any other one that can't be read, and not in the indexes.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Invalid_UTF8_makes_a_document_unreadable(bool inField)
    {
        using TempFolder folder = new();
        using Collection collection = Collection.Open(folder.Path, Model.Definition, Engine.Options);
        byte[] document = Encoding.UTF8.GetBytes($$"""{"city": "{{(inField ? "R?me" : "Rome")}}", "other": "?"}""");
        document.AsSpan().Replace((byte)'?', (byte)0xFF);
        collection.Put("bad", document);
        collection.Put("half", """{"city": "\uD800"}"""u8.ToArray());
        collection.WaitForIndex(collection.Put("good", """{"city": "Oslo"}"""u8.ToArray()), s_long);
        Assert.Equal([new("Oslo", 1)], collection.Find(new() { Facets = ["city"] }).Facets["city"]);
        Assert.True(collection.TryGet("bad", out ReadOnlySpan<byte> content) && content.SequenceEqual(document));
        Assert.Equal(("documents that cannot be read", 2L), collection.Statistics()[1]);
        Assert.Null(collection.Verify());
        Assert.ThrowsAny<ArgumentException>(() => collection.Find(new() { Where = [("city", "\uD800")] }));
    }

    /// <summary>What no index can be made of is refused before the log has it: it would end each worker.</summary>
    [Fact]
    public void A_definition_that_no_worker_can_read_is_refused()
    {
        using TempFolder folder = new();
        string[] wrong = [new('p', 241), new('p', 2000), "half \uD800", ""];
        foreach (string path in wrong)
        {
            Assert.ThrowsAny<ArgumentException>(() => Collection.Open(folder.Path, new() { Indexes = [path] }, Engine.Options).Dispose());
            Assert.ThrowsAny<ArgumentException>(() => Collection.Open(folder.Path, new() { Facets = [path] }, Engine.Options).Dispose());
        }
        string[] many = [.. Enumerable.Range(0, 1001).Select(static i => $"{i}")];
        foreach (Definition definition in (Definition[])[new() { Indexes = many }, new() { Indexes = null! }, new() { Facets = [null!] },
            new() { MessageType = "a", Schema = [1, 2, 3] }, new() { MessageType = "a" }, new() { MessageType = "a", Schema = [] }])
            Assert.ThrowsAny<ArgumentException>(() => Collection.Open(folder.Path, definition, Engine.Options).Dispose());
        Assert.Empty(Directory.GetFileSystemEntries(folder.Path));
    }

    [Fact]
    public void The_longest_paths_and_the_most_of_them_work()
    {
        using TempFolder folder = new();
        // At its 80th character the first one has the two halves of a pair.
        string[] paths = [new string('p', 79) + "😀", new string('é', 120), .. Enumerable.Range(2, 998).Select(static i => $"p{i}")];
        using Collection collection = Collection.Open(folder.Path, new() { Indexes = paths, Facets = paths[..2] }, Engine.Options);
        string nested = string.Concat(Enumerable.Repeat("""{"p":""", 60)) + "1" + new string('}', 60);
        collection.Put("0", Encoding.UTF8.GetBytes($$"""{"{{paths[0]}}": "x", "{{paths[1]}}": 1, "p999": 2, "q": {{nested}}}"""));
        collection.WaitForIndex(collection.End, s_long);
        foreach (string path in paths[..2].Append("p999")) Assert.Single(collection.Find(new() { Index = path }).Documents);
        Assert.Equal([new("x", 1)], collection.Find(new() { Facets = [paths[0]] }).Facets[paths[0]]);
        Assert.Contains(("facet " + paths[1], 1L), collection.Statistics());
        Assert.Null(collection.Verify());
    }

    /// <summary>What a caller does wrong with a document is no failure of the disk.</summary>
    [Fact]
    public void A_content_that_was_given_back_changes_nothing_and_closes_nothing()
    {
        using TempFolder folder = new();
        IMemoryOwner<byte> owner = new Owner();
        Batch batch = new Batch().Put("a", "{}"u8.ToArray()).Put("b", owner.Memory);
        owner.Dispose();
        using (Collection collection = Collection.Open(folder.Path, Model.Definition, Engine.Options))
        {
            collection.WaitForIndex(collection.End, s_long);
            Assert.Throws<ObjectDisposedException>(() => collection.Commit(batch));
            Assert.Equal(0, collection.Count);
            collection.Put("c", "{}"u8.ToArray());
            Assert.Null(collection.Verify());
        }
        using Collection again = Collection.Open(folder.Path, null, Engine.Options with { WaitForOther = TimeSpan.Zero });
        Assert.Equal(1, again.Count);
    }

    [Fact]
    public void What_is_missing_is_told_by_its_name()
    {
        using TempFolder folder = new();
        using Collection collection = Collection.Open(folder.Path, Model.Definition, Engine.Options);
        foreach (Action call in (Action[])[() => collection.Put(null!, default), () => collection.Delete(null!),
            () => collection.TryGet(null!, out _), () => collection.Commit(null!), () => collection.Find(null!)])
            Assert.Throws<ArgumentNullException>(call);
        Assert.Throws<ArgumentException>(() => collection.Find(new() { Where = [("city", default)] }));
        Assert.Equal(0, collection.Count);
    }

    private sealed class Owner : MemoryManager<byte>
    {
        private byte[]? _bytes = new byte[10];

        public override Span<byte> GetSpan() => _bytes ?? throw new ObjectDisposedException(nameof(Owner));

        public override MemoryHandle Pin(int elementIndex = 0) => throw new NotSupportedException();

        public override void Unpin()
        {
        }

        protected override void Dispose(bool disposing) => _bytes = null;
    }
}

using System.Text;
using DocumentStore.Index;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using MemPrims.Records;
using Marks = DocumentStore.DocumentFrame.Marks;
using Type = Google.Protobuf.Reflection.FieldDescriptorProto.Types.Type;

namespace DocumentStore.Tests;

public class StoreTests
{
    private static readonly TimeSpan s_long = TimeSpan.FromSeconds(60);

    [Fact]
    public void A_second_opener_is_told_and_the_first_goes_on()
    {
        using TempFolder folder = new();
        using Collection first = Collection.Open(folder.Path, Model.Definition, Engine.Options);
        IOException told = Assert.ThrowsAny<IOException>(() =>
            Collection.Open(folder.Path, null, Engine.Options with { WaitForOther = TimeSpan.Zero }));
        Assert.Contains("has another writer", told.Message);
        first.Put("a", "{}"u8.ToArray());
        Assert.True(first.TryGet("a", out _));
    }

    [Fact]
    public void A_folder_without_a_collection_is_told_and_left_alone()
    {
        using TempFolder folder = new();
        Assert.Throws<FileNotFoundException>(() => Collection.Open(folder.Path, null, Engine.Options));
        Assert.Empty(Directory.GetFileSystemEntries(folder.Path));
    }

    [Fact]
    public void Another_definition_builds_the_indexes_again_of_the_documents()
    {
        using TempFolder folder = new();
        using (Collection old = Collection.Open(folder.Path, new() { Indexes = ["a"], Facets = ["b"] }, Engine.Options))
        {
            old.Put("1", """{"a": 1, "b": "x", "c": {"d": "later"}}"""u8.ToArray());
            old.WaitForIndex(old.Put("2", """{"a": 2, "b": "x", "c": [{"d": "sooner"}, {"d": true}]}"""u8.ToArray()), s_long);
        }
        using Collection next = Collection.Open(folder.Path, new() { Indexes = ["c.d"], Facets = ["c.d"] }, Engine.Options);
        next.WaitForIndex(next.End, s_long);
        Assert.Equal(["2", "1", "2"], next.Find(new() { Index = "c.d" }).Documents.Select(static found => found.Key));
        Assert.Equal(2, next.Find(new() { Facets = ["c.d"] }).Total);
        Assert.Throws<ArgumentException>(() => next.Find(new() { Index = "a" }));
        Assert.Throws<ArgumentException>(() => next.Find(new() { Where = [("b", "x")] }));
        Assert.Null(next.Verify());
        Assert.Equal(("index c.d", 3L), next.Statistics()[2]);
        Assert.Single(Directory.GetFiles(folder.Path, "index-*"));
    }

    /// <summary>A schema that is known at run time only, and gets another field.</summary>
    [Fact]
    public void Protobuf_documents_are_indexed_by_a_schema_that_changes()
    {
        using TempFolder folder = new();
        Definition definition = new() { MessageType = "shop.Order", Schema = Schema(("name", Type.String)), Indexes = ["name"] };
        Assert.Throws<ArgumentException>(() => Collection.Open(folder.Path, definition with { Indexes = ["total"] }, Engine.Options));
        using (Collection old = Collection.Open(folder.Path, definition, Engine.Options)) old.Put("1", Order("b", 7));
        definition = definition with { Schema = Schema(("name", Type.String), ("total", Type.Int64)), Facets = ["total"] };
        using Collection next = Collection.Open(folder.Path, definition, Engine.Options);
        next.WaitForIndex(next.Put("2", Order("a", 7)), s_long);
        QueryResult found = next.Find(new() { Index = "name", Facets = ["total"] });
        Assert.Equal(["2", "1"], found.Documents.Select(static document => document.Key));
        Assert.Equal([new("7", 2)], found.Facets["total"]);
        next.WaitForIndex(next.Put("3", new byte[] { 0x0A, 0x7F, 1 }), s_long);
        Assert.Equal(("documents that cannot be read", 1L), next.Statistics()[1]);
        Assert.Null(next.Verify());
    }

    /// <summary>A crash in the middle of a batch leaves frames without the last one. They never count, also when others follow.</summary>
    [Fact]
    public void A_batch_without_its_end_does_not_count()
    {
        using TempFolder folder = new();
        using (Collection collection = Collection.Open(folder.Path, Model.Definition, Engine.Options)) collection.Put("a", Named("old"));
        using (LogFile log = LogFile.Open(folder.Path))
        {
            foreach (Marks mark in (Marks[])[Marks.First, 0])
            {
                DocumentFrame torn = new() { Mark = mark, Id = 1, Previous = 0, Key = "a"u8, Content = Named("torn") };
                log.Append(in torn);
            }
        }
        for (int round = 0; round < 2; round++)
        {
            using Collection again = Collection.Open(folder.Path, null, Engine.Options);
            Assert.True(again.TryGet("a", out ReadOnlySpan<byte> content) && content.SequenceEqual(Named("old")));
            again.WaitForIndex(again.Put("b", Named("new")), s_long);
            Assert.Equal(["b", "a"], again.Find(new() { Index = "name" }).Documents.Select(static found => found.Key));
            Assert.Null(again.Verify());
        }
    }

    [Fact]
    public void An_index_that_is_damaged_is_built_again()
    {
        using TempFolder folder = new();
        Model model = new();
        using (Collection collection = Collection.Open(folder.Path, Model.Definition, Engine.Options))
        {
            for (int number = 0; number < 30; number++)
            {
                Batch batch = Model.BatchOf(3, number);
                collection.Commit(batch);
                model = model.With(batch);
            }
            // A worker that has only been started has made no file yet.
            collection.WaitForIndex(collection.End, s_long);
        }
        foreach (string name in (string[])["index-*", "keys.pages", "statistics"])
        {
            foreach (int left in (int[])[100, 0])
            {
                string path = Directory.GetFiles(folder.Path, name).Single();
                File.WriteAllBytes(path, File.ReadAllBytes(path)[..left]);
                using Collection again = Collection.Open(folder.Path, null, Engine.Options);
                model.Check(again);
            }
        }
    }

    [Fact]
    public void What_a_killed_process_was_making_is_taken_away()
    {
        using TempFolder folder = new();
        using (Collection.Open(folder.Path, Model.Definition, Engine.Options)) { }
        string left = Path.Combine(folder.Path, $"{Guid.NewGuid():N}.new"), foreign = Path.Combine(folder.Path, "mine.log");
        foreach (string path in (string[])[left, foreign]) File.WriteAllText(path, "");
        using Collection collection = Collection.Open(folder.Path, null, Engine.Options);
        collection.Compact();
        Assert.Equal((false, true), (File.Exists(left), File.Exists(foreign)));
    }

    /// <summary>The file of the keys of another collection is no use, however long the log is.</summary>
    [Fact]
    public void Files_of_another_log_are_not_taken_for_ones_own()
    {
        using TempFolder folder = new(), other = new();
        foreach (TempFolder one in (TempFolder[])[other, folder])
        {
            using Collection collection = Collection.Open(one.Path, Model.Definition, Engine.Options);
            for (int i = 0; i < (one == other ? 3 : 30); i++)
                collection.Put($"{(one == other ? "theirs" : "ours")} {i}", """{"city": "Rome"}"""u8.ToArray());
            collection.WaitForIndex(collection.End, s_long);
        }
        foreach (string path in Directory.GetFiles(other.Path).Where(static path => !path.EndsWith(".log", StringComparison.Ordinal)))
            File.Copy(path, Path.Combine(folder.Path, Path.GetFileName(path)), overwrite: true);
        using Collection mixed = Collection.Open(folder.Path, null, Engine.Options);
        Assert.Equal(30, mixed.Count);
        Assert.False(mixed.TryGet("theirs 0", out _));
        mixed.WaitForIndex(mixed.End, s_long);
        Assert.Equal(30, mixed.Find(new() { Where = [("city", "Rome")], Limit = 0 }).Total);
        Assert.Null(mixed.Verify());
    }

    /// <summary>Who looks at the statistics while a worker starts sees those of the one before.</summary>
    [Fact]
    public async Task Statistics_are_there_at_any_time()
    {
        using TempFolder folder = new();
        using Collection collection = Collection.Open(folder.Path, Model.Definition, Engine.Options);
        collection.WaitForIndex(collection.Put("a", "{}"u8.ToArray()), s_long);
        for (int round = 0; round < 5; round++)
        {
            Engine.KillWorker(collection.WorkerProcessId!.Value);
            Task next = Task.Run(() => collection.WaitForIndex(collection.End, s_long));
            while (!next.IsCompleted) Assert.Equal(("documents", 1L), collection.Statistics()[0]);
            await next;
        }
    }

    [Fact]
    public void Values_come_in_their_order()
    {
        FieldValue[] ordered =
        [
            false, true, double.NegativeInfinity, -1.5, -1, 0, double.Epsilon, 1, 1e300, "", "\0", "\0a", "a", "a\0", "a\0b", "aa", "ab",
                "é",
        ];
        for (int i = 1; i < ordered.Length; i++)
            Assert.True(ordered[i - 1].Key.AsSpan().SequenceCompareTo(ordered[i].Key.AsSpan()) < 0, $"{i - 1} and {i}");
        Assert.True(((FieldValue)0.0).Key.AsSpan().SequenceEqual(((FieldValue)(-0.0)).Key.AsSpan()));
    }

    private static byte[] Named(string name) => Encoding.UTF8.GetBytes($$"""{"name": "{{name}}"}""");

    private static byte[] Order(string name, int total) => [0x0A, (byte)name.Length, .. Encoding.UTF8.GetBytes(name), 0x10, (byte)total];

    private static byte[] Schema(params (string Name, Type Type)[] fields)
    {
        DescriptorProto order = new() { Name = "Order" };
        foreach ((string name, Type type) in fields)
            order.Field.Add(new FieldDescriptorProto
            {
                Name = name, Number = order.Field.Count + 1, Type = type, Label = FieldDescriptorProto.Types.Label.Optional,
            });
        return new FileDescriptorSet
        {
            File = { new FileDescriptorProto { Name = "shop.proto", Package = "shop", Syntax = "proto3", MessageType = { order } } },
        }.ToByteArray();
    }
}

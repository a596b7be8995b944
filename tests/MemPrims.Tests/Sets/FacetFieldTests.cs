using System.Buffers;
using System.Buffers.Binary;
using System.IO.MemoryMappedFiles;
using MemPrims.Sets;

namespace MemPrims.Tests.Sets;

// FacetField beside a dictionary from document to values.
public class FacetFieldTests
{
    // Values, documents, the most values of a document, and how far apart ids lie.
    [Theory]
    [InlineData(3, 70_000, 1, 1), InlineData(100, 70_000, 1, 3), InlineData(300, 20_000, 3, 1), InlineData(40, 5_000, 8, 40),
        InlineData(60, 3_000, 12, 1000), InlineData(5, 50, 2, 90_000_000)]
    public void Counts_are_those_of_the_model_after_every_kind_of_change(int values, int documents, int most, int apart)
    {
        Random random = Seeds.Random(values);
        Model model = new();
        for (int i = 0; i < documents; i++)
            for (int n = random.Next(1, most + 1); n > 0; n--) model.Add((uint)(i * (long)apart), Value(random, values));
        model.Check(random);
        for (int round = 0; round < 4; round++)
        {
            for (int i = 0; i < 300; i++) model.Change(random, (uint)(random.Next(documents + 9) * (long)apart), Value(random, values));
            model.Check(random);
            // Opened in place, changed beside the image, saved anew.
            if (round % 2 > 0) continue;
            model.Reopen();
            model.Check(random);
        }
    }

    [Fact]
    public void Values_beyond_255_and_65_535_keep_the_earlier_ones()
    {
        FacetField field = new();
        const int values = 70_000;
        for (uint id = 0; id < values; id++)
        {
            Assert.True(field.Add(id, $"v{id}"));
            if (id is 254 or 255 or 256 or 65_534 or 65_535 or 65_536) Check((int)id + 1);
        }
        Check(values);
        field = FacetField.Open(field.ToByteArray());
        Check(values);

        void Check(int count)
        {
            int[] counts = new int[count];
            field.Count(IdSet.FromInterval(0, values), counts);
            Assert.All(counts, one => Assert.Equal(1, one));
            field.Count([0, 254 % (uint)count, (uint)count - 1], counts);
            Assert.Equal(3, counts.Sum());
            field.Verify();
        }
    }

    [Fact]
    public void The_same_value_again_and_a_value_that_is_not_there_change_nothing()
    {
        FacetField field = new();
        Assert.True(field.Add(7, "a"));
        Assert.False(field.Add(7, "a"));
        Assert.False(field.Remove(7, "b"));
        Assert.False(field.Remove(8, "a"));
        Assert.False(field.Remove(8));
        field.Set(7, "a");
        Assert.Equal((1, 1), (field.ValueCount, (int)field.DocumentCount));
        Assert.True(field.Remove(7));
        Assert.Equal((1, 0), (field.ValueCount, (int)field.DocumentCount));
        Assert.Equal(0, field.CountOf("a"u8));
        Assert.Empty(field.Top(IdSet.FromInterval(0, 9), 5));
    }

    [Fact]
    public void Hits_may_come_in_any_order_twice_and_without_a_value()
    {
        FacetField field = new();
        field.Add(70_000, "a");
        field.Add(1, "b");
        int[] counts = [9, 9, 9];
        field.Count([70_000, 1, 70_000, 2, uint.MaxValue, 0], counts);
        Assert.Equal([2, 1, 9], counts);
        field.Count([], counts);
        Assert.Equal([0, 0, 9], counts);
        // So many that tables are used.
        field.Count([.. Enumerable.Repeat(70_000u, 1001), .. Enumerable.Repeat(5_000_000u, 50), 1], counts);
        Assert.Equal([1001, 1, 9], counts);
    }

    [Fact]
    public void What_is_asked_wrongly_is_refused_in_a_sentence()
    {
        FacetField field = new();
        field.Add(1, "a");
        int[] none = [];
        Assert.Contains("ValueCount", Assert.Throws<ArgumentException>(() => field.Count(new IdSet(), none)).Message);
        Assert.Throws<ArgumentException>(() => field.Count([1u], none));
        Assert.Throws<ArgumentNullException>(() => field.Count((IdSet)null!, new int[1]));
        Assert.Throws<ArgumentNullException>(() => field.And(null!, "a"u8));
        Assert.Throws<ArgumentNullException>(() => field.Serialize(null!));
        Assert.Throws<ArgumentOutOfRangeException>(() => field.Top(new IdSet(), -1));
        Assert.Throws<ArgumentException>(() => field.Top((ReadOnlySpan<int>)[1, 2], 5));
        Assert.Equal("The field has 1 values. (Parameter 'ordinal')",
            Assert.Throws<ArgumentOutOfRangeException>(() => field.Name(1)).Message.Split('\n')[0]);
        Assert.Throws<ArgumentOutOfRangeException>(() => field.Name(-1));
        Assert.Empty(field.Top(IdSet.FromInterval(0, 9), 0));
    }

    [Fact]
    public void Filters_and_documents_are_sets_of_the_caller_s_own()
    {
        FacetField field = new();
        for (uint id = 0; id < 100; id++) field.Add(id, id % 2 == 0 ? "even" : "odd");
        IdSet even = field.Documents("even"u8);
        even.Clear();
        Assert.Equal(50, field.CountOf("even"u8));
        Assert.Equal([1, 3], field.And(IdSet.FromSorted([0, 1, 2, 3]), "odd"u8).ToArray());
        Assert.True(field.Documents("none"u8).IsEmpty && field.And(IdSet.FromInterval(0, 9), "none"u8).IsEmpty);
        FacetField opened = FacetField.Open(field.ToByteArray());
        IdSet own = opened.Documents("odd"u8);
        own.Add(2);
        Assert.Equal(50, opened.CountOf("odd"u8));
    }

    [Fact]
    public void A_value_is_given_as_text_or_as_bytes()
    {
        FacetField field = new();
        Assert.True(field.Add(1, "caf\u00E9") && !field.Add(1, "caf\u00E9"u8) && field.Add(2, "caf\u00E9"u8) && field.Add(3, "tea"));
        Assert.Equal((2, field.CountOf("caf\u00E9"u8)), (field.CountOf("caf\u00E9"), 2));
        Assert.True(field.TryGetOrdinal("tea", out int ordinal) && ordinal == 1 && !field.TryGetOrdinal("te", out _));
        Assert.Equal([1u, 2u], field.Documents("caf\u00E9"));
        Assert.Equal([2u], field.And(IdSet.From([2, 3]), "caf\u00E9"));
        Assert.True(field.Documents("te").IsEmpty && field.And(IdSet.From([2, 3]), "te").IsEmpty && field.CountOf("te") == 0);
        field.Set(1, "tea"u8);
        Assert.Equal((1, 2), (field.CountOf("caf\u00E9"), field.CountOf("tea"u8)));
        Assert.True(field.Remove(2, "caf\u00E9") && field.Remove(3, "tea"u8) && !field.Remove(3, "tea"));
    }

    [Fact]
    public void An_image_in_a_mapped_file_is_opened_by_its_handle_and_stays_as_it_is()
    {
        FacetField field = Sample();
        byte[] image = field.ToByteArray();
        using TempFolder folder = new();
        File.WriteAllBytes(folder.File("field"), [0, 0, 0, .. image]);
        FacetField opened;
        using (MemoryMappedFile map = MemoryMappedFile.CreateFromFile(folder.File("field"), FileMode.Open, null, 0,
            MemoryMappedFileAccess.Read))
        using (MemoryMappedViewAccessor view = map.CreateViewAccessor(0, 0, MemoryMappedFileAccess.Read))
            opened = FacetField.Open(view.SafeMemoryMappedViewHandle, 3, image.Length);
        GC.Collect();
        GC.WaitForPendingFinalizers();
        // The view is disposed, and the memory may only be read: changes must go elsewhere.
        for (uint id = 0; id < 90_000; id += 1000) opened.Set(id, "new");
        opened.Verify();
        Assert.Equal(90, opened.CountOf("new"u8));
        Assert.Equal([0, 0, 0, .. image], File.ReadAllBytes(folder.File("field")));
    }

    [Fact]
    public void A_chunk_whose_documents_were_all_removed_is_not_saved()
    {
        const uint chunk = 65_536;
        FacetField field = new();
        for (uint key = 0; key < 4; key++) field.Add(key * chunk + 5, "v");
        int full = field.ToByteArray().Length;
        field.Remove(5);
        field.Remove(2 * chunk + 5);
        byte[] saved = field.ToByteArray();
        Assert.InRange(full - saved.Length, 2 * (int)chunk, 2 * (int)chunk + 100);
        FacetField opened = FacetField.Open(saved);
        opened.Verify();
        foreach (uint id in (uint[])[chunk + 5, 3 * chunk + 5])
        {
            Assert.Equal([0], opened.OrdinalsOf(id));
            opened.Remove(id);
        }
        Assert.InRange(opened.ToByteArray().Length, 1, (int)chunk);
        Assert.Equal(0, FacetField.Open(opened.ToByteArray()).DocumentCount);
    }

    [Fact]
    public void Chunks_that_come_in_order_lie_together_and_keep_their_cells()
    {
        FacetColumn column = FacetColumn.Create(2, 2);
        for (int key = 0; key < 12; key++)
        {
            Put(column, key);
            Assert.Equal((key + 1, (uint)(key + 1) << 16), (column.Places.ChunksTogether, column.Places.Together.Documents));
        }
        Put(column, 20);
        Put(column, 15);
        Assert.Equal(12, column.Places.ChunksTogether);
        Put(column, 12);
        Assert.Equal(13, column.Places.ChunksTogether);
        Holds(column, [.. Enumerable.Range(0, 13), 15, 20]);
        Holds(column.Grown(4, 3), [.. Enumerable.Range(0, 13), 15, 20]);
    }

    [Fact]
    public unsafe void A_change_copies_one_chunk_of_an_image_and_leaves_the_others_where_they_lie()
    {
        FacetColumn written = FacetColumn.Create(1, 1);
        int[] keys = [0, 1, 2, 3, 5, 6];
        foreach (int key in keys) Put(written, key);
        byte[] image = GC.AllocateArray<byte>(keys.Length * written.ChunkBytes, pinned: true), before;
        for (int i = 0; i < keys.Length; i++)
            new Span<byte>(written.Places.Chunks[keys[i]].First, written.ChunkBytes).CopyTo(image.AsSpan(i * written.ChunkBytes));
        before = [.. image];
        foreach (int[] order in (int[][])[[0, 1, 2, 3, 5, 6], [2, 0, 1, 3], [5, 3, 1], [6, 4, 0, 7]])
        {
            FacetColumn column = FacetColumn.Create(1, 1);
            fixed (byte* first = image) column.Attach(keys, first, image.AsMemory());
            Assert.Equal(4, column.Places.ChunksTogether);
            foreach (int key in order)
            {
                FacetColumn.Table places = column.Places;
                byte*[] lay = new byte*[places.Chunks.Length];
                for (int i = 0; i < lay.Length; i++) lay[i] = places.Chunks[i].First;
                uint id = ((uint)key << 16) + 9;
                column[id, 0] = 77;
                Assert.Equal(77, column[id, 0]);
                column[id, 0] = -1;
                Holds(column, keys);
                // Whoever reads by the table of before reads the memory of before.
                for (int i = 0; i < lay.Length; i++) Assert.True(lay[i] == null || lay[i] == places.Chunks[i].First);
            }
            Assert.Equal(before, image);
            if (order[0] == 0) Assert.Equal(4, column.Places.ChunksTogether);
        }
    }

    private static void Put(FacetColumn column, int key)
    {
        foreach (uint id in (uint[])[0, 8, 65_535])
            for (int layer = 0; layer < column.Layers; layer++)
                column[((uint)key << 16) + id, layer] = key + layer;
    }

    // Each chunk's three documents have the values of Put, and those beside them have none; so do counts by hits.
    private static void Holds(FacetColumn column, int[] keys)
    {
        foreach (int key in keys)
            foreach (uint id in (uint[])[0, 1, 8, 65_534, 65_535])
                Assert.Equal(id is 1 or 65_534 ? -1 : key, column[((uint)key << 16) + id, 0]);
        uint[] hits = [.. keys.SelectMany(key => (uint[])[0, 1, 8, 65_535]).Zip(keys.SelectMany(key => Enumerable.Repeat(key, 4)),
            (id, key) => ((uint)key << 16) + id)];
        int[] few = new int[200], many = new int[200];
        column.Add(hits, few);
        column.Add([.. Enumerable.Repeat(hits, 100).SelectMany(hit => hit)], many);
        Assert.Equal(few.Select(count => count * 100), many);
        foreach (int key in keys) Assert.True(few[key] >= 3);
        Assert.Equal(3 * keys.Length * column.Layers - (column.Layers == 3 ? 3 * keys.Length : 0), few.Sum());
    }

    [Fact]
    public void A_damaged_image_is_told_and_unchecked_damage_stays_inside_its_bytes() => Child.Run(Mutate).AssertSucceeded();

    private static unsafe void Mutate(string[] _)
    {
        byte[] image = Sample(documents: 200).ToByteArray();
        Random random = Seeds.Random();
        for (int length = 0; length < image.Length; length += 1 + length / 20)
            Assert.Throws<DamagedDataException>(() => FacetField.Open(image.AsMemory(0, length)));
        using GuardedMemory memory = new(image.Length);
        for (int round = 0; round < LongRuns.Of(3_000, 100_000); round++)
        {
            byte[] damaged = (byte[])image.Clone();
            // Most faults go to the header and its tables, and the rest anywhere.
            for (int n = random.Next(1, 4); n > 0; n--)
                damaged[random.Next(random.Next(3) == 0 ? image.Length : Math.Min(400, image.Length))] ^= (byte)(1 << random.Next(8));
            if (damaged.AsSpan().SequenceEqual(image)) continue;
            Assert.Throws<DamagedDataException>(() => FacetField.Open(damaged));
            Span<byte> at = new(memory.EndingAtGuard(image.Length), image.Length);
            damaged.CopyTo(at);
            try
            {
                FacetField field = FacetField.Open(
                    new PointerMemory(memory.EndingAtGuard(image.Length), image.Length).Memory, validate: false);
                if (field.ValueCount > 10_000) continue;
                int[] counts = new int[field.ValueCount];
                field.Count(IdSet.FromInterval(0, 300_000), counts);
                field.Count(IdSet.FromInterval(5, 90), counts);
                field.Count([1, 2, 3, 70_000, uint.MaxValue], counts);
                field.Top(IdSet.FromInterval(0, 100), 5);
                field.OrdinalsOf(7);
                field.Add(7, "another");
                field.Remove(8);
                field.Set(9, "a");
                field.ToByteArray();
                field.Verify();
            }
            catch (DamagedDataException)
            {
            }
        }
    }

    [Fact]
    public void Reading_beside_a_change_never_leaves_the_memory() => Child.Run(ReadBesideChanges).AssertSucceeded();

    private static void ReadBesideChanges(string[] _)
    {
        FacetField field = Sample(documents: 5_000);
        bool stop = false;
        Thread reader = new(() =>
        {
            int[] counts = new int[100_000];
            uint[] hits = [.. Enumerable.Range(0, 3_000).Select(i => (uint)i)];
            while (!Volatile.Read(ref stop)) field.Count(hits, counts);
        });
        reader.Start();
        // New values widen the cells, new layers move them, and new chunks lengthen the table, all below the reader.
        for (uint i = 0; i < 3_000; i++)
        {
            field.Add(i % 100, $"more {i % 700}");
            field.Add(i * 100_000, "far");
        }
        Volatile.Write(ref stop, true);
        reader.Join();
        field.Verify();
    }

    [Fact]
    public void An_image_of_another_version_or_of_nothing_says_what_it_is()
    {
        byte[] image = Sample(documents: 3).ToByteArray(), empty = new FacetField().ToByteArray();
        BinaryPrimitives.WriteInt32LittleEndian(image.AsSpan(8), 2);
        DamagedDataException later = Assert.Throws<DamagedDataException>(() => FacetField.Open(image));
        Assert.Contains("version 2", later.Message);
        Assert.Equal(8, later.Offset);
        byte[] text = "Lorem ipsum dolor sit amet, consectetur"u8.ToArray();
        Assert.Contains("MPFACETS", Assert.Throws<DamagedDataException>(() => FacetField.Open(text)).Message);
        FacetField opened = FacetField.Open(empty);
        Assert.Equal(0, opened.ValueCount);
        opened.Add(5, "a");
        Assert.Equal(["a: 1"], opened.Top(IdSet.FromInterval(0, 9), 3).Select(top => top.ToString()));
        // Ids, and no counts.
        Assert.Empty(opened.Top([70_000], most: 3));
    }

    [Fact]
    public void A_column_and_sets_that_disagree_are_told()
    {
        IdSet one = IdSet.From([1]), two = IdSet.From([1, 2]), rest = IdSet.From([2, 3]), all = IdSet.From([1, 2, 3]);
        Made([one, rest, all], [0], [1], [1]).Verify();
        Disagree([one, rest, all], [1], [0], [1]); // the values of two documents in exchange
        Disagree([one, rest, all], [0], [1], [1], [0]); // a value of a document that has none
        Disagree([one, rest, all], [0], [1], [1], [254]); // such a value, and none that the field has
        Disagree([one, rest, all], [0], [1], [-1]);
        Disagree([two, two, two], [0, 0], [1, 1]); // the same value twice
        Disagree([two, two, two], [0, 1], [0]); // a value that is missing
        Disagree([one, rest, all], [-1, 0], [1], [1]); // a gap
        Disagree([one, rest, IdSet.From([1, 2, 3, 4])], [0], [1], [1]); // a document without values
        Disagree([one, rest, two], [0], [1], [1]); // a document that is missing
        // Lists of values behind the eighth.
        IdSet[] ten = [.. Enumerable.Repeat(one, 10)];
        Made([.. ten, one], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]).Verify();
        Disagree([.. ten, one], [0, 1, 2, 3, 4, 5, 6, 7, 8], [-1, -1, -1, -1, -1, -1, -1, -1, 9]);
        Disagree([.. ten, two], [0, 1, 2, 3, 4, 5, 6, 7, 8], [-1, -1, -1, -1, -1, -1, -1, -1, 9]);
        Disagree([.. ten, one], [0, 1, 2, 3, 4, 5, 6, 7, 8, 8]);
        // A bitmap with an id more than it says.
        IdSet many = IdSet.FromInterval(1, 10_000).Xor(IdSet.FromSorted([.. Enumerable.Range(0, 5_000).Select(i => 2 + (uint)i * 2)]));
        byte[] bytes = many.ToByteArray();
        int[][] rows = [.. Enumerable.Range(0, 10_000).Select(i => i % 2 == 0 ? (int[])[0] : [])];
        Made([many, many], rows).Verify();
        bytes[^1] ^= 0x80;
        Disagree([IdSet.OpenFrozen(bytes), many], rows);
        Disagree([many, IdSet.OpenFrozen(bytes)], rows);
    }

    [Fact]
    public void A_cell_one_above_the_values_is_counted_nowhere()
    {
        FacetField field = Made([IdSet.From([1]), IdSet.From([1])], [0, 1]);
        int[] counts = [9, 9];
        field.Count([1u], counts);
        Assert.Equal([1, 9], counts);
        field.Count([.. Enumerable.Repeat(1u, 1000)], counts);
        Assert.Equal([1000, 9], counts);
    }

    [Fact]
    public void Text_with_half_of_a_surrogate_pair_is_refused_and_null_is_told_by_its_name()
    {
        FacetField field = new();
        field.Add(1, "a");
        foreach (Action<string> use in (Action<string>[])[value => field.Add(1, value), value => field.Remove(1, value),
            value => field.Set(1, value), value => field.TryGetOrdinal(value, out _), value => field.CountOf(value),
            value => field.Documents(value), value => field.And(new IdSet(), value)])
        {
            ArgumentException high = Assert.Throws<ArgumentException>(() => use("x\uD800")), low = Assert.Throws<ArgumentException>(
                () => use(new string('ä', 300) + "\uDC00x"));
            Assert.Equal(("value", "value"), (high.ParamName, low.ParamName));
            Assert.Contains("surrogate pair, U+D800, at 1,", high.Message);
            Assert.Contains("surrogate pair, U+DC00, at 300,", low.Message);
            Assert.Equal("value", Assert.Throws<ArgumentNullException>(() => use(null!)).ParamName);
        }
        Assert.Equal((1, 1), (field.ValueCount, field.CountOf("a"u8)));
        Assert.True(field.Add(1, "x\U0001F600") && field.Remove(1, "x\U0001F600"));
    }

    private static void Disagree(IdSet[] sets, params int[][] rows)
    {
        FacetField field = Made(sets, rows);
        Assert.ThrowsAny<DamagedDataException>(field.Verify);
    }

    // A field from an image whose parts were not made together: the sets of the values and of all documents, and the ordinals in the cells
    // of the documents 1, 2 and so on, with -1 for none. What is behind the eighth is in a list.
    internal static FacetField Made(IdSet[] sets, params int[][] rows)
    {
        List<ReadOnlyMemory<byte>> names = [.. Enumerable.Range(0, sets.Length - 1).Select(i => new ReadOnlyMemory<byte>([(byte)i]))];
        int most = rows.Max(row => row.Length);
        FacetColumn column = FacetColumn.Create(1, most > 4 ? FacetColumn.MostLayers : most);
        Dictionary<uint, List<int>> extras = [];
        for (int i = 0; i < rows.Length; i++)
        {
            for (int layer = 0; layer < rows[i].Length && layer < FacetColumn.MostLayers; layer++)
                column[(uint)i + 1, layer] = rows[i][layer];
            if (rows[i].Length > FacetColumn.MostLayers) extras[(uint)i + 1] = [.. rows[i].Skip(FacetColumn.MostLayers)];
        }
        ArrayBufferWriter<byte> image = new();
        FacetImage.Write(new(image, () => 0), names, [.. sets.SkipLast(1).Select(set => (int)set.Count)], sets, column, extras);
        return FacetField.Open(image.WrittenSpan.ToArray());
    }

    private static FacetField Sample(int documents = 100_000)
    {
        FacetField field = new();
        for (uint id = 0; id < documents; id++)
        {
            field.Add(id, $"city {id % 37}");
            if (id % 5 == 0) field.Add(id, "tag");
            if (id % 500 == 0)
                for (int extra = 0; extra < 10; extra++) field.Add(id, $"extra {extra}");
        }
        return field;
    }

    // Frequent values and rare ones; names of even and odd length, some that differ in their last byte only.
    private static string Value(Random random, int values) => $"value{(int)(values * Math.Pow(random.NextDouble(), 3))}";

    private sealed class Model
    {
        private readonly SortedDictionary<uint, HashSet<string>> _documents = [];
        private FacetField _field = new();

        public void Add(uint id, string value)
        {
            if (!_documents.TryGetValue(id, out HashSet<string>? values)) _documents[id] = values = [];
            Assert.Equal(values.Add(value), _field.Add(id, value));
        }

        public void Change(Random random, uint id, string value)
        {
            _documents.TryGetValue(id, out HashSet<string>? values);
            switch (random.Next(6))
            {
                case 0:
                    _field.Set(id, value);
                    _documents[id] = [value];
                    break;
                case 1:
                    Assert.Equal(values is { Count: > 0 }, _field.Remove(id));
                    _documents.Remove(id);
                    break;
                case 2 or 3:
                    string gone = values is { Count: > 0 } && random.Next(4) > 0 ? values.ElementAt(random.Next(values.Count)) : value;
                    Assert.Equal(values?.Remove(gone) ?? false, _field.Remove(id, gone));
                    break;
                default:
                    Add(id, value);
                    break;
            }
        }

        public void Reopen() => _field = FacetField.Open(_field.ToByteArray());

        public void Check(Random random)
        {
            _field.Verify();
            uint[] ids = [.. _documents.Where(document => document.Value.Count > 0).Select(document => document.Key)];
            Assert.Equal(ids.Length, _field.DocumentCount);
            foreach (double share in (double[])[0, 0.001, 0.02, 0.3, 0.6, 0.97, 1])
            {
                uint[] hits = [.. ids.Where(_ => random.NextDouble() < share), .. ids.Length > 0 ? (uint[])[ids[^1] + 1] : []];
                Dictionary<string, int> expected = [];
                foreach (string value in hits.SelectMany(id => _documents.TryGetValue(id, out HashSet<string>? of) ? of : []))
                    expected[value] = expected.GetValueOrDefault(value) + 1;
                int[] bySet = new int[_field.ValueCount], byHits = new int[_field.ValueCount];
                _field.Count(IdSet.From(hits), bySet);
                random.Shuffle(hits);
                _field.Count(hits, byHits);
                Assert.Equal(bySet, byHits);
                Assert.Equal(expected.OrderBy(of => of.Key),
                    bySet.Index().Where(of => of.Item > 0)
                        .Select(of => KeyValuePair.Create(_field.Name(of.Index), of.Item)).OrderBy(of => of.Key));
                FacetCount[] top = _field.Top(IdSet.From(hits), 5);
                Assert.Equal(bySet.Index().Where(of => of.Item > 0).OrderByDescending(of => of.Item).ThenBy(of => of.Index).Take(5)
                    .Select(of => (of.Index, of.Item)), top.Select(of => (of.Ordinal, of.Count)));
            }
            foreach (uint id in ids.Take(50))
                Assert.Equal(_documents[id].Order(), _field.OrdinalsOf(id).Select(_field.Name).Order());
            foreach (FacetCount value in _field.Top(IdSet.From(ids), 3))
            {
                Assert.True(_field.TryGetOrdinal(value.Utf8Name.Span, out int ordinal) && ordinal == value.Ordinal);
                Assert.Equal(ids.Where(id => _documents[id].Contains(value.Name)), _field.Documents(value.Utf8Name.Span).ToArray());
            }
        }
    }
}

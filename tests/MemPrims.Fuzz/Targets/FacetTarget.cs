using System.Buffers.Binary;
using MemPrims.Sets;
using static MemPrims.Fuzz.WrongAnswerException;

namespace MemPrims.Fuzz;

/// <summary>
/// An image of a facet field, whose many zeros an input has as a count. The head says whether the checksum is made right, so that what
/// lies behind it is reached. A field that is verified counts what its documents say, and is written as one that is the same.
/// </summary>
internal sealed class FacetTarget : Target
{
    private const int MostImage = 1 << 20, MostValues = 300, MostDocuments = 3000;

    private readonly GuardedInput _image = new(MostImage);

    public override string Name => "facets";

    public override int Rounds => 800;

    public override IEnumerable<byte[]> Seeds()
    {
        FacetField field = new();
        yield return Folded();
        field.Add(1, "Rome");
        field.Add(2, "Oslo");
        field.Add(2, "Rome");
        yield return Folded();
        for (uint id = 0; id < 30; id++) field.Add(id * 1000, $"city {id % 7}");
        yield return Folded();
        for (int tag = 0; tag < 12; tag++) field.Add(3000, $"tag {tag}");
        field.Remove(2);
        yield return Folded();

        byte[] Folded()
        {
            byte[] image = field.ToByteArray();
            List<byte> folded = [1];
            for (int at = 0; at < image.Length - sizeof(uint); at++)
            {
                folded.Add(image[at]);
                if (image[at] != 0) continue;
                int zeros = image.AsSpan(at + 1).IndexOfAnyExcept((byte)0);
                zeros = Math.Min(zeros < 0 ? image.Length : zeros, ushort.MaxValue);
                folded.AddRange(BitConverter.GetBytes((ushort)zeros));
                at += zeros;
            }
            return [.. folded, 0xFF, 0xFF, 0xFF, 0xFF];
        }
    }

    // A zero is followed by the number of further zeros, in two bytes.
    private static byte[] Unfolded(ReadOnlySpan<byte> folded)
    {
        byte[] image = new byte[MostImage];
        int length = 0;
        for (int at = 0; at < folded.Length && length < image.Length; at++)
        {
            image[length++] = folded[at];
            if (folded[at] != 0 || at + 2 >= folded.Length) continue;
            length = Math.Min(length + BinaryPrimitives.ReadUInt16LittleEndian(folded[(at + 1)..]), image.Length);
            at += 2;
        }
        return image[..length];
    }

    public override void Run(ReadOnlySpan<byte> head, GuardedInput input)
    {
        byte[] image = Unfolded(input.Span);
        if ((head[0] & 1) != 0 && image.Length >= sizeof(uint))
            BinaryPrimitives.WriteUInt32LittleEndian(image.AsSpan(image.Length - 4), Checksum.Crc32C(image.AsSpan(0, image.Length - 4)));
        _image.Place(image, (head[0] & 2) != 0);
        FacetField? checkedField = Try(() => FacetField.Open(_image.Memory)),
            field = Try(() => FacetField.Open(_image.Memory, validate: false));
        Unless(checkedField is null || field is not null, "an image is only opened with a check");
        if (checkedField is not null && Do(checkedField.Verify)) Check(checkedField);
        if (field is not null && field.ValueCount <= MostValues) Use(field);
    }

    private static void Check(FacetField field)
    {
        if (field.ValueCount > MostValues || field.DocumentCount > MostDocuments) return;
        Dictionary<uint, HashSet<int>> model = [];
        for (int ordinal = 0; ordinal < field.ValueCount; ordinal++)
        {
            byte[] value = field.Utf8Name(ordinal).ToArray();
            Unless(field.TryGetOrdinal(value, out int found) && found == ordinal, $"value {ordinal} is not found by its name");
            IdSet documents = field.Documents(value);
            Unless(documents.Count == field.CountOf(value), $"value {ordinal} counts other documents than it has");
            foreach (uint id in documents)
            {
                if (!model.TryGetValue(id, out HashSet<int>? values)) model.Add(id, values = []);
                values.Add(ordinal);
            }
        }
        Unless(model.Count == field.DocumentCount, "documents without a value, or values without a document");
        foreach ((uint id, HashSet<int> values) in model)
            Unless(values.SetEquals(field.OrdinalsOf(id)), $"document {id} has other values than the sets say");
        uint[] hits = [.. model.Keys.Where(id => id % 3 != 0)];
        int[] counts = new int[field.ValueCount], bySet = new int[field.ValueCount], expected = new int[field.ValueCount];
        foreach (uint id in hits)
            foreach (int ordinal in model[id]) expected[ordinal]++;
        field.Count(hits, counts);
        field.Count(IdSet.From(hits), bySet);
        Unless(counts.AsSpan().SequenceEqual(expected) && bySet.AsSpan().SequenceEqual(expected), "counts are wrong");

        byte[] written = field.ToByteArray();
        FacetField again = FacetField.Open(written);
        again.Verify();
        Unless(again.ToByteArray().AsSpan().SequenceEqual(written), "a field that was written is written otherwise");
        foreach (uint id in model.Keys.Take(20))
        {
            field.Set(id, "new"u8);
            field.Add(id, "more"u8);
            again.Remove(id);
        }
        field.Verify();
        again.Verify();
        Unless(FacetField.Open(field.ToByteArray()) is var changed && Do(changed.Verify)
            && changed.CountOf("new"u8) == Math.Min(20, model.Count), "a changed field is written wrong");
    }

    private static void Use(FacetField field)
    {
        int[] counts = new int[field.ValueCount];
        IdSet query = IdSet.FromInterval(0, 300).Or(IdSet.FromInterval(2990, 3010));
        Do(() => field.Count(query, counts));
        Do(() => field.Count([1, 2, 3000, 70_000, uint.MaxValue], counts));
        Do(() => field.Top(query, 5));
        Do(() => field.Verify());
        foreach (uint id in (uint[])[0, 2, 3000])
        {
            Do(() => field.OrdinalsOf(id).Where(ordinal => ordinal < field.ValueCount).Select(field.Name).ToArray());
            Do(() => field.Set(id, "x"u8));
            Do(() => field.Add(id, "y"u8));
            Do(() => field.Remove(id));
        }
        for (int ordinal = 0; ordinal < Math.Min(field.ValueCount, 5); ordinal++)
        {
            byte[] name = [];
            Do(() => name = field.Utf8Name(ordinal).ToArray());
            Do(() => field.And(query, name));
            Do(() => field.Documents(name).Contains(5));
        }
        Do(() => field.ToByteArray());
    }

    private static bool Do(Action use)
    {
        try
        {
            use();
            return true;
        }
        catch (DamagedDataException)
        {
            return false;
        }
    }

    private static FacetField? Try(Func<FacetField> open)
    {
        FacetField? field = null;
        Do(() => field = open());
        return field;
    }
}

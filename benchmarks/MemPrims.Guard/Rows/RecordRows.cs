using MemPrims.Records;

namespace MemPrims.Guard;

/// <summary>Records in memory that is a file; the peer of a read is the load from an array.</summary>
internal sealed class RecordRows : IRows
{
    private const int Records = 20_000, Reads = 4096, Updates = 64;

    public IEnumerable<Row> All =>
    [
        Of("read a field", Reads, static (file, ids) =>
        {
            long sum = 0;
            foreach (int id in ids) sum += file.Read(id, static counters => counters.Attempts);
            return sum;
        }),
        Of("read a text", Reads, static (file, ids) =>
        {
            long sum = 0;
            foreach (int id in ids) sum += file.Read(id, static counters => counters.Name.Length);
            return sum;
        }),
        Of("scan", Records, static (file, _) =>
        {
            using PinnedSnapshot<Counters> snapshot = file.Pin();
            long sum = 0;
            foreach (Counters.View counters in snapshot.Scan()) sum += counters.Attempts;
            return sum;
        }),
        Of("change three fields", Reads, static (file, ids) =>
        {
            using WriteTransaction<Counters> transaction = file.BeginWrite();
            foreach (int id in ids)
            {
                Counters counters = transaction[id];
                counters.Etag++;
                counters.Attempts++;
                counters.Failures++;
            }
            transaction.Commit();
            return ids.Length;
        }),
        Of("update and commit", Updates, static (file, ids) =>
        {
            foreach (int id in ids[..Updates]) file.Update(id, static counters => counters.Attempts++);
            return ids.Length;
        }),
        Of("increment", Updates, static (file, ids) =>
        {
            foreach (int id in ids[..Updates]) file.Increment(id, Counters.Fields.Attempts);
            return ids.Length;
        }),
    ];

    private delegate long Batch(MappedFile<Counters> file, ReadOnlySpan<int> ids);

    private static Row Of(string name, int operations, Batch batch) => new($"records: {name}", () =>
    {
        string folder = Places.NewFolder();
        MappedFile<Counters> file = MappedFile<Counters>.Create(Path.Combine(folder, "counters"),
            new() { Durability = Durability.ProcessCrash, StoreThroughMap = true });
        using (WriteTransaction<Counters> transaction = file.BeginWrite())
        {
            for (int id = 0; id < Records; id++)
            {
                Counters counters = transaction.Append();
                counters.Attempts = id;
                counters.Name = "Orders/ByCompany"u8;
            }
            transaction.Commit();
        }
        int[] ids = new int[Reads];
        Random random = new(1);
        return new(operations, () => batch(file, ids))
        {
            Redraw = () => { foreach (ref int id in ids.AsSpan()) id = random.Next(Records); },
            Close = () =>
            {
                file.Dispose();
                Directory.Delete(folder, recursive: true);
            },
        };
    });
}

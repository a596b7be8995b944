using System.Runtime.InteropServices;
using MemPrims.Pages;

namespace MemPrims.Guard;

/// <summary>Search in a page, and trees with values of 8 bytes; the peers are a binary search by .NET's order, and LMDB.</summary>
internal sealed unsafe class PageRows : IRows
{
    private const int Entries = 200_000, Puts = 100_000, Queries = 8192, Scans = 16, ScanLength = 1000;

    public IEnumerable<Row> All =>
    [
        new("pages: search in a page, orders/", () => Search(Draw.Orders(250))),
        new("pages: search in a page, random 16 bytes", () => Search(Draw.Random16(200))),
        new("pages: puts, ascending", () => Put(Draw.Orders(Puts), append: true)),
        new("pages: puts, random order", () => Put(Draw.Shuffled(Draw.Orders(Puts)), append: false)),
        .. Ask("orders/, loaded ascending", static () => Draw.Orders(Entries)),
        .. Ask("orders/, loaded at random", static () => Draw.Shuffled(Draw.Orders(Entries))),
        .. Ask("random 16 bytes", static () => Draw.Random16(Entries)),
    ];

    private static Work Search(byte[][] keys)
    {
        byte[] memory = GC.AllocateArray<byte>(8192, pinned: true);
        SortedPage.Create(memory);
        foreach (byte[] key in keys) SortedPage.Attach(memory).TrySet(key, "12345678"u8);
        byte[][] sorted = [.. keys];
        Array.Sort(sorted, static (x, y) => x.AsSpan().SequenceCompareTo(y));
        byte[][] queries = [.. Enumerable.Range(0, Queries).Select(i => keys[i % keys.Length])];
        Random random = new(3);
        return new(Queries, () =>
        {
            SortedPage page = SortedPage.Attach(memory);
            long sum = 0;
            foreach (byte[] query in queries) sum += page.Find(query, out int position) ? position : 0;
            return sum;
        }, ".NET", () =>
        {
            long sum = 0;
            foreach (byte[] query in queries)
                for (int low = 0, high = sorted.Length - 1; low <= high;)
                {
                    int middle = (low + high) >>> 1, order = query.AsSpan().SequenceCompareTo(sorted[middle]);
                    if (order == 0) sum += middle;
                    if (order <= 0) high = order == 0 ? -1 : middle - 1;
                    else low = middle + 1;
                }
            return sum;
        })
        { Redraw = () => random.Shuffle(queries) };
    }

    private static Work Put(byte[][] keys, bool append)
    {
        Func<long>? lmdb = Lmdb.IsThere ? PutLmdb : null;
        return new(keys.Length, () =>
        {
            using MemoryPages pages = new();
            SortedTree tree = new(pages);
            for (int i = 0; i < keys.Length; i++)
            {
                long value = i;
                tree.Set(keys[i], new(&value, sizeof(long)));
            }
            return tree.Count;
        }, "LMDB", lmdb);

        long PutLmdb()
        {
            using Lmdb lmdb = new();
            for (int i = 0; i < keys.Length; i++) lmdb.Put(keys[i], i, append);
            return keys.Length;
        }
    }

    private static IEnumerable<Row> Ask(string name, Func<byte[][]> draw)
    {
        Lazy<(byte[][] Keys, SortedTree Tree, Lmdb? Lmdb)> made = new(() =>
        {
            byte[][] keys = draw();
            SortedTree tree = new(new MemoryPages());
            Lmdb? lmdb = Lmdb.IsThere ? new() : null;
            for (long i = 0; i < keys.Length; i++)
            {
                tree.Set(keys[i], MemoryMarshal.AsBytes(new Span<long>(ref i)));
                lmdb?.Put(keys[i], i);
            }
            lmdb?.BeginReading();
            if (lmdb is not null) AppDomain.CurrentDomain.ProcessExit += (_, _) => lmdb.Dispose();
            return (keys, tree, lmdb);
        });
        Random random = new(9);
        byte[][] queries = new byte[Queries][];
        void Redraw()
        {
            foreach (ref byte[] query in queries.AsSpan()) query = made.Value.Keys[random.Next(Entries)];
        }
        yield return new($"pages: lookups, {name}", () =>
        {
            (_, SortedTree tree, Lmdb? lmdb) = made.Value;
            return new(Queries, () =>
            {
                long sum = 0;
                foreach (byte[] query in queries)
                    if (tree.TryGet(query, out ReadOnlySpan<byte> value)) sum += MemoryMarshal.Read<long>(value);
                return sum;
            }, "LMDB", lmdb is null ? null : () => queries.Sum(lmdb.Get))
            { Redraw = Redraw };
        });
        yield return new($"pages: scans, {name}", () =>
        {
            (_, SortedTree tree, Lmdb? lmdb) = made.Value;
            return new(Scans * ScanLength, () =>
            {
                long sum = 0;
                for (int i = 0; i < Scans; i++)
                {
                    int left = ScanLength;
                    SortedCursor cursor = tree.Scan(queries[i]);
                    while (left-- > 0 && cursor.Next()) sum += MemoryMarshal.Read<long>(cursor.Value) + cursor.Key.Length;
                }
                return sum;
            }, "LMDB", lmdb is null ? null : () => queries.Take(Scans).Sum(query => lmdb.Scan(query, ScanLength)))
            { Redraw = Redraw };
        });
        yield return new($"pages: set in place, {name}", () =>
        {
            SortedTree tree = made.Value.Tree;
            return new(Queries, () =>
            {
                for (long i = 0; i < queries.Length; i++) tree.Set(queries[i], MemoryMarshal.AsBytes(new Span<long>(ref i)));
                return tree.Count;
            })
            { Redraw = Redraw };
        });
    }
}

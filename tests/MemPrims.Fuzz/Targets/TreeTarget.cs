using MemPrims.Pages;
using static MemPrims.Fuzz.WrongAnswerException;

namespace MemPrims.Fuzz;

/// <summary>
/// A tree over pages of 512 bytes. The head has its root and draws what is done with it; a tree that was verified does what a sorted
/// dictionary does.
/// </summary>
internal sealed class TreeTarget : Target
{
    private const int PageSize = 512, MostEntries = 20_000;

    private readonly GuardedPages _pages = new(PageSize);

    public override string Name => "tree";

    public override int HeadBytes => 2;

    public override int Rounds => 1_500;

    public override bool BeginsSettled => true;

    public override IEnumerable<byte[]> Seeds()
    {
        foreach (int entries in (int[])[0, 1, 12, 40, 200, 700])
        {
            using MemoryPages pages = new(PageSize);
            SortedTree tree = new(pages);
            for (int i = 0; i < entries; i++) tree.Set(PageTarget.Key(i * 7), new byte[i % 50 == 3 ? 900 : i % 20]);
            if (entries > 12) for (int i = 0; i < entries; i += 3) tree.Remove(PageTarget.Key(i));
            List<byte> bytes = [(byte)pages.Root, (byte)entries];
            for (uint page = 1; page < pages.PageCount; page++) bytes.AddRange(Bytes(pages, page));
            yield return [.. bytes];
        }

        static unsafe ReadOnlySpan<byte> Bytes(MemoryPages pages, uint page) => new(pages.Page(page), PageSize);
    }

    public override void Run(ReadOnlySpan<byte> head, GuardedInput input)
    {
        _pages.Fill(input.Span, head[0]);
        Random random = new(head[1]);
        SortedTree? tree = null;
        if (!Try(() => tree = new(_pages))) return;
        bool isSound = Try(tree!.Verify);
        if (!isSound) Use(tree, random);
        else Check(tree, random);
    }

    private static void Check(SortedTree tree, Random random)
    {
        SortedDictionary<byte[], byte[]> model = Entries(tree);
        Unless(tree.Count == model.Count, $"{tree.Count} entries, of which {model.Count} are read");
        for (int i = 0; i < 40; i++)
        {
            byte[] key = random.Next(3) == 0 && model.Count > 0 ? model.Keys.ElementAt(random.Next(model.Count))
                : PageTarget.Key(random.Next(300));
            bool isFound = tree.TryGet(key, out ReadOnlySpan<byte> found);
            Unless(isFound == model.TryGetValue(key, out byte[]? expected) && (!isFound || found.SequenceEqual(expected)), "a key");
            switch (random.Next(5))
            {
                case 0:
                case 1:
                    if (key.Length > SortedPage.MaxEntry(PageSize) / 2) break;
                    byte[] value = new byte[random.Next(20) == 0 ? 1200 : random.Next(30)];
                    value.AsSpan().Fill((byte)random.Next(256));
                    Unless(tree.Set(key, value) != model.ContainsKey(key), "a key was set as a new one, or the other way round");
                    model[key] = value;
                    break;
                case 2:
                    Unless(tree.Remove(key) == model.Remove(key), "a removal");
                    break;
                case 3:
                    SortedCursor up = tree.Scan(key);
                    foreach (byte[] next in model.Keys.Where(other => SameEntry.Instance.Compare(other, key) >= 0).Take(30))
                        Unless(up.Next() && up.Key.SequenceEqual(next) && up.Value.SequenceEqual(model[next]), "a scan");
                    break;
                case 4:
                    SortedCursor all = tree.Scan();
                    int skip = random.Next(model.Count + 2);
                    Unless(all.Skip(skip) == Math.Min(skip, model.Count), "entries that were passed over");
                    break;
            }
        }
        tree.Verify();
        Unless(Entries(tree).SequenceEqual(model, SameEntry.Instance), "a tree does not have what was set");
        SortedCursor down = tree.Scan();
        down.GoToEnd();
        foreach ((byte[] key, _) in model.Reverse()) Unless(down.Previous() && down.Key.SequenceEqual(key), "a scan backwards");
        using MemoryPages other = new(PageSize);
        SortedTree copy = new(other);
        copy.CopyFrom(tree);
        copy.Verify();
        Unless(Entries(copy).SequenceEqual(model, SameEntry.Instance), "a copy has other entries");
        tree.Clear();
        Unless(tree.Count == 0, "a tree that was cleared has entries");
    }

    private static SortedDictionary<byte[], byte[]> Entries(SortedTree tree)
    {
        SortedDictionary<byte[], byte[]> entries = new(SameEntry.Instance);
        SortedCursor cursor = tree.Scan();
        while (cursor.Next())
        {
            entries.Add(cursor.Key.ToArray(), cursor.Value.ToArray());
            Unless(entries.Count < MostEntries, "a scan that does not end");
        }
        return entries;
    }

    private static void Use(SortedTree tree, Random random)
    {
        for (int i = 0; i < 30; i++)
        {
            byte[] key = PageTarget.Key(random.Next(300));
            _ = random.Next(6) switch
            {
                0 => Try(() => tree.Set(key, new byte[random.Next(20) == 0 ? 1200 : random.Next(30)])),
                1 => Try(() => tree.Remove(key)),
                2 => Try(() =>
                {
                    SortedCursor cursor = tree.Scan(key);
                    cursor.Skip(random.Next(20));
                    for (int k = 0; k < 30 && cursor.Next(); k++) _ = cursor.Value.Length + cursor.Key.Length;
                }),
                3 => Try(() =>
                {
                    SortedCursor cursor = tree.ScanAfter(key);
                    for (int k = 0; k < 30 && cursor.Previous(); k++) _ = cursor.Value.Length + cursor.Key.Length;
                }),
                4 => Try(() => tree.TryGetFirst(out _, out _)) | Try(() => tree.TryGetLast(out _, out _)) | Try(() => _ = tree.Statistics),
                _ => Try(() => tree.TryGet(key, out _)),
            };
        }
        Try(() =>
        {
            SortedCursor all = tree.Scan();
            for (long i = 0; all.Next(); i++) Unless(i < MostEntries, "a scan that does not end");
        });
        using MemoryPages other = new(PageSize);
        Try(() => new SortedTree(other).CopyFrom(tree));
        Try(tree.Clear);
    }

    private static bool Try(Action use)
    {
        try
        {
            use();
            return true;
        }
        catch (Exception e) when (e is PageDamagedException or ArgumentException)
        {
            return false;
        }
    }
}

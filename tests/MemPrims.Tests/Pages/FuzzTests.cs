using System.Text;
using MemPrims.Buffers;
using MemPrims.Pages;

namespace MemPrims.Tests.Pages;

// Foreign bytes as pages, as trees, as files of pages and as frames: an answer, or an exception of the library.
public unsafe class FuzzTests
{
    [Fact]
    public void Pages() => Fuzz.Run(static random =>
    {
        byte[] memory = new byte[random.Next(2) == 0 ? 512 : 4096];
        SortedPage page = SortedPage.Create(memory);
        for (int i = random.Next(200); i > 0; i--) page.TrySet(Key(random), new byte[random.Next(12)]);
        Fuzz.Damage(random, memory);
        bool isSound = Try(() => SortedPage.Open(memory));
        Try(() =>
        {
            SortedPage attached = SortedPage.Attach(memory);
            for (int i = 0; i < 40; i++)
            {
                byte[] key = Key(random);
                bool found = attached.Find(key, out int position);
                if (position < 0 || position > attached.Count || found && position == attached.Count)
                    throw new InvalidOperationException("a position that there is not");
                if (found) found = attached.Key(position).SequenceEqual(key) || !isSound;
                else if (isSound && position < attached.Count) found = attached.Key(position).SequenceCompareTo(key) > 0;
                else found = true;
                if (!found) throw new InvalidOperationException("a wrong answer");
                int use = random.Next(7);
                // A damaged entry may be longer than any may be set.
                if (use == 0) Try(() => SortedPage.Attach(memory).TrySet(key, new byte[random.Next(12)]));
                if (use == 1) attached.Remove(key);
                if (use == 2) ModelCheck.Compact(memory);
                if (use == 3) attached.ReadAll();
                if (use == 4 && attached.Count > 1)
                    Try(() => SortedPage.Attach(memory).Split(SortedPage.Create(new byte[memory.Length]), 1));
            }
        });
    });

    [Fact]
    public void Trees() => Fuzz.Run(static random =>
    {
        using MemoryPages pages = new(512);
        SortedTree tree = new(pages);
        for (int i = random.Next(400); i > 0; i--) tree.Set(Key(random), new byte[random.Next(30) == 0 ? 1200 : random.Next(30)]);
        if (pages.PageCount == 1) return;
        for (int i = random.Next(1, 4); i > 0; i--)
            Fuzz.Damage(random, new(pages.Page((uint)random.Next(1, (int)pages.PageCount)), 512));
        Use(random, pages);
    });

    [Fact]
    public void Files_of_pages() => Fuzz.Run(static random =>
    {
        using TempFolder folder = new();
        string path = folder.File("index");
        using (MappedPages pages = MappedPages.Create(path, 512))
        {
            for (int i = random.Next(200); i > 0; i--) pages.Tree([(byte)random.Next(3)]).Set(Key(random), new byte[random.Next(30)]);
            pages.Tree([0]).Clear();
        }
        byte[] bytes = File.ReadAllBytes(path);
        Fuzz.Damage(random, random.Next(2) == 0 ? bytes.AsSpan(0, 64) : bytes);
        File.WriteAllBytes(path, random.Next(8) == 0 ? bytes[..random.Next(bytes.Length)] : bytes);
        Try(() =>
        {
            using MappedPages pages = MappedPages.Open(path);
            for (byte name = 0; name < 3; name++)
            {
                SortedTree? tree = null;
                byte[] copy = [name];
                Try(() => tree = pages.Tree(copy));
                if (tree is not null) Use(random, tree);
            }
        });
    });

    [Fact]
    public void Segments() => Fuzz.Run(static random =>
    {
        byte[] bytes = new byte[random.Next(300)];
        random.NextBytes(bytes);
        if (random.Next(2) == 0) bytes.AsSpan().Fill((byte)random.Next(3));
        using SegmentList list = new();
        for (int at = 0, length; at < bytes.Length; at += length)
        {
            length = Math.Min(random.Next(1, 40), bytes.Length - at);
            list.Append(bytes.AsSpan(at, length));
        }
        SegmentReader reader = new(list.AsSequence());
        for (long last = -1; reader.Position > last;)
        {
            last = reader.Position;
            try
            {
                switch (random.Next(4))
                {
                    case 0:
                        reader.ReadVarint();
                        break;
                    case 1:
                        reader.ReadText();
                        break;
                    case 2:
                        if (reader.ReadBlock().Length > bytes.Length) throw new InvalidOperationException("more than there is");
                        break;
                    default:
                        reader.ReadZigZag();
                        break;
                }
            }
            catch (IOException)
            {
                return;
            }
        }
    });

    private static void Use(Random random, IPageStore pages)
    {
        SortedTree? tree = null;
        Try(() => tree = new(pages));
        if (tree is not null) Use(random, tree);
    }

    private static void Use(Random random, SortedTree tree)
    {
        bool isSound = Try(tree.Verify);
        for (int i = 0; i < 40; i++)
        {
            byte[] key = Key(random);
            bool ended = random.Next(6) switch
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
                _ => Try(() => tree.TryGet(key, out _)),
            };
            if (isSound && !ended) throw new InvalidOperationException("a tree that was verified is damaged");
        }
        Try(() =>
        {
            SortedCursor all = tree.Scan();
            for (long i = 0; all.Next(); i++)
                if (i > 100_000) throw new InvalidOperationException("a scan that does not end");
        });
        Try(tree.Clear);
    }

    private static byte[] Key(Random random) => random.Next(4) == 0
        ? Encoding.ASCII.GetBytes($"shared prefix/{random.Next(300)}") : Encoding.ASCII.GetBytes($"{random.Next(300):000}");

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

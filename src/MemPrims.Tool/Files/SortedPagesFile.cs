using MemPrims.Pages;

namespace MemPrims.Tool.Files;

// A file of pages with its trees. MappedPages is for its one user, and writes: it would note at its end that all is well.
internal sealed class SortedPagesFile(string path, string? only = null) : StoredFile
{
    // The same file, of which one tree is dumped: by its name, or as a dump shows that.
    public SortedPagesFile Only(string tree) => new(path, tree);

    public override string Kind => "a file of sorted pages";

    public override void Describe(Report report)
    {
        using PagesView pages = new(path);
        report.Add("page bytes", pages.PageSize);
        report.Add("pages", (long)pages.PageCount);
        report.Add("free pages", (long)pages.Header.FreeCount);
        report.Add("closed cleanly", pages.IsClean);
        if (pages.IsClean) report.Add("last checkpoint", (long)pages.Header.Checkpoint);
        foreach ((byte[]? name, uint root) in pages.Trees(withEmpty: true))
        {
            long count = root == 0 ? 0 : pages.TreeAt(root).Count;
            report.Add(NameOf(name), count == 1 ? "1 entry" : $"{count} entries");
        }
    }

    public override void Verify(Report report, Action<long, long> progress)
    {
        using PagesView pages = new(path);
        pages.CheckFreePages();
        foreach ((byte[]? name, uint root) in pages.Trees())
        {
            SortedTree tree = pages.TreeAt(root);
            tree.Verify();
            report.Add($"{NameOf(name)}, entries checked", tree.Count);
        }
        report.Add("not checked", "The bytes of values: pages have no checksum.");
        report.Add("closed cleanly", pages.IsClean);
        if (!pages.IsIntact)
            throw new DamagedDataException($"{path}: it was not closed cleanly, and the system was started anew since, or this is a copy. "
                + "Changes may be missing: build its trees again. What is in them is sound, and can be salvaged.");
        if (!pages.IsClean)
            report.Add("note", "The process that wrote it ended without closing it. The system has all that it wrote: go on with it.");
    }

    public override void WriteTo(Dump dump)
    {
        using PagesView pages = new(path);
        foreach ((byte[]? name, uint root) in Wanted(pages))
        {
            if (root == 0) continue;
            SortedCursor cursor = pages.TreeAt(root).Scan();
            while (!dump.IsFull && cursor.Next())
                dump.Line(("tree", name ?? []), ("key", cursor.Key.ToArray()), ("value", cursor.Value.ToArray()));
        }
    }

    private IEnumerable<(byte[]? Name, uint Root)> Wanted(PagesView pages)
    {
        if (only is null) return pages.Trees();
        (byte[]? Name, uint Root)[] all = [.. pages.Trees(withEmpty: true)];
        (byte[]? Name, uint Root)[] wanted = [.. all.Where(tree => Printable.Bytes(tree.Name ?? []) is var shown
            && (only == shown || $"\"{only}\"" == shown))];
        return wanted.Length > 0 ? wanted : throw new UsageException($"{path} has no tree {only}. It has "
            + $"{(all is [] ? "none" : string.Join(", ", all.Select(tree => NameOf(tree.Name))))}.");
    }

    public override bool Salvage(string newPath, Report report)
    {
        using PagesView pages = new(path);
        using MappedPages target = MappedPages.Create(newPath, pages.PageSize);
        PagesSalvage salvage = new(pages);
        foreach ((byte[]? name, uint root) in salvage.Trees())
        {
            SortedTree tree = name is null ? new SortedTree(target) : target.Tree(name);
            salvage.Copy(root, (key, value) => tree.Set(key, value));
            report.Add($"{NameOf(name)}, entries", tree.Count);
        }
        report.Add("lost", salvage.Lost);
        report.Add("last checkpoint", target.LastCheckpoint);
        report.Add("note", "The last checkpoint is not taken over, since entries from before it may be lost: catch up from the start.");
        return salvage.Lost.Count == 0;
    }

    private static string NameOf(byte[]? name) => name is null ? "tree without a name" : $"tree {Printable.Bytes(name)}";
}

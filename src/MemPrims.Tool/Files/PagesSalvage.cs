using MemPrims.Pages;

namespace MemPrims.Tool.Files;

// The entries of a tree that can still be reached, by LAYOUT.md: each page is proved by itself, and of a leaf only the keys count that its
// branches lead to. A damaged branch loses all below it. No page is visited twice, so damage cannot make the way endless.
internal sealed unsafe class PagesSalvage(PagesView pages)
{
    private readonly HashSet<uint> _seen = [];

    public delegate void Take(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value);

    // What could not be read: where, between which keys, and why.
    public List<string> Lost { get; } = [];

    // The trees that can be found. Of a damaged directory those in its sound pages.
    public List<(byte[]? Name, uint Root)> Trees()
    {
        List<(byte[]? Name, uint Root)> trees = [];
        if (pages.Header.Root != 0) trees.Add((null, pages.Header.Root));
        if (pages.Header.Directory != 0)
            Copy(pages.Header.Directory, (name, root) =>
            {
                if (root.Length != sizeof(uint)) Lost.Add($"tree {Printable.Bytes(name)}: its entry has no root");
                else if (BinaryPrimitives.ReadUInt32LittleEndian(root) is > 0 and var page) trees.Add((name.ToArray(), page));
            });
        return trees;
    }

    // Gives the entries of the tree at a root, in the order of their keys.
    public void Copy(uint root, Take take)
    {
        string? fault = null;
        TreeHeader* header = (TreeHeader*)Read(root, ref fault);
        if (fault is not null) Lost.Add($"page {root}, the root of a tree: {fault}");
        else if (header == null || header->Magic != TreeHeader.TreeMagic || header->Levels is 0 or > TreeHeader.MostLevels)
            Lost.Add($"page {root}: it is not the root of a tree, so all of the tree");
        else Visit(header->Top, (int)header->Levels - 1, [], null, take);
    }

    // Null where there is none, and where the disk cannot read it.
    private byte* Read(uint number, ref string? fault)
    {
        try
        {
            return pages.Page(number);
        }
        catch (DamagedDataException e)
        {
            fault = e.Message;
            return null;
        }
    }

    private void Visit(uint number, int level, byte[] low, byte[]? high, Take take)
    {
        string? fault = null;
        Page page = new(_seen.Add(number) ? Read(number, ref fault) : null, pages.PageSize);
        if (page.Start == null) fault ??= "there is no such page, or another part of the tree leads to it";
        else if (page.Header->Level != level) fault = $"it is of level {page.Header->Level}, and should be of {level}";
        else
        {
            try
            {
                SortedPage.Open(new(page.Start, page.Size));
            }
            catch (PageDamagedException e)
            {
                fault = e.Message;
            }
        }
        if (fault is not null)
        {
            string to = high is null ? "on" : $"to before {Printable.Bytes(high)}";
            Lost.Add($"page {number}, keys from {Printable.Bytes(low)} {to}: {fault}");
            return;
        }
        if (level == 0) CopyLeaf(number, page, low, high, take);
        else
            for (int i = -1; i < page.Count; i++)
            {
                ReadOnlySpan<byte> value = i < 0 ? default : page.Entry(i).ValueSpan;
                uint child = i < 0 ? page.Header->FirstChild : value.Length == sizeof(uint) ? BitConverter.ToUInt32(value) : 0;
                Visit(child, level - 1, i < 0 ? low : page.Key(i).ToArray(), i + 1 < page.Count ? page.Key(i + 1).ToArray() : high, take);
            }
    }

    private void CopyLeaf(uint number, Page page, byte[] low, byte[]? high, Take take)
    {
        for (int i = 0; i < page.Count; i++)
        {
            PageEntry entry = page.Entry(i);
            ReadOnlySpan<byte> key = entry.KeySpan, value = entry.ValueSpan;
            if (key.SequenceCompareTo(low) < 0 || (high is not null && key.SequenceCompareTo(high) >= 0))
            {
                Lost.Add($"page {number}, key {Printable.Bytes(key)}: it is not between the separators of its branch");
                continue;
            }
            if (!entry.IsTagged) take(key, value);
            else if (Overflow(value) is { } whole) take(key, whole);
            else Lost.Add($"page {number}, key {Printable.Bytes(key)}: its value's overflow pages are damaged");
        }
    }

    private byte[]? Overflow(ReadOnlySpan<byte> reference)
    {
        if (reference.Length != TreeOverflow.ReferenceBytes) return null;
        uint number = BitConverter.ToUInt32(reference), left = BitConverter.ToUInt32(reference[sizeof(uint)..]);
        if (left > (long)pages.PageCount * pages.PageSize) return null;
        byte[] value = new byte[left];
        for (Span<byte> rest = value; rest.Length > 0;)
        {
            byte* page = _seen.Add(number) ? pages.Page(number) : null;
            OverflowHeader* header = (OverflowHeader*)page;
            if (page == null || header->Magic != OverflowHeader.OverflowMagic || header->Length != rest.Length) return null;
            int here = Math.Min(rest.Length, pages.PageSize - OverflowHeader.Bytes);
            new ReadOnlySpan<byte>(page + OverflowHeader.Bytes, here).CopyTo(rest);
            rest = rest[here..];
            number = header->Next;
        }
        return value;
    }
}

using System.Buffers.Binary;
using MemPrims.Pages;
using MemPrims.Tool.Output;

namespace MemPrims.Tool.Files;

/// <summary>
/// The entries of a tree that can still be reached, by LAYOUT.md: each page is proved by itself, and of a leaf only the keys count that
/// its branches lead to. A damaged branch loses all below it. No page is visited twice, so damage cannot make the way endless.
/// </summary>
internal sealed unsafe class PagesSalvage(PagesView pages)
{
    private const uint TreeMagic = 0x3274504D, OverflowMagic = 0x316F504D; // "MPt2", "MPo1"
    private const int MostLevels = 48, OverflowHeader = 16, ReferenceBytes = 8;
    private const ushort IsInOverflow = 0x8000;

    private readonly HashSet<uint> _seen = [];

    public delegate void Take(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value);

    /// <summary>What could not be read: where, between which keys, and why.</summary>
    public List<string> Lost { get; } = [];

    /// <summary>The trees that can be found. Of a damaged directory those in its sound pages.</summary>
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

    /// <summary>Gives the entries of the tree at a root, in the order of their keys.</summary>
    public void Copy(uint root, Take take)
    {
        byte* header = pages.Page(root);
        if (header == null || U32(header) != TreeMagic || U32(header + 12) is 0 or > MostLevels)
            Lost.Add($"page {root}: it is not the root of a tree, so all of the tree");
        else Visit(U32(header + 8), (int)U32(header + 12) - 1, [], null, take);
    }

    private void Visit(uint number, int level, byte[] low, byte[]? high, Take take)
    {
        string? fault = null;
        byte* start = _seen.Add(number) ? pages.Page(number) : null;
        if (start == null) fault = "there is no such page, or another part of the tree leads to it";
        else if (start[11] != level) fault = $"it is of level {start[11]}, and should be of {level}";
        else
        {
            try
            {
                SortedPage.Open(new(start, pages.PageSize));
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
        SortedPage page = SortedPage.Attach(new(start, pages.PageSize));
        if (level == 0) CopyLeaf(number, start, page, low, high, take);
        else
            for (int i = -1; i < page.Count; i++)
            {
                uint child = i < 0 ? U32(start + 24) : page.Value(i).Length == sizeof(uint) ? BitConverter.ToUInt32(page.Value(i)) : 0;
                Visit(child, level - 1, i < 0 ? low : page.Key(i).ToArray(), i + 1 < page.Count ? page.Key(i + 1).ToArray() : high, take);
            }
    }

    private void CopyLeaf(uint number, byte* start, SortedPage page, byte[] low, byte[]? high, Take take)
    {
        ushort* slots = (ushort*)(start + 128 + 4 * *(ushort*)(start + 6));
        for (int i = 0; i < page.Count; i++)
        {
            ReadOnlySpan<byte> key = page.Key(i), value = page.Value(i);
            if (key.SequenceCompareTo(low) < 0 || (high is not null && key.SequenceCompareTo(high) >= 0))
            {
                Lost.Add($"page {number}, key {Printable.Bytes(key)}: it is not between the separators of its branch");
                continue;
            }
            bool isElsewhere = (*(ushort*)(start + slots[i] + sizeof(ushort)) & IsInOverflow) != 0;
            if (!isElsewhere) take(key, value);
            else if (Overflow(value) is { } whole) take(key, whole);
            else Lost.Add($"page {number}, key {Printable.Bytes(key)}: its value's overflow pages are damaged");
        }
    }

    private byte[]? Overflow(ReadOnlySpan<byte> reference)
    {
        if (reference.Length != ReferenceBytes) return null;
        uint number = BitConverter.ToUInt32(reference), left = BitConverter.ToUInt32(reference[sizeof(uint)..]);
        if (left > (long)pages.PageCount * pages.PageSize) return null;
        byte[] value = new byte[left];
        for (Span<byte> rest = value; rest.Length > 0;)
        {
            byte* page = _seen.Add(number) ? pages.Page(number) : null;
            if (page == null || U32(page) != OverflowMagic || U32(page + 8) != rest.Length) return null;
            int here = Math.Min(rest.Length, pages.PageSize - OverflowHeader);
            new ReadOnlySpan<byte>(page + OverflowHeader, here).CopyTo(rest);
            rest = rest[here..];
            number = U32(page + 4);
        }
        return value;
    }

    private static uint U32(byte* at) => BinaryPrimitives.ReadUInt32LittleEndian(new(at, sizeof(uint)));
}

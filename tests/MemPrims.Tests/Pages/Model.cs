using MemPrims.Pages;

namespace MemPrims.Tests.Pages;

// The order of bytes, written as plainly as it can be: what pages and trees are held to.
internal sealed class ByteOrder : IComparer<byte[]>
{
    public static readonly ByteOrder Instance = new();

    public int Compare(byte[]? left, byte[]? right)
    {
        for (int i = 0; i < Math.Min(left!.Length, right!.Length); i++)
            if (left[i] != right[i]) return left[i] < right[i] ? -1 : 1;
        return left.Length.CompareTo(right!.Length);
    }

    public static SortedDictionary<byte[], byte[]> NewModel() => new(Instance);
}

internal static class ModelCheck
{
    public static void ReadAll(this SortedPage page)
    {
        for (int i = 0; i < page.Count; i++) _ = page.Key(i).Length + page.Value(i).Length;
    }

    public static unsafe void Compact(Span<byte> page)
    {
        fixed (byte* start = page) PageRebuild.Compact(new(start, page.Length));
    }

    // A cursor after the last key.
    public static SortedCursor ScanFromEnd(this SortedTree tree)
    {
        SortedCursor cursor = tree.Scan();
        cursor.GoToEnd();
        return cursor;
    }

    // The page is sound and holds what the model does; every key is found, and what lies beside it is missing at its place.
    public static void Same(SortedDictionary<byte[], byte[]> model, SortedPage page)
    {
        page.Validate();
        Assert.Equal(model.Count, page.Count);
        int position = 0, bytes = 0;
        foreach ((byte[] key, byte[] value) in model)
        {
            Assert.True(page.Key(position).SequenceEqual(key));
            Assert.True(page.Value(position).SequenceEqual(value));
            Assert.True(page.Find(key, out int found) && found == position);
            Missing(model, page, [.. key, 0], position + 1);
            if (key.Length > 0) Missing(model, page, key[..^1], position);
            bytes += key.Length + value.Length + 4;
            position++;
        }
        int slots = (model.Count + 3) / 4 * 4 * 6, size = page.FreeBytes + slots + bytes;
        Assert.Equal(0, (size + 128) % 64);
    }

    public static void Same(SortedDictionary<byte[], byte[]> model, SortedTree tree)
    {
        tree.Verify();
        Assert.Equal(model.Count, tree.Count);
        SortedCursor cursor = tree.Scan();
        foreach ((byte[] key, byte[] value) in model)
        {
            Assert.True(cursor.Next());
            Assert.True(cursor.Key.SequenceEqual(key) && cursor.Value.SequenceEqual(value));
            Assert.True(tree.TryGet(key, out ReadOnlySpan<byte> got) && got.SequenceEqual(value));
        }
        Assert.False(cursor.Next());
        foreach ((byte[] key, byte[] value) in model.Reverse())
        {
            Assert.True(cursor.Previous());
            Assert.True(cursor.Key.SequenceEqual(key) && cursor.Value.SequenceEqual(value));
        }
        Assert.False(cursor.Previous());
        Assert.Equal(model.Count > 0, cursor.Next());
    }

    // A neighbour of a key that is in the page: it comes at the key's place or behind it, if it is not in the page itself.
    private static void Missing(SortedDictionary<byte[], byte[]> model, SortedPage page, byte[] key, int place)
    {
        bool found = page.Find(key, out int position);
        Assert.Equal(model.ContainsKey(key), found);
        int expected = place;
        if (!found) while (expected > 0 && ByteOrder.Instance.Compare(page.Key(expected - 1).ToArray(), key) > 0) expected--;
        if (!found) Assert.Equal(expected, position);
    }
}

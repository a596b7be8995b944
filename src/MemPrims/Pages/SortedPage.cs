namespace MemPrims.Pages;

/// <summary>
/// A page of keys and values in the order of the keys' bytes, over memory of the caller's: an array, native memory, a mapped file. The
/// memory has a multiple of 64 bytes, from 512 to 65,536. The value holds no state of its own, so copies of it are the same page.
/// </summary>
/// <remarks>Spans into the page live until it is changed. One thread at a time may change it, and nobody read it meanwhile.</remarks>
// What runs: PageSearch finds a key by the four bytes after the page's common prefix, kept beside the slots (PageHeads); PageChange
// inserts, updates and removes; PageRebuild compacts, splits and merges; PageCheck validates. The layout is in LAYOUT.md.
public readonly unsafe ref struct SortedPage
{
    private readonly Span<byte> _memory;

    private SortedPage(Span<byte> memory) => _memory = memory;

    /// <summary>Makes an empty page of the memory, whatever it held.</summary>
    /// <exception cref="ArgumentException">The length is no size for a page.</exception>
    public static SortedPage Create(Span<byte> memory)
    {
        PageLayout.CheckSize(memory.Length, nameof(memory));
        fixed (byte* start = memory) new Page(start, memory.Length).Initialize();
        return new(memory);
    }

    /// <summary>Opens a page and proves all of it, as <see cref="Validate"/> does.</summary>
    /// <exception cref="ArgumentException">The length is no size for a page.</exception>
    /// <exception cref="PageDamagedException">The bytes are not a sound page of that size.</exception>
    public static SortedPage Open(Span<byte> memory)
    {
        PageLayout.CheckSize(memory.Length, nameof(memory));
        SortedPage page = new(memory);
        page.Validate();
        return page;
    }

    /// <summary>
    /// Opens a page that this process has validated or written. It takes a constant time: only the numbers of the header are checked. Do
    /// not use it for bytes of others: damage inside gives wrong answers or a <see cref="PageDamagedException"/> later. But no access
    /// leaves the page, and no span of it contains its header.
    /// </summary>
    /// <exception cref="ArgumentException">The length is no size for a page.</exception>
    /// <exception cref="PageDamagedException">The header is not that of a page of this size.</exception>
    public static SortedPage Attach(Span<byte> memory)
    {
        PageLayout.CheckSize(memory.Length, nameof(memory));
        fixed (byte* start = memory) PageCheck.Header(new Page(start, memory.Length));
        return new(memory);
    }

    /// <summary>The most bytes that key and value of an entry may have together: an eighth of the page.</summary>
    /// <exception cref="ArgumentException">No page has that size.</exception>
    public static int MaxEntry(int pageSize)
    {
        PageLayout.CheckSize(pageSize, nameof(pageSize));
        return PageLayout.MaxEntry(pageSize);
    }

    /// <summary>How many entries there are.</summary>
    public int Count
    {
        get { fixed (byte* start = _memory) return Over(start).Count; }
    }

    /// <summary>The bytes that are free, in one piece or several. Beside key and value an entry costs 10 bytes, at times 28.</summary>
    public int FreeBytes
    {
        get { fixed (byte* start = _memory) return Over(start).FreeBytes; }
    }

    /// <summary>Finds a key.</summary>
    /// <param name="key">Any bytes, also more than an entry may have.</param>
    /// <param name="position">Where the key is; where it is missing, the position of the first key above it: where it would be
    /// inserted.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Find(ReadOnlySpan<byte> key, out int position)
    {
        fixed (byte* start = _memory, bytes = key)
        {
            Place place = PageSearch.Find(Over(start), bytes, key.Length);
            position = place.Position;
            return place.Found;
        }
    }

    /// <summary>The key at a position; positions are in the order of the keys. It lives until the page is changed.</summary>
    /// <exception cref="ArgumentOutOfRangeException">There is no such position.</exception>
    public ReadOnlySpan<byte> Key(int position)
    {
        fixed (byte* start = _memory)
        {
            PageEntry entry = EntryAt(start, position);
            return _memory.Slice((int)(entry.Key - start), entry.KeyLength);
        }
    }

    /// <summary>
    /// The value at a position, which may be written in place. It lives until the page is changed. Leave the pages of a
    /// <see cref="SortedTree"/> alone: values there may be the tree's own numbers.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">There is no such position.</exception>
    public Span<byte> Value(int position)
    {
        fixed (byte* start = _memory)
        {
            PageEntry entry = EntryAt(start, position);
            return _memory.Slice((int)(entry.Value - start), entry.ValueLength);
        }
    }

    /// <summary>Adds an entry, or gives the one with that key another value. False, and nothing changed, where it does not fit.</summary>
    /// <remarks>
    /// Key and value may be keys and values of this very page, or parts of them. They must not overlap its other bytes, which move.
    /// </remarks>
    /// <exception cref="ArgumentException">Key and value have more than <see cref="MaxEntry"/> bytes.</exception>
    public bool TrySet(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        CheckEntry(key, value);
        fixed (byte* start = _memory, k = key, v = value)
        {
            Page page = Over(start);
            Place place = PageSearch.Find(page, k, key.Length);
            return place.Found
                ? PageChange.TryUpdate(page, place.Position, k, key.Length, v, value.Length)
                : PageChange.TryInsert(page, place.Position, k, key.Length, v, value.Length);
        }
    }

    /// <summary>Removes the entry with that key; false where there is none.</summary>
    public bool Remove(ReadOnlySpan<byte> key)
    {
        if (!Find(key, out int position)) return false;
        RemoveAt(position);
        return true;
    }

    /// <summary>Removes the entry at a position; those after it move up.</summary>
    /// <exception cref="ArgumentOutOfRangeException">There is no such position.</exception>
    public void RemoveAt(int position)
    {
        fixed (byte* start = _memory)
        {
            EntryAt(start, position);
            PageChange.RemoveAt(Over(start), position);
        }
    }

    /// <summary>
    /// Moves the entries from a position on to another page, whatever it held. Both pages get the longest prefix that their keys have.
    /// </summary>
    /// <param name="right">The page for the upper entries, of any size in which they fit.</param>
    /// <param name="at">The position of the first entry that moves: 0 moves all, <see cref="Count"/> none.</param>
    /// <returns>The shortest key that is above all keys that stay and not above those that moved; empty where one side is. It lies in
    /// <paramref name="right"/>.</returns>
    /// <exception cref="ArgumentOutOfRangeException">There is no such position.</exception>
    /// <exception cref="ArgumentException">The entries do not fit the other page, and nothing has changed.</exception>
    public ReadOnlySpan<byte> Split(SortedPage right, int at)
    {
        fixed (byte* l = _memory, r = right._memory)
        {
            Page left = Over(l), upper = right.Over(r);
            if ((uint)at > (uint)left.Count)
                throw new ArgumentOutOfRangeException(
                    nameof(at), at, $"The page has {left.Count} entries: it can be split at 0 to {left.Count}.");
            if (l == r) throw new ArgumentException("A page cannot be split into itself.", nameof(right));
            int bytes = 0, largest = 0, moved = left.Count - at;
            for (int i = at; i < left.Count; i++)
            {
                int entry = left.Entry(i).Bytes;
                bytes += entry;
                largest = Math.Max(largest, entry - PageLayout.EntryHeader);
            }
            if (!Fit(left.Size)) PageErrors.ThrowDamaged("The entries of the page overlap, or one of them is too long");
            if (!Fit(upper.Size))
                throw new ArgumentException(
                    $"{moved} entries do not fit a page of {upper.Size} bytes; nothing was moved.", nameof(right));
            if (at > 0 && at < left.Count && Block.Compare(left.Key(at - 1), left.Key(at)) >= 0)
                PageErrors.ThrowDamaged($"The keys at {at - 1} and {at} are not in order");
            PageRebuild.Split(left, upper, at);
            return left.Count == 0 || upper.Count == 0 ? default : Separator(Key(left.Count - 1), right.Key(0));

            bool Fit(int size) => PageHeader.Bytes + PageLayout.SlotsFor(moved) + bytes <= size && largest <= PageLayout.MaxEntry(size);
        }
    }

    /// <summary>
    /// The position at which a split leaves about half of the bytes on each side; 0 or 1 where there are no two entries.
    /// </summary>
    public int SplitPosition
    {
        get { fixed (byte* start = _memory) return Count < 2 ? Count : PageRebuild.ChooseSplit(Over(start)); }
    }

    // The shortest beginning of `right` that is above `left`, a key below it.
    internal static ReadOnlySpan<byte> Separator(ReadOnlySpan<byte> left, ReadOnlySpan<byte> right) =>
        right[..(Block.CommonPrefix(left, right) + 1)];

    /// <summary>
    /// Proves the page: header, entries inside and disjoint, keys in strict order, and that heads, hints and prefix are those of the keys.
    /// It cannot see a value whose bytes have changed, for a page has no checksum. Where that counts, keep one beside the page
    /// (<see cref="Checksum"/>).
    /// </summary>
    /// <exception cref="PageDamagedException">Something is not as it should be; the message says what and where.</exception>
    public void Validate()
    {
        fixed (byte* start = _memory) PageCheck.All(Over(start));
    }

    private Page Over(byte* start)
    {
        if (start == null) Unmade();
        return new(start, _memory.Length);
    }

    private PageEntry EntryAt(byte* start, int position)
    {
        Page page = Over(start);
        if ((uint)position >= (uint)page.Count) PageErrors.ThrowPosition(position, page.Count);
        return page.Entry(position);
    }

    private void CheckEntry(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        int most = PageLayout.MaxEntry(_memory.Length);
        if (key.Length <= most && value.Length <= most - key.Length) return;
        if (_memory.IsEmpty) Unmade();
        PageErrors.ThrowTooLarge(key.Length, value.Length, most);
    }

    private static void Unmade() =>
        throw new InvalidOperationException("This SortedPage is over no memory: make one by Create, Open or Attach.");
}

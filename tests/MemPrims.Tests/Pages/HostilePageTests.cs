using MemPrims.Pages;

namespace MemPrims.Tests.Pages;

// Bytes that are no sound page: an exception of the library's own, or a page on which every operation stays within it. Pages lie at a
// guard page on either side, in a child process: an access outside ends it.
public unsafe class HostilePageTests
{
    private const int Size = 512;

    [Fact]
    public void Every_changed_byte_is_refused_or_harmless() => Child.Run(ChangeBytes).AssertSucceeded();

    [Fact]
    public void Random_pages_are_refused_or_harmless() => Child.Run(Fuzz).AssertSucceeded();

    [Theory]
    [InlineData(0, 1, "01506731, not with 4D506731")]
    [InlineData(4, 200, "room for")]
    [InlineData(6, 3, "room for")]
    [InlineData(8, 9, "all keys share")]
    [InlineData(10, 5, "apart")]
    [InlineData(12, 1, "says")]
    [InlineData(17, 9, "entries start")]
    [InlineData(20, 1, "bytes")]
    [InlineData(30, 1, "should be 0")]
    [InlineData(64, 1, "more hints")]
    [InlineData(128, 77, "Head 0")]
    public void Damage_is_named(int offset, byte value, string message)
    {
        byte[] memory = Sample();
        memory[offset] = value;
        PageDamagedException damage = Assert.Throws<PageDamagedException>(() => SortedPage.Open(memory));
        Assert.Contains(message, damage.Message);
        Assert.InRange(damage.Offset, 0, Size - 1);
    }

    [Fact]
    public void Keys_out_of_order_and_entries_that_overlap_are_refused()
    {
        byte[] swapped = Sample(), doubled = Sample();
        int slots = 128 + 4 * BitConverter.ToUInt16(swapped, 6);
        (swapped[slots], swapped[slots + 2]) = (swapped[slots + 2], swapped[slots]);
        (swapped[slots + 1], swapped[slots + 3]) = (swapped[slots + 3], swapped[slots + 1]);
        Assert.Throws<PageDamagedException>(() => SortedPage.Open(swapped));
        swapped.AsSpan(128, 4).CopyTo(doubled.AsSpan(132));
        doubled.AsSpan(slots, 2).CopyTo(doubled.AsSpan(slots + 2));
        Assert.Contains("overlaps", Assert.Throws<PageDamagedException>(() => SortedPage.Open(doubled)).Message);
    }

    [Fact]
    public void Damage_shows_at_a_byte_of_the_page()
    {
        byte[] sound = Sample(17);
        for (int at = 0; at < Size; at++)
            foreach (int value in (int[])[0, 2, 0x88, 0xFF, sound[at] ^ 0x80])
            {
                byte[] memory = [.. sound];
                memory[at] = (byte)value;
                if (Record.Exception(() => SortedPage.Open(memory)) is PageDamagedException opened)
                    Assert.InRange(opened.Offset, -1, Size - 1);
                if (Record.Exception(() => ReadAll(memory)) is { } read)
                    Assert.InRange(Assert.IsType<PageDamagedException>(read).Offset, -1, Size - 1);
            }

        static void ReadAll(byte[] memory)
        {
            SortedPage page = SortedPage.Attach(memory);
            page.ReadAll();
            foreach (int low in (int[])[0, 7, 25, 200]) page.Find([.. "key/"u8, (byte)low, (byte)'a'], out _);
        }
    }

    // Entries that overlap have more bytes than a page, and such a one is longer than any entry.
    [Theory, InlineData(false), InlineData(true)]
    public void A_split_of_a_damaged_page_says_so_and_moves_nothing(bool isLong)
    {
        byte[] memory = new byte[Size], before = new byte[Size];
        SortedPage page = SortedPage.Create(memory);
        for (byte i = 0; i < 8; i++) page.TrySet([i], new byte[isLong ? 9 : 30]);
        int slots = 128 + 4 * BitConverter.ToUInt16(memory, 6);
        if (isLong) BitConverter.TryWriteBytes(memory.AsSpan(BitConverter.ToUInt16(memory, slots + 14) + 2), (ushort)90);
        else
        {
            // The first entries get values that reach into those after them.
            for (int i = 2; i < 8; i++)
                BitConverter.TryWriteBytes(memory.AsSpan(BitConverter.ToUInt16(memory, slots + 2 * i) + 2), (ushort)63);
        }
        memory.CopyTo(before, 0);
        Assert.Throws<PageDamagedException>(() => SortedPage.Attach(memory).Split(SortedPage.Create(new byte[Size]), 0));
        Assert.Equal(before, memory);
    }

    // The value of such an entry is the page's own header, and filled with FF it made the next compaction
    // overflow the stack.
    [Theory, InlineData(true), InlineData(false)]
    public void A_slot_that_leads_into_the_header_gives_no_span_of_it(bool fills) =>
        Child.Run(UseSlotIntoHeader, [fills.ToString()]).AssertSucceeded();

    private static void UseSlotIntoHeader(string[] arguments)
    {
        for (int offset = 0; offset < 128; offset++)
        {
            byte[] memory = Sample();
            BitConverter.TryWriteBytes(memory.AsSpan(128 + 4 * BitConverter.ToUInt16(memory, 6)), (ushort)offset);
            byte[] header = memory[..128];
            SortedPage page = SortedPage.Attach(memory);
            try
            {
                if (bool.Parse(arguments[0])) page.Value(0).Fill(0xFF);
                else page.TrySet(page.Key(0), [1, 255, 255, 255]);
                Assert.Fail("the entry was given");
            }
            catch (PageDamagedException)
            {
                Assert.Equal(header, memory[..128]);
            }
            try
            {
                ModelCheck.Compact(memory);
                Assert.Fail("the page was compacted");
            }
            catch (PageDamagedException)
            {
            }
        }
    }

    [Fact]
    public void A_header_that_was_changed_after_the_page_was_opened_does_not_overflow_the_stack() =>
        Child.Run(CompactChanged).AssertSucceeded();

    private static void CompactChanged(string[] _)
    {
        byte[] memory = Sample();
        SortedPage.Open(memory);
        memory.AsSpan(16, 4).Fill(0xFF);
        try
        {
            ModelCheck.Compact(memory);
            Assert.Fail("the page was compacted");
        }
        catch (PageDamagedException)
        {
        }
    }

    [Fact]
    public void Hints_behind_one_that_is_too_great_do_not_outlive_a_change_of_their_distance()
    {
        byte[] memory = new byte[8192];
        SortedPage page = SortedPage.Create(memory);
        for (int i = 0; i < 272; i++) Assert.True(page.TrySet([(byte)(i >> 8), (byte)i], []));
        // Hint 9 becomes that of a head of FFFFFFFF, which the page need not have: it is attached, not opened.
        BitConverter.TryWriteBytes(memory.AsSpan(64 + 4 * 9), int.MaxValue);
        ushort last = 0x0909;
        fixed (byte* start = memory)
            Assert.True(PageChange.TryInsert(new(start, memory.Length), 272, (byte*)&last, sizeof(ushort), null, 0));
        Assert.Equal(5, memory[10]);
        SortedPage.Open(memory).Validate();
    }

    private static byte[] Sample(int entries = 9)
    {
        byte[] memory = new byte[Size];
        SortedPage page = SortedPage.Create(memory);
        for (int i = 0; i < entries; i++)
            Assert.True(page.TrySet([.. "key/"u8, (byte)(i * 5), (byte)'a', .. new byte[i % 4]], new byte[i % 5]));
        return memory;
    }

    private static void ChangeBytes(string[] _)
    {
        using GuardedMemory memory = new(Size);
        Random random = Seeds.Random(5);
        foreach (byte* start in (nint[])[(nint)memory.Start, (nint)memory.EndingAtGuard(Size)])
        {
            byte[] sound = Sample(17);
            for (int at = 0; at < Size; at++)
                foreach (int change in (int[])[1, 0x80, 0xFF, random.Next(1, 256)])
                {
                    Span<byte> there = new(start, Size);
                    sound.CopyTo(there);
                    there[at] ^= (byte)change;
                    CaseNote.Set("changed byte", at, change);
                    Use(start, there.ToArray(), random);
                }
        }
    }

    private static void Fuzz(string[] _)
    {
        using GuardedMemory memory = new(Size);
        byte* start = memory.EndingAtGuard(Size);
        for (int round = 0; round < 20_000 * Seeds.Scale; round++)
        {
            Random random = Seeds.Random(round);
            byte[] bytes = Sample(random.Next(0, 18));
            for (int i = random.Next(1, 12); i > 0; i--)
            {
                // Mostly where it hurts: lengths and offsets, to values near the limits.
                int at = random.Next(4) switch
                {
                    0 => random.Next(Size),
                    1 => random.Next(4, 24),
                    2 => 128 + random.Next(180),
                    _ => Size - 1 - random.Next(200),
                };
                bytes[at] = (byte)(random.Next(3) switch { 0 => random.Next(256), 1 => 0xFF, _ => random.Next(4) });
            }
            CaseNote.Set("fuzz", round);
            Use(start, bytes, random);
        }
    }

    // Opened with validation, the page is sound; attached, it may be anything, but stays inside itself.
    private static void Use(byte* start, byte[] bytes, Random random)
    {
        bytes.CopyTo(new Span<byte>(start, Size));
        bool sound = Try(() => SortedPage.Open(new Span<byte>(start, Size)));
        if (sound) Operations(start, random, true);
        bytes.CopyTo(new Span<byte>(start, Size));
        if (Try(() => SortedPage.Attach(new Span<byte>(start, Size)))) Operations(start, random, false);
        else if (sound) throw new InvalidOperationException("Open takes what Attach refuses");
    }

    // The page is attached once: whatever an operation leaves, the next one must stay within the page too.
    private static void Operations(byte* start, Random random, bool sound)
    {
        SortedPage page = SortedPage.Attach(new Span<byte>(start, Size));
        for (int i = 0; i < 12; i++)
        {
            int what = random.Next(10);
            if (!Step(new(start, Size), page, what, random) && sound)
                throw new InvalidOperationException($"operation {what} of a page that was validated failed");
            if (sound) page.Validate();
        }
    }

    private static bool Step(Span<byte> memory, SortedPage page, int what, Random random)
    {
        byte[] key = [.. "key/"u8[..random.Next(5)], .. new byte[random.Next(random.Next(50))]];
        if (key.Length > 4) key[4] = (byte)random.Next(90);
        int position = random.Next(Math.Max(1, page.Count));
        try
        {
            switch (what)
            {
                case 0:
                    page.Find(key, out _);
                    page.Find([], out _);
                    page.Find(new byte[300], out _);
                    break;
                case 1:
                    if (key.Length < 60) page.TrySet(key, new byte[random.Next(64 - key.Length)]);
                    break;
                case 2:
                    page.Remove(key);
                    break;
                case 3:
                    if (page.Count > 0) page.RemoveAt(position);
                    break;
                case 4:
                    for (int i = 0; i < page.Count; i++) page.Value(i).Fill(7);
                    break;
                case 5:
                    ModelCheck.Compact(memory);
                    break;
                case 6:
                    page.Split(SortedPage.Create(new byte[1024]), position);
                    break;
                case 8:
                    if (page.Count > 0) page.Value(position).Fill(0xFF);
                    break;
                default:
                    if (page.Count == 0) break;
                    page.Find(page.Key(position), out _);
                    page.TrySet(page.Key(position), page.Value(position));
                    break;
            }
            return true;
        }
        catch (Exception e) when (e is PageDamagedException or ArgumentException)
        {
            // A damaged entry may also be too large to be set again, or a damaged page too full for another one.
            return false;
        }
    }

    internal static bool Try(Action use)
    {
        try
        {
            use();
            return true;
        }
        catch (PageDamagedException)
        {
            return false;
        }
    }

    [Theory, InlineData(3), InlineData(40), InlineData(300)]
    public void A_hit_is_at_a_position_that_there_is(int count)
    {
        byte[] memory = new byte[16_384];
        SortedPage page = SortedPage.Create(memory);
        for (int i = 0; i < count; i++) page.TrySet(System.Text.Encoding.ASCII.GetBytes($"{i:0000}"), []);
        // The heads are below those of the keys, so each query seems to be above all of them.
        for (int i = 0; i < count; i++) BitConverter.TryWriteBytes(memory.AsSpan(128 + 4 * i), int.MinValue + i);
        SortedPage attached = SortedPage.Attach(memory);
        for (int i = 0; i < count; i++)
            foreach (int length in (int[])[4, 40])
            {
                byte[] key = new byte[length];
                System.Text.Encoding.ASCII.GetBytes($"{i:0000}").CopyTo(key, 0);
                try
                {
                    if (attached.Find(key, out int position)) Assert.InRange(position, 0, count - 1);
                    else Assert.InRange(position, 0, count);
                }
                catch (PageDamagedException)
                {
                }
            }
    }
}

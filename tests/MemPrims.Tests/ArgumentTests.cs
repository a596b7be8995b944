namespace MemPrims.Tests;

// What is refused, and that nothing is written then; and that a block of no bytes may be anywhere, at null too.
public unsafe class ArgumentTests
{
    private delegate void Call(byte* first, byte* second, nint length);

    // Every entry that takes a length from its caller.
    private static readonly Dictionary<string, Call> s_entries = new()
    {
        ["Compare"] = (first, second, length) => Block.Compare(first, second, length),
        ["Compare with position"] = (first, second, length) => Block.Compare(first, second, length, out _),
        ["Equal"] = (first, second, length) => Block.Equal(first, second, length),
        ["CommonPrefix"] = (first, second, length) => Block.CommonPrefix(first, second, length),
        ["Copy"] = Block.Copy,
        ["CopyStreaming"] = Block.CopyStreaming,
        ["Fill"] = (first, _, length) => Block.Fill(first, length, 7),
        ["Clear"] = (first, _, length) => Block.Clear(first, length),
        ["IsZero"] = (first, _, length) => Block.IsZero(first, length),
        ["Crc32C"] = (first, _, length) => Checksum.Crc32C(first, length),
        ["Libc.Compare"] = (first, second, length) => Libc.Compare(first, second, length),
        ["Libc.Copy"] = Libc.Copy,
        ["Buffer.Memcpy"] = (first, second, length) => DropIn.Buffer.Memcpy(first, second, (int)nint.Clamp(length, int.MinValue,
            int.MaxValue)),
    };

    public static TheoryData<string> Entries => [.. s_entries.Keys];

    [Theory, MemberData(nameof(Entries))]
    public void A_negative_length_is_refused_and_nothing_is_written(string entry)
    {
        if (entry.StartsWith("Libc", StringComparison.Ordinal) && !Libc.IsAvailable) return;
        byte[] destination = new byte[4096], source = new byte[4096];
        destination.AsSpan().Fill(1);
        source.AsSpan().Fill(2);
        foreach (nint length in (ReadOnlySpan<nint>)[-1, -2, -8, -16, -63, -64, -65, -128, -256, -4096, int.MinValue, nint.MinValue,
            nint.MinValue + 1])
            fixed (byte* first = &destination[2048], second = &source[2048])
            {
                byte* to = first, from = second;
                ArgumentOutOfRangeException e = Assert.Throws<ArgumentOutOfRangeException>(() => s_entries[entry](to, from, length));
                Assert.Equal(entry == "Buffer.Memcpy" ? "len" : "length", e.ParamName);
            }
        Assert.Equal(-1, destination.AsSpan().IndexOfAnyExcept((byte)1));
        Assert.Equal(-1, source.AsSpan().IndexOfAnyExcept((byte)2));
    }

    [Theory, MemberData(nameof(Entries))]
    public void Null_is_fine_where_no_byte_is_asked_for(string entry)
    {
        if (entry.StartsWith("Libc", StringComparison.Ordinal) && !Libc.IsAvailable) return;
        byte one = 1;
        s_entries[entry](null, null, 0);
        s_entries[entry](&one, null, 0);
        s_entries[entry](null, &one, 0);
        Assert.Equal(1, one);
    }

    [Fact]
    public void Blocks_of_no_bytes_are_equal_and_zero()
    {
        byte one = 1, two = 2;
        Assert.Equal(0, Block.Compare(&one, &two, 0));
        Assert.Equal(0, Block.Compare(&one, &two, 0, out nint position));
        Assert.Equal(0, position);
        Assert.Equal(0, Block.Compare(default(ReadOnlySpan<byte>), []));
        Assert.True(Block.Equal(&one, &two, 0));
        Assert.True(Block.Equal(default(ReadOnlySpan<byte>), []));
        Assert.Equal(0, Block.CommonPrefix(null, null, 0));
        Assert.Equal(0, Block.CommonPrefix(default(ReadOnlySpan<byte>), []));
        Assert.True(Block.IsZero(&one, 0));
        Block.Copy(default(Span<byte>), []);
    }

    [Theory, InlineData(0, 1), InlineData(7, 8), InlineData(16, 17), InlineData(63, 64), InlineData(64, 65), InlineData(199, 200),
        InlineData(0, 5000), InlineData(4999, 5000)]
    public void A_destination_that_is_too_short_is_refused_and_nothing_is_written(int room, int length)
    {
        byte[] destination = new byte[8192];
        destination.AsSpan().Fill(1);
        ArgumentException e = Assert.Throws<ArgumentException>(() => Block.Copy(destination.AsSpan(100, room), new byte[length]));
        Assert.Equal("destination", e.ParamName);
        Assert.Equal(-1, destination.AsSpan().IndexOfAnyExcept((byte)1));
    }

    [Fact]
    public void A_destination_may_be_longer_than_the_source()
    {
        byte[] destination = [9, 9, 9, 9];
        Block.Copy(destination, [1, 2, 3]);
        Assert.Equal([1, 2, 3, 9], destination);
    }
}

using MemPrims.Tests.Buffers;

namespace MemPrims.Tests;

public unsafe class ChecksumTests
{
    [Theory, MemberData(nameof(Crc32CKernels.Table), MemberType = typeof(Crc32CKernels))]
    public void The_standard_check_values_come_out(string name)
    {
        Assert.Equal(0xE306_9283u, Of(name, "123456789"u8));
        Assert.Equal(0x0000_0000u, Of(name, []));
        // The examples of iSCSI, RFC 3720.
        Assert.Equal(0x8A91_36AAu, Of(name, new byte[32]));
        Assert.Equal(0x62A8_AB43u, Of(name, Enumerable.Repeat((byte)0xFF, 32).ToArray()));
        Assert.Equal(0x46DD_794Eu, Of(name, Enumerable.Range(0, 32).Select(i => (byte)i).ToArray()));
    }

    [Theory, MemberData(nameof(Crc32CKernels.Table), MemberType = typeof(Crc32CKernels))]
    public void Every_length_has_the_checksum_of_the_bitwise_definition(string name)
    {
        using AlignedMemory memory = new(5000);
        Seeds.Random().NextBytes(new Span<byte>(memory.Start, 5000));
        foreach (uint seed in (ReadOnlySpan<uint>)[0, uint.MaxValue, 0x1234_5678])
            for (int offset = 0; offset < 17; offset++)
                Check(Crc32CKernels.Table[name], memory.Start + offset, 4900, seed, step: 1);
    }

    [Theory, MemberData(nameof(Crc32CKernels.Table), MemberType = typeof(Crc32CKernels))]
    public void Long_blocks_have_the_checksum_of_the_bitwise_definition(string name)
    {
        const int length = 1 << 20;
        using AlignedMemory memory = new(length + 64);
        Seeds.Random().NextBytes(new Span<byte>(memory.Start, length + 64));
        Check(Crc32CKernels.Table[name], memory.Start + 3, length, seed: 99, step: 4001);
    }

    [Fact]
    public void A_sequence_has_the_sum_of_its_bytes()
    {
        byte[] bytes = new byte[5000];
        Seeds.Random().NextBytes(bytes);
        foreach (int size in new[] { 1, 3, 100, 777, 5000 })
            Assert.Equal(Checksum.Crc32C(5, bytes), Checksum.Crc32C(5, ReaderTests.Cut(bytes, size)));
    }

    [LargeMemoryFact]
    public void Bytes_past_4_GiB_count()
    {
        using RepeatedMemory memory = new();
        Seeds.Random(1).NextBytes(memory.Repeated);
        Seeds.Random(2).NextBytes(new Span<byte>(memory.Tail, 5000));
        uint crc = 0;
        for (nint offset = 0; offset < RepeatedMemory.TailOffset; offset += RepeatedMemory.Window)
            crc = Checksum.Crc32C(crc, memory.Repeated);
        crc = Checksum.Crc32C(crc, memory.Tail, 5000);
        foreach (Kernel<Crc32CBlock> kernel in Crc32CKernels.Table.Takes64BitLengths)
            Assert.True(kernel.Run(memory.Start, RepeatedMemory.TailOffset + 5000, 0) == crc, kernel.Name);
    }

    [Fact]
    public void Summing_stays_between_the_guards() => Child.Run(BetweenGuards).AssertSucceeded();

    private static void BetweenGuards(string[] _)
    {
        foreach (Kernel<Crc32CBlock> kernel in Crc32CKernels.Table.Supported)
            GuardSweep.Run(kernel.Name, (block, length) => kernel.Run(block, length, 0));
    }

    private static uint Of(string name, ReadOnlySpan<byte> source)
    {
        fixed (byte* start = source) return Crc32CKernels.Table[name].Run(start, source.Length, 0);
    }

    private static void Check(Kernel<Crc32CBlock> kernel, byte* source, int longest, uint seed, int step)
    {
        uint state = ~seed;
        for (int length = 0; length <= longest; length++)
        {
            if (length % step == 0 && kernel.Run(source, length, seed) is var crc && crc != ~state)
                Assert.Fail($"{kernel.Name}: {length} bytes, {(nint)source % 64} past a multiple of 64, seed {seed:X}: {crc:X8} instead "
                    + $"of {~state:X8}");
            state = Add(state, source[length]);
        }
    }

    // The definition, bit by bit: the Castagnoli polynomial, reflected.
    private static uint Add(uint state, byte next)
    {
        state ^= next;
        for (int bit = 0; bit < 8; bit++) state = state >> 1 ^ (0 - (state & 1) & 0x82F6_3B78);
        return state;
    }
}

using System.Diagnostics.CodeAnalysis;

namespace MemPrims.Tests;

public unsafe class CopyTests
{
    [Theory, MemberData(nameof(CopyKernels.Table), MemberType = typeof(CopyKernels))]
    public void Every_length_is_copied_at_every_overlap(string name)
    {
        Kernel<CopyBlock> kernel = CopyKernels.Table[name];
        using CopyBench bench = new(8192);
        // The last one comes close to the end of a page, where kernels take another path.
        foreach (int source in LongRuns.Of<int[]>([201, 4085], [192, 201, 223, 255, 4085]))
            for (int length = 0; length <= 600; length++)
                for (int distance = -130; distance <= 130; distance++)
                    bench.Check(kernel, source + distance, source, length);
    }

    [Theory, MemberData(nameof(CopyKernels.Table), MemberType = typeof(CopyKernels))]
    public void Every_length_is_copied_at_every_alignment(string name)
    {
        Kernel<CopyBlock> kernel = CopyKernels.Table[name];
        using CopyBench bench = new(3072);
        for (int length = 0; length <= 1100; length++)
            for (int alignment = 0; alignment < 64; alignment++)
                bench.Check(kernel, destination: 64 + alignment, source: 1600 + (alignment * 7 + length) % 64, length);
    }

    [Theory, MemberData(nameof(CopyKernels.Table), MemberType = typeof(CopyKernels))]
    public void Large_blocks_are_copied_at_near_and_far_distances(string name)
    {
        Kernel<CopyBlock> kernel = CopyKernels.Table[name];
        using CopyBench bench = new(3 << 20);
        const int source = (1 << 20) + 77;
        Random random = Seeds.Random();
        for (int length = 1200; length <= 1 << 20; length += length / 4 + random.Next(63))
            foreach (int near in (ReadOnlySpan<int>)[0, 1, 2, 8, 31, 64, 65, 127, 256, 4095, length / 2 + 1, length - 1, length])
                foreach (int distance in (ReadOnlySpan<int>)[near, -near])
                    bench.Check(kernel, source + distance, source, length);
    }

    [Fact]
    public void Streaming_copies_every_length_from_4_KiB_at_every_alignment()
    {
        Kernel<CopyBlock> kernel = CopyKernels.Table["Block.CopyStreaming"];
        using CopyBench bench = new(16384);
        for (int length = 4090; length <= 4700; length++)
            for (int alignment = 0; alignment < 64; alignment++)
                bench.Check(kernel, destination: 64 + alignment, source: 8192 + (alignment * 7 + length) % 64, length);
    }

    [Fact]
    public void Streaming_copies_several_megabytes_at_any_alignment()
    {
        Kernel<CopyBlock> kernel = CopyKernels.Table["Block.CopyStreaming"];
        using CopyBench bench = new(13 << 20);
        Random random = Seeds.Random();
        for (int round = 0; round < 12; round++)
            bench.Check(kernel, destination: 64 + random.Next(64), source: (13 << 19) + random.Next(64),
                length: (1 << 20) + random.Next(5 << 20));
    }

    [Fact]
    public void Every_length_is_filled_or_cleared_and_nothing_else()
    {
        Filled("Block.Fill", 0xA5, Block.Fill);
        Filled("Block.Fill", 0x00, Block.Fill);
        Filled("Block.Clear", 0x00, (destination, length, _) => Block.Clear(destination, length));
    }

    private delegate void FillBlock(byte* destination, nint length, byte value);

    private static void Filled(string name, byte value, FillBlock fill)
    {
        const int longest = 1100, before = 4096 - 32;
        using AlignedMemory memory = new(before + 64 + longest + 130);
        Span<byte> all = new(memory.Start, (int)memory.Length);
        all.Fill(0x5A);
        for (int alignment = 0; alignment < 64; alignment++)
            for (int length = 0; length <= longest; length++)
            {
                int start = before + alignment;
                fill(memory.Start + start, length, value);
                if (all[start..(start + length)].ContainsAnyExcept(value) || all[..start].ContainsAnyExcept((byte)0x5A)
                    || all[(start + length)..].ContainsAnyExcept((byte)0x5A))
                    Assert.Fail($"{name} of {length} bytes with {value}, {start} past a multiple of 4096");
                all[start..(start + length)].Fill(0x5A);
            }
    }
}

// A block of random bytes, and the same again to be copied in: after a copy, what was meant to change did, and nothing else.
internal sealed unsafe class CopyBench : IDisposable
{
    private readonly AlignedMemory _model, _actual;

    public CopyBench(int size)
    {
        _model = new(size);
        _actual = new(size);
        Seeds.Random().NextBytes(Model);
        Model.CopyTo(Actual);
    }

    private Span<byte> Model => new(_model.Start, (int)_model.Length);

    private Span<byte> Actual => new(_actual.Start, (int)_actual.Length);

    public void Check(Kernel<CopyBlock> kernel, int destination, int source, int length)
    {
        // A margin is enough to look at: what strays farther would be found at a shorter length.
        int from = Math.Max(0, destination - 256), to = (int)Math.Min(_model.Length, destination + length + 256);
        kernel.Run(_actual.Start + destination, _actual.Start + source, length);
        bool right = Actual.Slice(destination, length).SequenceEqual(Model.Slice(source, length))
            && Actual[from..destination].SequenceEqual(Model[from..destination])
            && Actual[(destination + length)..to].SequenceEqual(Model[(destination + length)..to]);
        if (!right) Fail(kernel.Name, destination, source, length);
        Model[from..to].CopyTo(Actual[from..to]);
    }

    public void Dispose()
    {
        _model.Dispose();
        _actual.Dispose();
    }

    [DoesNotReturn]
    private void Fail(string name, int destination, int source, int length)
    {
        Span<byte> expected = Model.ToArray();
        Model.Slice(source, length).CopyTo(expected[destination..]);
        Assert.Fail(
            $"{name}: {length} bytes from {source} to {destination} (distance {destination - source}): "
            + $"byte {expected.CommonPrefixLength(Actual) - destination} after the destination is wrong");
    }
}

using MemPrims.Sets;
using static MemPrims.Tests.Sets.KernelCheck;

namespace MemPrims.Tests.Sets;

// Tests the kernels under pairs of containers, called by themselves, against loops over all ids. Sources end at a guard page, and
// destinations end behind their slack.
public sealed unsafe class PairKernelTests
{
    private const int Universe = 65536;
    private static readonly int[] s_lengths = [1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 34, 63, 64, 65, 66, 67, 97, 128, 255, 256, 257,
        513, 1000, 3000, 4096];

    [Fact]
    public void Ids_become_bits()
    {
        Random random = Seeds.Random();
        using GuardedMemory memory = new(16384), bitmap = new(Bitmap.Bytes);
        ulong* words = (ulong*)bitmap.EndingAtGuard(Bitmap.Bytes);
        foreach (ushort[] ids in Arrays(random))
        {
            bool[] bits = Bits(ids);
            new Span<ulong>(words, Bitmap.WordCount).Fill(random.NextInt64() is long any ? (ulong)any : 0);
            BitmapFill.Ids(ref *words, AtGuard(memory, ids));
            Same(bits, words, $"{ids.Length} ids from {ids[0]}");
        }
    }

    [Fact]
    public void Runs_become_bits_and_bits_runs()
    {
        Random random = Seeds.Random();
        using GuardedMemory memory = new(16384), bitmap = new(Bitmap.Bytes);
        ulong* words = (ulong*)bitmap.EndingAtGuard(Bitmap.Bytes);
        foreach (Run[] runs in RunLists(random))
        {
            bool[] bits = Bits(runs);
            new Span<ulong>(words, Bitmap.WordCount).Fill(0xAAAA_5555_0F0F_1234);
            BitmapRuns.Expand(ref *words, AtGuard(memory, runs));
            Same(bits, words, $"{runs.Length} runs from {runs[0].Start}");
            int stretches = 0;
            for (int id = 0; id < Universe; id++) stretches += bits[id] && (id == 0 || !bits[id - 1]) ? 1 : 0;
            ulong[] edges = new ulong[Bitmap.WordCount];
            Assert.Equal(stretches, BitmapRuns.Edges(ref *words, ref edges[0]));
            if (stretches > RunOverlap.MostRuns) continue;
            Run[] extracted = new Run[stretches];
            BitmapRuns.OfEdges(ref edges[0], extracted);
            Assert.Equal(bits, Bits(extracted));
        }
    }

    [Fact]
    public void Bits_inside_runs_are_counted()
    {
        Random random = Seeds.Random();
        using GuardedMemory memory = new(16384), bitmap = new(Bitmap.Bytes);
        ulong* words = (ulong*)bitmap.EndingAtGuard(Bitmap.Bytes);
        // Short runs: in one word, over two, from and to the edge of a word, at both ends of the container.
        Run[][] shortRuns = [[new(0, 0)], [new(65535, 65535)], [new(63, 64)], [new(0, 63), new(128, 191)], [new(65472, 65535)],
            [.. Enumerable.Range(0, 500).Select(i => new Run(i * 131, i * 131 + i % 67))]];
        foreach (Run[] runs in RunLists(random).Concat(shortRuns))
        {
            random.NextBytes(new Span<byte>(words, Bitmap.Bytes));
            bool[] bits = Bits(runs);
            int there = bits.Count(inside => inside), expected = 0;
            for (int id = 0; id < Universe; id++) expected += bits[id] && (words[id >> 6] >> id & 1) != 0 ? 1 : 0;
            // The number of ids only chooses the way. It may be wrong in bytes that nobody has checked.
            foreach (int ids in new[] { 1, there, Universe })
                Assert.Equal(expected, BitmapRuns.CountIn(ref *words, AtGuard(memory, runs), ids));
        }
    }

    [Fact]
    public void Edges_of_ids_and_runs_are_where_ids_begin_and_end()
    {
        Random random = Seeds.Random();
        using GuardedMemory memory = new(16384);
        foreach (ushort[] ids in Arrays(random))
        {
            ushort[] to = new ushort[2 * ids.Length + EdgeList.Slack];
            Assert.Equal(Edges(Bits(ids)), to[..EdgeList.OfIds(AtGuard(memory, ids), ref to[0])]);
        }
        foreach (Run[] runs in RunLists(random))
        {
            ushort[] to = new ushort[2 * runs.Length + EdgeList.Slack];
            Assert.Equal(Edges(Bits(runs)), to[..EdgeList.OfRuns(AtGuard(memory, runs), ref to[0])]);
        }
    }

    [Fact]
    public void Lists_of_edges_are_merged_and_spliced()
    {
        Random random = Seeds.Random();
        bool[][] shapes = [.. Arrays(random).Where((_, i) => i % 5 == 0).Select(Bits), .. RunLists(random).Where((_,
            i) => i % 3 == 0).Select(Bits), new bool[Universe]];
        foreach (bool[] a in shapes)
        {
            foreach (bool[] b in shapes.Where(_ => random.Next(LongRuns.Of(12, 1)) == 0))
            {
                Combined<AndIds>(a, b, (x, y) => x & y);
                Combined<OrIds>(a, b, (x, y) => x | y);
                Combined<XorIds>(a, b, (x, y) => x ^ y);
                Combined<AndNotIds>(a, b, (x, y) => x & !y);
                Combined<Exchanged<AndNotIds>>(a, b, (x, y) => y & !x);
            }
        }

        static void Combined<TOperation>(bool[] a, bool[] b, Func<bool, bool, bool> operation) where TOperation : struct, IIdOperation
        {
            bool[] both = new bool[Universe];
            for (int id = 0; id < Universe; id++) both[id] = operation(a[id], b[id]);
            ushort[] left = Edges(a), right = Edges(b), wanted = Edges(both);
            // The edge behind the last id is written as 0.
            if (wanted.Length % 2 != 0) wanted = [.. wanted, 0];
            ushort[] to = new ushort[left.Length + right.Length + EdgeList.Slack];
            Assert.Equal(wanted, to[..EdgeList.Merge<TOperation>(left, right, ref to[0])]);
            Array.Fill<ushort>(to, 77);
            ushort[] withSlack = [.. right, .. new ushort[EdgeList.Slack]];
            Assert.Equal(wanted, to[..EdgeList.Splice<TOperation>(left, withSlack.AsSpan(0, right.Length), ref to[0])]);
        }
    }

    [Fact]
    public void Arrays_of_all_lengths_are_merged()
    {
        Random random = Seeds.Random();
        using GuardedMemory first = new(8192), second = new(8192);
        ushort[][] arrays = [.. Arrays(random)];
        foreach (ushort[] a in arrays)
        {
            foreach (ushort[] b in arrays.Where(_ => random.Next(LongRuns.Of(40, 6)) == 0).Append(a))
            {
                ushort[] and = [.. a.Intersect(b)], or = [.. a.Union(b).Order()], xor = [.. or.Except(and)], andNot = [.. a.Except(b)];
                Is(a, b, and, ArrayMerge.Write<AndIds>);
                Is(a, b, or, ArrayMerge.Write<OrIds>);
                Is(a, b, xor, ArrayMerge.Write<XorIds>);
                Is(a, b, or, ArrayPairs.Join<OrIds>);
                Is(a, b, xor, ArrayPairs.Join<XorIds>);
                Is(a, b, and, ArrayPairs.And);
                Is(a, b, andNot, ArrayPairs.AndNot);
                if (FewInVector.Suit(a, b))
                {
                    Is(a, b, and, FewInVector.Select<AndIds>);
                    Is(a, b, andNot, FewInVector.Select<AndNotIds>);
                    Assert.Equal(and.Length, FewInVector.Count(AtGuard(first, a), AtGuard(second, b)));
                }
            }
        }

        void Is(ushort[] a, ushort[] b, ushort[] wanted, Kernel kernel)
        {
            const ushort canary = 0xBEEF;
            int room = a.Length + b.Length + ArrayMerge.Slack;
            ushort[] to = new ushort[room + 64];
            Array.Fill(to, canary);
            int count = kernel(AtGuard(first, a), AtGuard(second, b), ref to[0]);
            if (!wanted.AsSpan().SequenceEqual(to.AsSpan(0, count)))
                Assert.Fail($"{kernel.Method.Name} of {a.Length} and {b.Length} ids: {count}, not {wanted.Length}");
            Assert.False(to.AsSpan(room).ContainsAnyExcept(canary));
        }
    }

    private delegate int Kernel(ReadOnlySpan<ushort> a, ReadOnlySpan<ushort> b, ref ushort to);

    private static IEnumerable<ushort[]> Arrays(Random random)
    {
        foreach (int length in s_lengths)
        {
            yield return Pick(random, length, 0, Universe);
            // Neighbours, ids at both ends of the container, and ids around the middle, where the difference is cut.
            yield return Pick(random, length, 0, Math.Max(length + length / 3, 4));
            yield return Pick(random, length, Universe - Math.Max(length + length / 3, 4), Universe);
            yield return Pick(random, length, 32768 - length, 32768 + length);
        }
        yield return [0];
        yield return [ushort.MaxValue];
        yield return [32767];
        yield return [32767, 32768];
        yield return [0, ushort.MaxValue];
        yield return [.. Enumerable.Range(0, 4096).Select(id => (ushort)(id * 16))];
        yield return [.. Enumerable.Range(0, 64).Select(id => (ushort)(id + 640))];
        yield return [.. Enumerable.Range(0, 200).Select(id => (ushort)(id + 65336))];
    }

    private static IEnumerable<Run[]> RunLists(Random random)
    {
        foreach (int count in new[] { 1, 2, 7, 8, 9, 20, 63, 64, 65, 66, 130, 500, 1000, 2047, 2048 })
        {
            for (int kind = 0; kind < 4; kind++)
            {
                HashSet<int> cuts = kind == 1 ? [0, Universe] : [];
                int from = kind == 2 ? 20_000 : 0, to = kind == 2 ? 20_000 + Math.Max(2 * count + 10, 40) : Universe;
                while (cuts.Count < 2 * count) cuts.Add(random.Next(from, to));
                Run[] runs = [.. cuts.Order().Chunk(2).Select(run => new Run(run[0], run[1] - 1))];
                // Runs that touch, which other writers make.
                if (kind == 3 && count > 2) runs[1] = new(runs[0].End + 1, runs[1].End);
                yield return runs;
            }
        }
    }

    private static ushort[] Pick(Random random, int count, int from, int to)
    {
        HashSet<int> ids = [];
        while (ids.Count < count) ids.Add(random.Next(from, to));
        return [.. ids.Order().Select(id => (ushort)id)];
    }

    private static ReadOnlySpan<T> AtGuard<T>(GuardedMemory memory, T[] items) where T : unmanaged
    {
        Span<T> place = new(memory.EndingAtGuard(items.Length * sizeof(T)), items.Length);
        items.CopyTo(place);
        return place;
    }

    private static ushort[] Edges(bool[] bits)
    {
        List<ushort> edges = [];
        for (int id = 0; id < Universe; id++)
            if (bits[id] != (id > 0 && bits[id - 1])) edges.Add((ushort)id);
        return [.. edges];
    }

    private static void Same(bool[] bits, ulong* words, string name)
    {
        for (int id = 0; id < Universe; id++)
            if (bits[id] != ((words[id >> 6] >> id & 1) != 0)) Assert.Fail($"{name}: {id} is {!bits[id]}");
    }
}

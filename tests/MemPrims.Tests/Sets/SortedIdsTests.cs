using System.Runtime.InteropServices;
using FsCheck;
using FsCheck.Fluent;
using MemPrims.Sets;

namespace MemPrims.Tests.Sets;

public class SortedIdsTests
{
    [Fact]
    public void All_pairs_of_subsets_of_eight_ids_are_counted_and_combined_as_by_HashSet()
    {
        uint[][] subsets = [.. Enumerable.Range(0, 256).Select(
            bits => Enumerable.Range(0, 8).Where(i => (bits >> i & 1) != 0).Select(i => (uint)i * 3).ToArray())];
        foreach (uint[] a in subsets)
            foreach (uint[] b in subsets) CheckAll(a, b);
    }

    [Theory]
    [InlineData(0.02), InlineData(0.3), InlineData(0.9)]
    public void Random_pairs_of_every_length_agree_with_HashSet(double density)
    {
        Random random = Seeds.Random();
        for (int round = 0; round < 400 * Seeds.Scale; round++)
            CheckAll(SampleIds.Random(random, random.Next(300), density), SampleIds.Random(random, random.Next(300), density));
    }

    [Fact]
    public void Uneven_pairs_agree_with_HashSet()
    {
        Random random = Seeds.Random();
        for (int round = 0; round < 60 * Seeds.Scale; round++)
        {
            uint[] many = SampleIds.Random(random, random.Next(5_000, 30_000), 0.2);
            uint[] few = [.. many.Where(_ => random.Next(many.Length) < 20).Concat(
                SampleIds.Random(random, 20, 0.0005)).Order().Distinct()];
            CheckAll(few, many);
        }
    }

    [Fact]
    public void FsCheck_finds_no_pair_that_disagrees_with_HashSet()
    {
        Prop.ForAll<uint[], uint[]>((x, y) => CheckAll([.. x.Order().Distinct()], [.. y.Order().Distinct()])).QuickCheckThrowOnFailure();
    }

    [Fact]
    public void The_greatest_ids_are_found()
    {
        CheckAll([0, uint.MaxValue - 1, uint.MaxValue], [uint.MaxValue]);
        ulong[] high = [.. Enumerable.Range(0, 100).Select(i => ulong.MaxValue - 99 + (ulong)i)];
        Assert.Equal(50, SortedIds.CountIntersection(high, high.AsSpan(50)));
    }

    // Zeros up to the last id: their pages are those that a search reads, and no others take memory.
    [Theory, InlineData(1 << 26), InlineData(1 << 27)]
    public unsafe void One_id_is_found_among_very_many(int length)
    {
        uint* many = (uint*)NativeMemory.AllocZeroed((nuint)length, sizeof(uint));
        try
        {
            many[length - 1] = 7;
            ReadOnlySpan<uint> ids = new(many, length);
            foreach (uint one in (uint[])[6, 7, 8])
            {
                Assert.Equal(one == 7 ? 1 : 0, SortedIds.CountIntersection(ids, [one]));
                Assert.Equal(one == 7 ? 1 : 0, SortedIds.CountIntersection([one], ids));
                Assert.Equal(one == 7 ? 1 : 0, SortedIds.Intersect([one], ids, new uint[1]));
            }
        }
        finally
        {
            NativeMemory.Free(many);
        }
    }

    [Fact]
    public void A_break_of_order_is_found_at_every_position()
    {
        for (int length = 0; length < 150; length++)
        {
            uint[] ids = [.. Enumerable.Range(0, length).Select(i => (uint)i * 2)];
            Assert.True(SortedIds.IsSorted(ids));
            for (int at = 1; at < length; at++)
            {
                foreach (uint wrong in new[] { ids[at - 1], 0u })
                {
                    uint[] broken = [.. ids];
                    broken[at] = wrong;
                    ulong[] wide = [.. broken.Select(id => (ulong)id << 20)];
                    Assert.False(SortedIds.IsSorted(broken) || SortedIds.IsSorted(wide));
                    Assert.Equal((at, at), (SortedKernels.FirstDisorder<uint>(broken), SortedKernels.FirstDisorder<ulong>(wide)));
                }
            }
        }
    }

    [Fact]
    public void The_checked_form_says_where_the_order_breaks()
    {
        SortedIds.CheckSorted([1u, 2, 3]);
        ArgumentException thrown = Assert.Throws<ArgumentException>(() => SortedIds.CheckSorted([5u, 9, 9]));
        Assert.Contains("position 2", thrown.Message);
        Assert.Contains("id 9 follows 9", thrown.Message);
    }

    [Fact]
    public void A_destination_of_the_result_s_length_is_enough_and_one_less_is_refused_untouched()
    {
        Random random = Seeds.Random();
        for (int round = 0; round < 100; round++)
        {
            uint[] a = SampleIds.Random(random, 200, 0.5), b = SampleIds.Random(random, 150, 0.5);
            Exact(a.Intersect(b), (x, y, to) => SortedIds.Intersect(x, y, to));
            Exact(a.Union(b), (x, y, to) => SortedIds.Union(x, y, to));
            Exact(a.Except(b), (x, y, to) => SortedIds.Except(x, y, to));

            void Exact(IEnumerable<uint> result, Func<uint[], uint[], uint[], int> run)
            {
                uint[] expected = [.. result.Order()], exact = new uint[expected.Length];
                Assert.Equal(expected.Length, run(a, b, exact));
                Assert.Equal(expected, exact);
                if (expected.Length == 0) return;
                uint[] tooShort = [.. Enumerable.Repeat(77u, expected.Length - 1)];
                ArgumentException thrown = Assert.Throws<ArgumentException>(() => run(a, b, tooShort));
                Assert.Contains($"{expected.Length} ids", thrown.Message);
                Assert.All(tooShort, id => Assert.Equal(77u, id));
            }
        }
    }

    [Fact]
    public void Nothing_outside_the_arrays_is_touched_sorted_or_not() => Child.Run(TouchOnlyTheArrays).AssertSucceeded();

    private static unsafe void TouchOnlyTheArrays(string[] arguments)
    {
        using GuardedMemory left = new(8192), right = new(8192), to = new(16384);
        Random random = Seeds.Random();
        for (int round = 0; round < 4000; round++)
        {
            int n = random.Next(round % 10 == 0 ? 1500 : 100), m = random.Next(100);
            bool sorted = round % 2 == 0;
            CaseNote.Set("sets of sorted ids", n, m, round);
            Span<uint> a = new(left.EndingAtGuard(n * 4), n), b = new(right.EndingAtGuard(m * 4), m);
            Fill(a);
            Fill(b);
            Check<uint>(a, b);
            Span<ulong> wideA = new(left.EndingAtGuard(n / 2 * 8), n / 2), wideB = new(right.EndingAtGuard(m / 2 * 8), m / 2);
            Check<ulong>(wideA, wideB);

            void Fill(Span<uint> ids)
            {
                uint next = 0;
                foreach (ref uint id in ids) id = sorted ? next += (uint)random.Next(1, 4) : (uint)random.Next(20);
            }

            void Check<T>(ReadOnlySpan<T> x, ReadOnlySpan<T> y) where T : unmanaged, System.Numerics.IBinaryInteger<T>
            {
                Both(x, y);
                Both(y, x);

                void Both(ReadOnlySpan<T> first, ReadOnlySpan<T> second)
                {
                    SortedKernels.Count(first, second);
                    SortedKernels.FirstDisorder(first);
                    SortedSearch.LowerBound(first, T.One);
                    SortedKernels.Combine<T, AndIds>(first, second, Room(Math.Min(first.Length, second.Length)));
                    SortedKernels.Combine<T, AndNotIds>(first, second, Room(first.Length));
                    SortedKernels.Combine<T, OrIds>(first, second, Room(first.Length + second.Length));
                }

                Span<T> Room(int length) => new(to.EndingAtGuard(length * sizeof(T)), length);
            }
        }
    }

    private static void CheckAll(uint[] a, uint[] b)
    {
        KernelCheck.Pair<uint>(a, b);
        // On both sides of 2⁶³, where signed and unsigned order differ.
        ulong middle = (1ul << 63) - (a.Length > 0 ? (ulong)a[a.Length / 2] << 17 : 0);
        KernelCheck.Pair<ulong>([.. a.Select(id => middle + ((ulong)id << 17))], [.. b.Select(id => middle + ((ulong)id << 17))]);
        if ((a.Length == 0 || a[^1] <= ushort.MaxValue) && (b.Length == 0 || b[^1] <= ushort.MaxValue))
            KernelCheck.Pair<ushort>([.. a.Select(id => (ushort)id)], [.. b.Select(id => (ushort)id)]);
        int count = a.Intersect(b).Count();
        Assert.Equal(count, SortedIds.CountIntersection(a, b));
    }
}

using System.Numerics;
using System.Runtime.CompilerServices;
using MemPrims.Benchmarks.Ratio;
using MemPrims.Pages;

namespace MemPrims.Benchmarks.Pages;

/// <summary>
/// Finding a number in one of 16 rows, each query waiting for the one before (dependent) or not; half of the queries are the number after
/// one that is there. Designs for 1,000 numbers of 32 bits on Zen 5, ns, independent: BinarySearch 50, halves without a branch 18, sixteen
/// parts 14, eight parts and a block of vectors (stayed) 12. Numbers of 128 bits by .NET's operator took what BinarySearch does.
/// </summary>
internal sealed class SlotNumberCases : IRatioCases
{
    private const double Goal = 4;

    public static IEnumerable<RatioCase> Cases()
    {
        foreach (int count in (int[])[100, 500, 1_000, 4_000])
        {
            yield return Search<int, Independent>(count);
            yield return Search<int, Dependent>(count);
            yield return Search<ulong, Independent>(count / 2);
            yield return Search<ulong, Dependent>(count / 2);
            yield return Search<UInt128, Independent>(count / 4);
            yield return Search<UInt128, Dependent>(count / 4);
        }
    }

    private static RatioCase Search<TNumber, TQueries>(int count)
        where TNumber : unmanaged, IBinaryInteger<TNumber>
        where TQueries : struct =>
        new("slot numbers", $"{typeof(TNumber).Name}, {count:N0}, {typeof(TQueries).Name.ToLowerInvariant()}", () =>
        {
            NumberWork<TNumber> work = new(count);
            return new(NumberWork<TNumber>.Queries, new("SlotSearch", work.Own<TQueries>),
                new Contender("BinarySearch", work.Bcl<TQueries>, Goal))
            {
                Redraw = work.Redraw,
            };
        });

    // The row begins where the last answer says: at 0, since positions are not negative.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Start<TQueries>(int last) => typeof(TQueries) == typeof(Dependent) ? last >>> 31 : 0;

    private readonly struct Independent;

    private readonly struct Dependent;

    private sealed class NumberWork<TNumber> where TNumber : unmanaged, IBinaryInteger<TNumber>
    {
        public const int Queries = 4096;
        private const int Rows = 16;

        private readonly Random _random = new(6);
        private readonly TNumber[][] _rows = new TNumber[Rows][];
        private readonly TNumber[] _queries = new TNumber[Queries];
        private readonly int[] _rowOf = new int[Queries];

        public NumberWork(int count)
        {
            for (int row = 0; row < Rows; row++) _rows[row] = Draw(count);
            Redraw();
            for (int query = 0; query < Queries; query++)
            {
                TNumber[] numbers = _rows[_rowOf[query]];
                int place = BinarySearch(numbers, _queries[query], out bool found);
                if (SlotSearch.Find(numbers, _queries[query], out bool ours) != place || ours != found)
                    throw new InvalidOperationException($"{_queries[query]} is not found where BinarySearch finds it.");
            }
        }

        public void Redraw()
        {
            for (int query = 0; query < Queries; query++)
            {
                TNumber[] numbers = _rows[_rowOf[query] = _random.Next(Rows)];
                _queries[query] = numbers[_random.Next(numbers.Length)];
                if (_random.Next(2) == 0) _queries[query]++;
            }
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public long Own<TQueries>()
        {
            long sum = 0;
            int last = 0;
            for (int query = 0; query < Queries; query++)
            {
                last = SlotSearch.Find(_rows[_rowOf[query]].AsSpan(Start<TQueries>(last)), _queries[query], out bool found);
                sum += 2 * last + Unsafe.BitCast<bool, byte>(found);
            }
            return sum;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public long Bcl<TQueries>()
        {
            long sum = 0;
            int last = 0;
            for (int query = 0; query < Queries; query++)
            {
                last = BinarySearch(_rows[_rowOf[query]].AsSpan(Start<TQueries>(last)), _queries[query], out bool found);
                sum += 2 * last + Unsafe.BitCast<bool, byte>(found);
            }
            return sum;
        }

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        private static int BinarySearch(ReadOnlySpan<TNumber> numbers, TNumber number, out bool found)
        {
            int place = numbers.BinarySearch(number);
            found = place >= 0;
            return found ? place : ~place;
        }

        private TNumber[] Draw(int count)
        {
            SortedSet<TNumber> numbers = [];
            while (numbers.Count < count)
                numbers.Add(TNumber.CreateTruncating(new UInt128((ulong)_random.NextInt64(), (ulong)_random.NextInt64())));
            return [.. numbers];
        }
    }
}

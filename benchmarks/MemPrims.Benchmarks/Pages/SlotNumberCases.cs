using System.Numerics;
using System.Runtime.CompilerServices;
using MemPrims.Benchmarks.Ratio;
using MemPrims.Pages;

namespace MemPrims.Benchmarks.Pages;

/// <summary>
/// Finding a number in one of 16 rows, or of 24,000 ("96 MB"), which no cache has, each query waiting for the one before (dependent) or
/// not; half of the queries are the number after one that is there. Designs for 1,000 numbers of 64 bits on Zen 5, ns, independent:
///
///                                                            in 16 rows  in 96 MB
///   BinarySearch                                                  54        208
///   halves down to a block of 256 bytes, with a branch            28        177
///   so, without one                                               13        313
///   so, and both numbers that may be next asked for               15        271
///   eight parts, and a block of 128 bytes                         18        376
///   four parts, and a block of 256 bytes (stayed)                 12        260
///
/// Numbers of 128 bits by .NET's operator took what BinarySearch does.
/// </summary>
internal sealed class SlotNumberCases : IRatioCases
{
    private const double Goal = 4;
    private const int Hot = 16, Cold = 24_000;

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
        yield return Search<int, Independent>(1_000, Cold);
        yield return Search<ulong, Independent>(500, Cold);
    }

    private static RatioCase Search<TNumber, TQueries>(int count, int rows = Hot)
        where TNumber : unmanaged, IBinaryInteger<TNumber>
        where TQueries : struct =>
        new(rows == Hot ? "slot numbers" : "slot numbers, 96 MB",
            $"{typeof(TNumber).Name}, {count:N0}, {typeof(TQueries).Name.ToLowerInvariant()}", () =>
        {
            NumberWork<TNumber> work = new(count, rows);
            return new(NumberWork<TNumber>.Queries, new("SlotSearch", work.Own<TQueries>),
                new Contender("BinarySearch", work.Bcl<TQueries>, rows == Hot ? Goal : 0.8))
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

        private readonly Random _random = new(6);
        private readonly TNumber[][] _rows;
        private readonly TNumber[] _queries = new TNumber[Queries];
        private readonly int[] _rowOf = new int[Queries];

        public NumberWork(int count, int rows)
        {
            _rows = new TNumber[rows][];
            for (int row = 0; row < rows; row++) _rows[row] = Draw(count);
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
                TNumber[] numbers = _rows[_rowOf[query] = _random.Next(_rows.Length)];
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

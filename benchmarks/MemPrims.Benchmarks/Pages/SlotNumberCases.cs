using System.Numerics;
using System.Runtime.CompilerServices;
using MemPrims.Benchmarks.Ratio;
using MemPrims.Pages;

namespace MemPrims.Benchmarks.Pages;

/// <summary>
/// Finding a number in one of 16 rows, each query waiting for the one before; half of the queries are the number after one that is there.
/// Against BinarySearch on Zen 5: int 3.7–4.2, ulong 3.2–3.7, UInt128 1.5–1.7. Designs for 1,000 numbers of 32 bits, ns:
/// BinarySearch 50, halves without a branch 18, sixteen parts 14, eight parts and a block of vectors (stayed) 12.
/// </summary>
internal sealed class SlotNumberCases : IRatioCases
{
    private const double Goal = 4;

    public static IEnumerable<RatioCase> Cases()
    {
        foreach (int count in (int[])[100, 500, 1_000, 4_000])
        {
            yield return Search<int>(count);
            yield return Search<ulong>(count / 2);
            yield return Search<UInt128>(count / 4);
        }
    }

    private static RatioCase Search<TNumber>(int count) where TNumber : unmanaged, IBinaryInteger<TNumber> =>
        new("slot numbers", $"{typeof(TNumber).Name}, {count:N0}", () =>
        {
            NumberWork<TNumber> work = new(count);
            return new(NumberWork<TNumber>.Queries, new("SlotSearch", work.Own), new Contender("BinarySearch", work.Bcl, Goal))
            {
                Redraw = work.Redraw,
            };
        });

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
        public long Own()
        {
            long sum = 0;
            int last = 0;
            for (int query = 0; query < Queries; query++)
            {
                // The row begins where the last answer says: at 0, since positions are not negative.
                last = SlotSearch.Find(_rows[_rowOf[query]].AsSpan(last >>> 31), _queries[query], out bool found);
                sum += 2 * last + Unsafe.BitCast<bool, byte>(found);
            }
            return sum;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public long Bcl()
        {
            long sum = 0;
            int last = 0;
            for (int query = 0; query < Queries; query++)
            {
                last = BinarySearch(_rows[_rowOf[query]].AsSpan(last >>> 31), _queries[query], out bool found);
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

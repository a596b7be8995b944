using System.Buffers;
using System.Buffers.Binary;
using MemPrims.Benchmarks.Ratio;
using MemPrims.Buffers;

namespace MemPrims.Benchmarks.Buffers;

/// <summary>
/// 268,435,456 u64, which are 2^31 bytes, into a fresh list and into a recycled one. ArrayBufferWriter goes no further than an array
/// does, so it gets half of them twice, and its time is told per number. Not part of a usual run: it takes 2 GiB and a minute.
/// `ratio 2^31` with MEMPRIMS_LARGE=1.
/// </summary>
public sealed class GrowthCases : IRatioCases
{
    private const long Count = 1 << 28;
    private const int Reservation = 1 << 20, PerReservation = Reservation / sizeof(ulong);

    private static ulong s_first;

    public static IEnumerable<RatioCase> Cases()
    {
        if (Environment.GetEnvironmentVariable("MEMPRIMS_LARGE") is null) yield break;
        yield return new("2^31 bytes of u64", "fresh list", () => new(Count, new("Appender", Fresh(Append)),
            new Contender("ReservedAppender", Fresh(AppendReserved)),
            new("UnsafeAppender", Fresh(AppendUnsafe)), new("ArrayBufferWriter, twice half", IntoArray))
        { Redraw = Redraw });
        SegmentList list = new();
        yield return new("2^31 bytes of u64", "recycled list", () => new(Count, new("Appender", Recycled(list, Append)),
            new Contender("ReservedAppender", Recycled(list, AppendReserved)),
            new Contender("UnsafeAppender", Recycled(list, AppendUnsafe)))
        { Redraw = Redraw });
    }

    private static void Redraw() => s_first = (ulong)Random.Shared.NextInt64(1L << 60);

    private static Func<long> Fresh(Action<SegmentList> append) => () =>
    {
        using SegmentList list = new();
        append(list);
        return list.Length;
    };

    private static Func<long> Recycled(SegmentList list, Action<SegmentList> append) => () =>
    {
        list.Clear();
        append(list);
        return list.Length;
    };

    private static void Append(SegmentList list)
    {
        Appender to = new(list);
        for (ulong i = s_first, end = i + Count; i < end; i++) to.Write(i);
        to.Commit();
    }

    private static void AppendReserved(SegmentList list)
    {
        for (ulong done = 0; done < Count; done += PerReservation)
        {
            ReservedAppender to = new(list, Reservation);
            for (ulong i = s_first + done, end = i + PerReservation; i < end; i++) to.Write(i);
            to.Commit();
        }
    }

    private static void AppendUnsafe(SegmentList list)
    {
        for (ulong done = 0; done < Count; done += PerReservation)
        {
            UnsafeAppender to = new(list, Reservation);
            for (ulong i = s_first + done, end = i + PerReservation; i < end; i++) to.Write(i);
            to.Commit();
        }
    }

    private static long IntoArray()
    {
        long length = 0;
        for (int half = 0; half < 2; half++)
        {
            ArrayBufferWriter<byte> to = new();
            for (ulong i = s_first, end = i + Count / 2; i < end; i++)
            {
                BinaryPrimitives.WriteUInt64LittleEndian(to.GetSpan(sizeof(ulong)), i);
                to.Advance(sizeof(ulong));
            }
            length += to.WrittenCount;
        }
        return length;
    }
}

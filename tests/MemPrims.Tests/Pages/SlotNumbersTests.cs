using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using MemPrims.Pages;

namespace MemPrims.Tests.Pages;

// Numbers of every type are found where a plain search finds them: in a row, with their bytes reversed, and in nodes. They lie at the end
// and at the beginning of guarded memory, in a child process.
public unsafe class SlotNumbersTests
{
    private const int NodeSize = 24, FirstNode = 8, Most = 5000;

    [Theory]
    [InlineData("sbyte"), InlineData("byte"), InlineData("short"), InlineData("ushort"), InlineData("char"), InlineData("int")]
    [InlineData("uint"), InlineData("long"), InlineData("ulong"), InlineData("nint"), InlineData("nuint"), InlineData("Int128")]
    [InlineData("UInt128")]
    public void Every_number_and_its_neighbours_are_found_where_they_belong(string type) => Child.Run(Search, [type]).AssertSucceeded();

    // Numbers in the nodes of a page, at the end of each.
    private readonly struct NumberNodes<TNumber> : INumberLayout<TNumber> where TNumber : unmanaged
    {
        public static int Count(byte* page) => *(int*)page;

        public static TNumber Number(byte* page, int slot)
        {
            Assert.True((uint)slot < (uint)Count(page));
            return Unsafe.ReadUnaligned<TNumber>(page + FirstNode + NodeSize * (slot + 1) - sizeof(TNumber));
        }
    }

    private static void Search(string[] arguments)
    {
        switch (arguments[0])
        {
            case "sbyte": SearchAll<sbyte>(); break;
            case "byte": SearchAll<byte>(); break;
            case "short": SearchAll<short>(); break;
            case "ushort": SearchAll<ushort>(); break;
            case "char": SearchAll<char>(); break;
            case "int": SearchAll<int>(); break;
            case "uint": SearchAll<uint>(); break;
            case "long": SearchAll<long>(); break;
            case "ulong": SearchAll<ulong>(); break;
            case "nint": SearchAll<nint>(); break;
            case "nuint": SearchAll<nuint>(); break;
            case "Int128": SearchAll<Int128>(); break;
            case "UInt128": SearchAll<UInt128>(); break;
            default: throw new ArgumentException(arguments[0]);
        }
    }

    private static void SearchAll<TNumber>() where TNumber : unmanaged, IBinaryInteger<TNumber>, IMinMaxValue<TNumber>
    {
        using GuardedMemory row = new(Most * sizeof(TNumber)), reversed = new(Most * sizeof(TNumber));
        using GuardedMemory nodes = new(FirstNode + Most * NodeSize);
        Random random = Seeds.Random(3);
        foreach (string kind in (string[])["random", "dense", "extreme", "upper halves alike", "disorder"])
            foreach (int count in (int[])[.. Enumerable.Range(0, 301), 1000, 1023, 2048, random.Next(3000, Most), Most])
                foreach (bool beginAtGuard in (bool[])[false, true])
                {
                    TNumber[] numbers = Numbers<TNumber>(kind, random, count);
                    CaseNote.Set($"{typeof(TNumber).Name}, {kind}", count, numbers.Length, beginAtGuard ? 1 : 0);
                    Span<TNumber> there = Place<TNumber>(row, numbers.Length, beginAtGuard);
                    numbers.CopyTo(there);
                    Span<TNumber> turned = Place<TNumber>(reversed, numbers.Length, beginAtGuard);
                    for (int i = 0; i < numbers.Length; i++) numbers[i].WriteBigEndian(MemoryMarshal.AsBytes(turned.Slice(i, 1)));
                    int size = FirstNode + numbers.Length * NodeSize;
                    byte* page = beginAtGuard ? nodes.Start : nodes.EndingAtGuard(size);
                    *(int*)page = numbers.Length;
                    for (int i = 0; i < numbers.Length; i++)
                        Unsafe.WriteUnaligned(page + FirstNode + NodeSize * (i + 1) - sizeof(TNumber), numbers[i]);
                    // Odd, so that each place in a vector has its turn.
                    int step = numbers.Length > 300 ? 7 : numbers.Length > 70 ? 3 : 1;
                    for (int i = 0; i < numbers.Length; i += step)
                        foreach (TNumber number in (ReadOnlySpan<TNumber>)[unchecked(numbers[i] - TNumber.One), numbers[i],
                            unchecked(numbers[i] + TNumber.One)])
                            Check(there, turned, page, numbers, number, kind == "disorder");
                    foreach (TNumber number in (ReadOnlySpan<TNumber>)[TNumber.MinValue, TNumber.MaxValue, TNumber.Zero, TNumber.One,
                        TNumber.CreateTruncating(-1L), Draw<TNumber>(random)])
                        Check(there, turned, page, numbers, number, kind == "disorder");
                }
    }

    private static void Check<TNumber>(ReadOnlySpan<TNumber> row, ReadOnlySpan<TNumber> reversed, byte* page, TNumber[] numbers,
        TNumber number, bool isDisorder)
        where TNumber : unmanaged, IBinaryInteger<TNumber>
    {
        int place = isDisorder ? 0 : Array.BinarySearch(numbers, number);
        (int, bool) expected = (place < 0 ? ~place : place, place >= 0);
        (int, bool) found = (SlotSearch.Find(row, number, out bool there), there);
        (int, bool) turned = (SlotSearch.FindBigEndian(reversed, number, out there), there);
        (int, bool) node = (SlotSearch.FindNumber<NumberNodes<TNumber>, TNumber>(page, number, out there), there);
        if (isDisorder)
        {
            foreach ((int position, bool has) in (ReadOnlySpan<(int, bool)>)[found, turned, node])
                if (position < 0 || position > numbers.Length || has && numbers[position] != number)
                    Assert.Fail($"{number} among {numbers.Length} in no order: {(position, has)}.");
        }
        else if (found != expected || turned != expected || node != expected)
            Assert.Fail($"{number} among {numbers.Length}: {found}, reversed {turned}, in nodes {node}, not {expected}.");
    }

    private static Span<TNumber> Place<TNumber>(GuardedMemory memory, int count, bool beginAtGuard) where TNumber : unmanaged =>
        new(beginAtGuard ? memory.Start : memory.EndingAtGuard(count * sizeof(TNumber)), count);

    // Fewer where the type has no more.
    private static TNumber[] Numbers<TNumber>(string kind, Random random, int count)
        where TNumber : unmanaged, IBinaryInteger<TNumber>, IMinMaxValue<TNumber>
    {
        HashSet<TNumber> numbers = [];
        TNumber upper = Draw<TNumber>(random) << sizeof(TNumber) * 4;
        for (int i = 0; i < count; i++)
            numbers.Add(kind switch
            {
                // About zero; of types without a sign those at both ends.
                "dense" => TNumber.CreateTruncating(i - count / 2),
                "extreme" => (i & 7) switch
                {
                    0 => TNumber.MinValue + TNumber.CreateTruncating(i / 8),
                    1 => TNumber.MaxValue - TNumber.CreateTruncating(i / 8),
                    2 => TNumber.CreateTruncating(i / 8),
                    3 => TNumber.CreateTruncating(-1L - i / 8),
                    _ => Draw<TNumber>(random),
                },
                "upper halves alike" => upper + (TNumber.CreateTruncating(i & 3) << sizeof(TNumber) * 4) + Draw<TNumber>(random)
                    >> (i & 1) * 3,
                _ => Draw<TNumber>(random),
            });
        TNumber[] all = [.. numbers];
        if (kind != "disorder") Array.Sort(all);
        return all;
    }

    private static TNumber Draw<TNumber>(Random random) where TNumber : unmanaged, IBinaryInteger<TNumber> =>
        TNumber.CreateTruncating(new UInt128((ulong)random.NextInt64(long.MinValue, long.MaxValue),
            (ulong)random.NextInt64(long.MinValue, long.MaxValue)));
}

namespace DropInUser;

/// <summary>The same calls go to the original and to the drop-in, the bad ones and those at the edge of being bad: they end alike, and
/// leave the same bytes.</summary>
public unsafe class BufferErrorTests
{
    private enum ByteEnum : byte { }

    private delegate void BlockCopy(Array src, int srcOffset, Array dst, int dstOffset, int count);

    public static TheoryData<int, int, int> BadRanges => new()
    {
        { -1, 0, 1 }, { 0, -1, 1 }, { 0, 0, -1 }, { -1, -1, -1 }, { 0, -1, -1 }, { int.MinValue, 0, 0 }, { 0, int.MinValue, 0 },
            { 0, 0, int.MinValue },
        { 0, 0, 17 }, { 1, 0, 16 }, { 0, 1, 16 }, { 16, 0, 1 }, { 0, 16, 1 }, { 17, 0, 0 }, { 0, 17, 0 }, { 16, 16, 0 },
        { int.MaxValue, 0, 1 }, { 0, int.MaxValue, 1 }, { 0, 0, int.MaxValue }, { int.MaxValue, int.MaxValue, int.MaxValue },
            { 8, 0, int.MaxValue }, { 0, 0, 16 }, { 4, 7, 9 },
    };

    [Theory, MemberData(nameof(BadRanges))]
    public void BlockCopy_refuses_the_same_ranges(int srcOffset, int dstOffset, int count)
    {
        AssertAlike(() => new byte[16], () => new byte[16], srcOffset, dstOffset, count);
        AssertAlike(() => new int[4], () => new byte[16], srcOffset, dstOffset, count);
        AssertAlike(() => new byte[16], () => new double[2], srcOffset, dstOffset, count);
        AssertAlike(() => new long[2], () => new char[2, 4], srcOffset, dstOffset, count);
        AssertAlike(() => new byte[17], () => new byte[15], srcOffset, dstOffset, count);
        AssertAlike(() => Array.Empty<byte>(), () => new byte[16], srcOffset, dstOffset, count);
    }

    [Fact]
    public void BlockCopy_refuses_the_same_arrays()
    {
        Func<Array?>[] arrays = [() => null, () => new byte[16], () => new string[4], () => new object[4], () => new decimal[1], () =>
            new Guid[1], () => new DateTime[2],
            () => new Half[8], () => new Int128[1], () => new nint[2], () => new DayOfWeek[4], () => new ByteEnum[16], () =>
                new sbyte[16], () => new int?[2], () => new byte[2][], () => new bool[16]];
        foreach (Func<Array?> src in arrays)
            foreach (Func<Array?> dst in arrays)
                foreach ((int srcOffset, int dstOffset, int count) in ((int, int, int)[])[(0, 0, 4), (-1, 0, 4), (0, -1, 4), (0, 0, -1),
                    (0, 0, 100)])
                    AssertAlike(src, dst, srcOffset, dstOffset, count);
    }

    [Fact]
    public void ByteLength_GetByte_and_SetByte_refuse_the_same()
    {
        Func<Array?>[] arrays = [() => null, () => new byte[16], () => new int[4], () => Array.Empty<long>(), () => new string[4], () =>
            new decimal[1], () => new DayOfWeek[4], () => new bool[2, 3]];
        foreach (Func<Array?> make in arrays)
        {
            AssertSame($"ByteLength({make()})", () => System.Buffer.ByteLength(make()!), () => Buffer.ByteLength(make()!));
            foreach (int index in (int[])[0, 1, 5, 15, 16, -1, int.MinValue, int.MaxValue])
            {
                AssertSame($"GetByte({make()}, {index})", () => System.Buffer.GetByte(make()!, index), () =>
                    Buffer.GetByte(make()!, index));
                AssertSame($"SetByte({make()}, {index})", () => Set(System.Buffer.SetByte, make(), index), () =>
                    Set(Buffer.SetByte, make(), index));
            }
        }
    }

    [Fact]
    public void Memcpy_and_Memmove_name_their_own_parameter()
    {
        byte block = 0;
        byte* at = &block;
        ArgumentOutOfRangeException negative = Assert.Throws<ArgumentOutOfRangeException>(() => Buffer.Memcpy(at, at + 1, -1));
        Assert.Equal(("len", (object)(nint)(-1)), (negative.ParamName, negative.ActualValue));
        ArgumentOutOfRangeException large = Assert.Throws<ArgumentOutOfRangeException>(() => Buffer.Memmove(at, at + 1, nuint.MaxValue));
        Assert.Equal(("len", (object)nuint.MaxValue), (large.ParamName, large.ActualValue));
    }

    [Fact]
    public void MemoryCopy_refuses_the_same_sizes()
    {
        foreach (
            (long room, long count) in ((long, long)[])[(0, 0), (16, 16), (16, 3), (0, 1), (3, 4), (16, 17), (16, long.MaxValue), (-1, 0),
                (-1, 1), (-2, -1), (long.MinValue, 0), (16, -1), (0, -1), (-1, -1), (-1, -2), (16, long.MinValue),
                    (long.MinValue, long.MinValue)])
            AssertSame($"MemoryCopy({room}, {count})",
                () => Between((from, to) => System.Buffer.MemoryCopy(from, to, room, count)),
                () => Between((from, to) => Buffer.MemoryCopy(from, to, room, count)));
        foreach ((ulong room, ulong count) in ((ulong, ulong)[])[(0, 0), (16, 16), (16, 3), (0, 1), (3, 4), (16, 17),
            (16, ulong.MaxValue), (ulong.MaxValue, 16), (ulong.MaxValue - 1, ulong.MaxValue)])
            AssertSame($"MemoryCopy({room}, {count}), unsigned",
                () => Between((from, to) => System.Buffer.MemoryCopy(from, to, room, count)),
                () => Between((from, to) => Buffer.MemoryCopy(from, to, room, count)));
    }

    [Fact]
    public void MemoryCopy_of_no_bytes_takes_null()
    {
        Buffer.MemoryCopy(null, null, 0L, 0L);
        Buffer.MemoryCopy(null, null, 0UL, 0UL);
        Buffer.Memmove(null, null, 0);
        Buffer.Memcpy(null, null, 0);
    }

    private delegate void Copy(byte* from, byte* to);

    private static string Between(Copy copy)
    {
        byte* from = stackalloc byte[16], to = stackalloc byte[16];
        for (int i = 0; i < 16; i++) (from[i], to[i]) = ((byte)(i + 1), 0xEE);
        string end = EndOf(() => copy(from, to));
        return $"{end}, {Convert.ToHexString(new ReadOnlySpan<byte>(to, 16))}";
    }

    private static byte[] Set(Action<Array, int, byte> setByte, Array? array, int index)
    {
        setByte(array!, index, 0xAB);
        return Bytes(array!);
    }

    private static void AssertAlike(Func<Array?> src, Func<Array?> dst, int srcOffset, int dstOffset, int count)
    {
        string original = Run(System.Buffer.BlockCopy), ours = Run(Buffer.BlockCopy);
        Assert.True(original == ours, $"BlockCopy({src()}, {srcOffset}, {dst()}, {dstOffset}, {count}): {original}, but ours: {ours}");

        string Run(BlockCopy copy)
        {
            Array? from = src(), to = dst();
            if (IsPrimitive(from))
                for (int i = 0; i < System.Buffer.ByteLength(from!); i++) System.Buffer.SetByte(from!, i, (byte)(i & 1));
            string end = EndOf(() => copy(from!, srcOffset, to!, dstOffset, count));
            return IsPrimitive(to) ? $"{end}, {Convert.ToHexString(Bytes(to!))}" : end;
        }
    }

    private static void AssertSame<T>(string call, Func<T> original, Func<T> ours)
    {
        string expected = EndOf(() => original()), actual = EndOf(() => ours());
        Assert.True(expected == actual, $"{call}: {expected}, but ours: {actual}");
        if (expected == "returned") Assert.Equal(original(), ours());
    }

    private static string EndOf(Action call)
    {
        try
        {
            call();
            return "returned";
        }
        catch (Exception e)
        {
            return $"{e.GetType()} of {(e as ArgumentException)?.ParamName ?? "no parameter"}";
        }
    }

    private static bool IsPrimitive(Array? array) => array?.GetType().GetElementType()!.IsPrimitive == true;

    private static byte[] Bytes(Array array) =>
        [.. Enumerable.Range(0, System.Buffer.ByteLength(array)).Select(i => System.Buffer.GetByte(array, i))];
}

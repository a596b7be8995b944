namespace DropInUser;

public unsafe class BufferBehaviourTests
{
    private static readonly Type[] s_primitives =
        [typeof(bool), typeof(byte), typeof(sbyte), typeof(char), typeof(short), typeof(ushort), typeof(int), typeof(uint), typeof(long),
            typeof(ulong), typeof(float), typeof(double), typeof(nint), typeof(nuint)];

    [Fact]
    public void BlockCopy_copies_from_every_primitive_array_to_every_other()
    {
        foreach (Type from in s_primitives)
            foreach (Type to in s_primitives)
            {
                Array src = Array.CreateInstance(from, 40), dst = Array.CreateInstance(to, 40), expected = Array.CreateInstance(to, 40);
                int room = Math.Min(System.Buffer.ByteLength(src), System.Buffer.ByteLength(dst));
                // Only 0 and 1, so that an array of bool stays one.
                for (int i = 0; i < System.Buffer.ByteLength(src); i++) System.Buffer.SetByte(src, i, (byte)(i * 7 / 3 & 1));
                System.Buffer.BlockCopy(src, 3, expected, 5, room - 5);
                Buffer.BlockCopy(src, 3, dst, 5, room - 5);
                Assert.Equal(expected, dst);
            }
    }

    [Fact]
    public void BlockCopy_within_an_array_moves_at_every_overlap()
    {
        byte[] model = new byte[900], expected = new byte[900], actual = new byte[900];
        Seeds.Random().NextBytes(model);
        for (int count = 0; count <= 600; count += 1 + count / 40)
            for (int distance = -130; distance <= 130; distance++)
            {
                model.CopyTo(expected, 0);
                model.CopyTo(actual, 0);
                System.Buffer.BlockCopy(expected, 140, expected, 140 + distance, count);
                Buffer.BlockCopy(actual, 140, actual, 140 + distance, count);
                if (!expected.AsSpan().SequenceEqual(actual)) Assert.Fail($"{count} bytes at distance {distance}");
            }
    }

    [Fact]
    public void ByteLength_GetByte_and_SetByte_see_the_bytes_of_every_primitive_array()
    {
        foreach (Type type in s_primitives)
        {
            Array array = Array.CreateInstance(type, 5);
            Assert.Equal(System.Buffer.ByteLength(array), Buffer.ByteLength(array));
            for (int i = 0; i < Buffer.ByteLength(array); i++)
            {
                Buffer.SetByte(array, i, (byte)(i & 1));
                Assert.Equal(i & 1, System.Buffer.GetByte(array, i));
                Assert.Equal(i & 1, Buffer.GetByte(array, i));
            }
        }
    }

    [Fact]
    public void Code_written_for_the_original_compiles_and_runs()
    {
        int[] numbers = [1, 2, 3, 4];
        byte[] bytes = new byte[Buffer.ByteLength(numbers)];
        Buffer.BlockCopy(src: numbers, srcOffset: 0, dst: bytes, dstOffset: 0, count: bytes.Length);
        Buffer.SetByte(array: bytes, index: 0, value: 9);
        Assert.Equal(9, Buffer.GetByte(array: bytes, index: 0));
        fixed (byte* from = bytes)
        fixed (int* to = numbers)
        {
            Buffer.MemoryCopy(source: from, destination: to, destinationSizeInBytes: 16, sourceBytesToCopy: 16);
            Buffer.MemoryCopy(from, to, (ulong)bytes.Length, (ulong)bytes.Length);
            Buffer.Memcpy(dest: (byte*)to + 4, src: from, len: 4);
            Buffer.Memmove(dest: (byte*)to + 8, src: (byte*)to, len: 8);
        }
        Assert.Equal([9, 9, 9, 9], numbers);
    }
}

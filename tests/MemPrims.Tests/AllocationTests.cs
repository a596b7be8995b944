namespace MemPrims.Tests;

public unsafe class AllocationTests
{
    // Made once: a Debug build makes an array of a list of constants each time it is met.
    private static readonly int[] s_lengths = [0, 1, 7, 24, 64, 100, 300, 5000, 1 << 16];

    [Fact]
    public void Nothing_allocates()
    {
        byte[] first = new byte[1 << 16], second = new byte[1 << 16];
        long sum = 0;
        for (int round = 0; round < 3; round++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            foreach (int length in s_lengths) sum += Everything(first, second, length);
            long allocated = GC.GetAllocatedBytesForCurrentThread() - before;
            // The first rounds may load types and libraries.
            if (round == 2) Assert.True(allocated == 0, $"{allocated} bytes allocated, {sum}");
        }
    }

    private static long Everything(byte[] left, byte[] right, int length)
    {
        Span<byte> leftSpan = left.AsSpan(0, length), rightSpan = right.AsSpan(0, length);
        long sum = 0;
        fixed (byte* first = left, second = right)
        {
            Block.Fill(first, length, 3);
            Block.Clear(second, length);
            sum += Block.IsZero(second, length) ? 1 : 0;
            Block.Copy(second, first, length);
            Block.CopyStreaming(second, first, length);
            Block.Copy(rightSpan, leftSpan);
            Block.CopyStreaming(rightSpan, leftSpan);
            Block.Fill(leftSpan, 3);
            Block.Clear(rightSpan);
            sum += Block.IsZero(rightSpan) ? 1 : 0;
            sum += Block.Compare(first, second, length) + Block.Compare(first, second, length, out nint position) + position
                + Block.Compare(leftSpan, rightSpan);
            sum += Block.CommonPrefix(first, second, length) + Block.CommonPrefix(leftSpan, rightSpan);
            sum += (Block.Equal(first, second, length) ? 1 : 0) + (Block.Equal(leftSpan, rightSpan) ? 1 : 0);
            sum += Checksum.Crc32C(first, length) + Checksum.Crc32C(5, leftSpan);
            if (Libc.IsAvailable)
            {
                sum += Libc.Compare(first, second, length);
                Libc.Copy(second, first, length);
            }
            DropIn.Buffer.Memcpy(second, first, length);
            DropIn.Buffer.Memmove(second, first, (nuint)length);
            DropIn.Buffer.MemoryCopy(first, second, length, length);
            DropIn.Buffer.BlockCopy(left, 0, right, 0, length);
            sum += DropIn.Buffer.ByteLength(left) + DropIn.Buffer.GetByte(left, 0);
            DropIn.Buffer.SetByte(right, 0, 1);
        }
        return sum;
    }
}

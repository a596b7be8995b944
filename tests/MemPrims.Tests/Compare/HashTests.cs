using System.Numerics;

namespace MemPrims.Tests;

// What a table of hashes needs: each bit of a key, its length and the seed goes into each bit of the hash, and keys that look alike do not
// meet more often than keys at random. The whole hash, its low half and its high half are looked at.
public unsafe class HashTests
{
    private const ulong Root2 = 0x6A09_E667_F3BC_C908, Root3 = 0xBB67_AE85_84CA_A73B, Root5 = 0x3C6E_F372_FE94_F82B,
        Root7 = 0xA54F_F53A_5F1D_36F1, Root11 = 0x510E_527F_ADE6_82D1;

    [Fact]
    public void Every_length_is_hashed_as_the_page_says_and_nothing_beyond_it_is_read()
    {
        Random random = Seeds.Random();
        using GuardedMemory memory = new(400);
        for (int length = 0; length <= 400; length++)
        {
            byte[] key = new byte[length];
            random.NextBytes(key);
            ulong seed = (ulong)random.NextInt64(), wanted = Plain(key, seed);
            Assert.Equal(wanted, Block.Hash(key, seed));
            foreach (nint start in (ReadOnlySpan<nint>)[(nint)memory.Start, (nint)(memory.End - length)])
            {
                byte* at = (byte*)start;
                key.CopyTo(new Span<byte>(at, length));
                Assert.Equal(wanted, Block.Hash(at, length, seed));
            }
        }
    }

    [Fact]
    public void Hashes_may_be_kept()
    {
        Assert.Equal(0x5073_AB68_5CA2_1E14ul, Block.Hash([]));
        Assert.Equal(0xD375_2EF9_3C88_C752ul, Block.Hash("a"u8));
        Assert.Equal(0xD346_0878_D3EE_1807ul, Block.Hash("abcdefgh"u8));
        Assert.Equal(0x028B_B6C2_716E_C1F8ul, Block.Hash("abcdefghijklmnopqrstuvwxyz"u8, 1));
        Assert.Equal(0xC187_248C_2FB5_A815ul, Block.Hash(new byte[100]));
    }

    [Fact]
    public void A_negative_length_is_refused() => Assert.Throws<ArgumentOutOfRangeException>(() => Block.Hash(null, -1));

    [Theory]
    [InlineData(1), InlineData(2), InlineData(3), InlineData(4), InlineData(5), InlineData(7), InlineData(8), InlineData(12)]
    [InlineData(16)]
    [InlineData(17), InlineData(24), InlineData(32), InlineData(33), InlineData(48), InlineData(63), InlineData(64), InlineData(65)]
    [InlineData(81), InlineData(128), InlineData(150)]
    public void Each_bit_of_key_and_seed_turns_each_bit_of_the_hash_half_the_time(int length)
    {
        const int keys = 1500;
        Random random = Seeds.Random();
        byte[] key = new byte[length];
        int[,] turned = new int[length * 8 + 64, 64];
        for (int round = 0; round < keys; round++)
        {
            random.NextBytes(key);
            ulong seed = (ulong)random.NextInt64(), hash = Block.Hash(key, seed);
            for (int bit = 0; bit < length * 8 + 64; bit++)
            {
                ulong other;
                if (bit < 64) other = Block.Hash(key, seed ^ 1ul << bit);
                else
                {
                    key[(bit - 64) >> 3] ^= (byte)(1 << (bit & 7));
                    other = Block.Hash(key, seed);
                    key[(bit - 64) >> 3] ^= (byte)(1 << (bit & 7));
                }
                for (ulong different = hash ^ other; different != 0; different &= different - 1)
                    turned[bit, BitOperations.TrailingZeroCount(different)]++;
            }
        }
        // Seven standard deviations of a coin.
        double most = 7 * Math.Sqrt(keys) / 2;
        for (int bit = 0; bit < turned.GetLength(0); bit++)
            for (int of = 0; of < 64; of++)
                Assert.True(Math.Abs(turned[bit, of] - keys / 2.0) < most,
                    $"bit {bit - 64} turns bit {of} {turned[bit, of]} times of {keys}");
    }

    [Theory]
    [InlineData(2, 6), InlineData(3, 5), InlineData(4, 5), InlineData(6, 4), InlineData(8, 3), InlineData(12, 3), InlineData(16, 3)]
    [InlineData(20, 2), InlineData(32, 2), InlineData(40, 2), InlineData(64, 2), InlineData(96, 2), InlineData(200, 2)]
    public void Keys_of_few_bits_do_not_meet(int length, int bits)
    {
        List<ulong> hashes = [];
        Add(new byte[length], 0, bits);
        CheckApart(hashes);

        void Add(byte[] key, int from, int left)
        {
            hashes.Add(Block.Hash(key));
            if (left == 0) return;
            for (int bit = from; bit < length * 8; bit++)
            {
                key[bit >> 3] ^= (byte)(1 << (bit & 7));
                Add(key, bit + 1, left - 1);
                key[bit >> 3] ^= (byte)(1 << (bit & 7));
            }
        }
    }

    [Theory]
    [InlineData(4), InlineData(5), InlineData(8), InlineData(16), InlineData(20)]
    public void Keys_that_repeat_a_piece_do_not_meet(int piece)
    {
        Random random = Seeds.Random();
        HashSet<string> pieces = [];
        List<byte[]> keys = [];
        foreach (int times in (int[])[2, 4, 8, 16])
            for (int i = 0; i < 20_000; i++)
            {
                byte[] one = new byte[piece];
                random.NextBytes(one);
                if (pieces.Add($"{times} {Convert.ToHexString(one)}"))
                    keys.Add([.. Enumerable.Repeat(one, times).SelectMany(bytes => bytes)]);
            }
        CheckApart(keys);
    }

    [Fact]
    public void Numbers_names_lengths_and_seeds_do_not_meet()
    {
        CheckApart([.. Enumerable.Range(0, 200_000).Select(i => BitConverter.GetBytes((long)i))]);
        CheckApart([.. Enumerable.Range(0, 200_000).Select(i => BitConverter.GetBytes((long)i << 32))]);
        CheckApart([.. Enumerable.Range(0, 200_000).Select(i => System.Text.Encoding.UTF8.GetBytes($"users/{i}/orders/{i * 7}"))]);
        CheckApart([.. Enumerable.Range(0, 10_000).Select(i => new byte[i])]);
        byte[] key = "key"u8.ToArray(), longer = new byte[100];
        CheckApart([.. Enumerable.Range(0, 200_000).Select(i => Block.Hash(key, (ulong)i))]);
        CheckApart([.. Enumerable.Range(0, 200_000).Select(i => Block.Hash(longer, (ulong)i << 40))]);
    }

    private static void CheckApart(List<byte[]> keys) => CheckApart(keys.Select(key => Block.Hash(key)).ToList());

    // Of n numbers at random of b bits n²/2^(b+1) pairs are equal.
    private static void CheckApart(List<ulong> hashes)
    {
        Assert.Equal(hashes.Count, hashes.Distinct().Count());
        foreach (int shift in (int[])[0, 16, 32])
        {
            double expected = (double)hashes.Count * hashes.Count / 2 / uint.MaxValue;
            int met = hashes.Count - hashes.Select(hash => (uint)(hash >> shift)).Distinct().Count();
            Assert.True(met <= expected * 1.5 + 12, $"{met} of {hashes.Count} meet in 32 bits, where {expected:0.0} were expected");
        }
        foreach (int shift in (int[])[0, 24, 48])
        {
            int[] counts = new int[1 << 8];
            foreach (ulong hash in hashes) counts[hash >> shift & 0xFF]++;
            double mean = hashes.Count / 256.0, chi = counts.Sum(count => (count - mean) * (count - mean) / mean);
            // 255 degrees of freedom: a standard deviation is 22.6.
            Assert.True(mean < 5 || chi < 255 + 7 * 22.6, $"{hashes.Count} hashes fill 256 places unevenly: {chi:0}");
        }
    }

    // Written from the table in Block.Hash.cs, on arrays and 128-bit numbers.
    private static ulong Plain(byte[] key, ulong seed)
    {
        ulong hash = seed ^ Root5, first = 0, last = 0;
        int length = key.Length;
        if (length is > 0 and < 4) first = (ulong)key[0] << 16 | (ulong)key[length / 2] << 8 | key[length - 1];
        if (length is >= 4 and < 8)
        {
            first = (ulong)U32(0) << 32 | U32(0);
            last = (ulong)U32(length - 4) << 32 | U32(length - 4);
        }
        if (length is >= 8 and <= 16)
        {
            first = (ulong)U32(0) << 32 | U32(length == 16 ? 8 : 4);
            last = (ulong)U32(length - 4) << 32 | U32(length - (length == 16 ? 12 : 8));
        }
        if (length > 16)
        {
            int at = 0, turns = length <= 64 ? 0 : (length - 1) / 64;
            ulong[] lanes = [hash, hash, hash, hash], roots = [Root3, Root7, Root11, Root2];
            for (; turns > 0; turns--, at += 64)
                for (int lane = 0; lane < 4; lane++)
                    lanes[lane] = Fold(U64(at + 16 * lane) ^ roots[lane], U64(at + 16 * lane + 8) ^ lanes[lane]);
            if (at > 0) hash = lanes[0] ^ lanes[1] ^ lanes[2] ^ lanes[3];
            int left = Math.Max(17, length - at);
            at = length - left;
            ulong before = hash;
            hash = 0;
            (int, ulong)[] pairs = [(0, Root3), (Math.Min(16, left - 16), Root7), (Math.Max(0, left - 32), Root11)];
            foreach ((int place, ulong root) in pairs)
                hash ^= Fold(U64(at + place) ^ root, U64(at + place + 8) ^ before);
            (first, last) = (U64(length - 16), U64(length - 8));
        }
        UInt128 product = (UInt128)(first ^ Root3) * (last ^ hash);
        return Fold((ulong)product ^ Root2 ^ (ulong)length, (ulong)(product >> 64) ^ Root7);

        uint U32(int at) => BitConverter.ToUInt32(key, at);
        ulong U64(int at) => BitConverter.ToUInt64(key, at);
        static ulong Fold(ulong left, ulong right) => (ulong)((UInt128)left * right) ^ (ulong)((UInt128)left * right >> 64);
    }
}

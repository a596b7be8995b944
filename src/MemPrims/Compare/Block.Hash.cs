namespace MemPrims;

// A hash of folded products: two numbers of 64 bits are multiplied to 128, and the halves are joined. Up to 64 bytes there is no loop,
// and a branch on classes of lengths alone: lengths that vary cost a misprediction where a class is rare. All products of the third class
// can be made at once.
//
//   0–3     first, middle and last byte, joined to one number
//   4–16    the first and the last 4 or 8 bytes, joined to two
//   17–64   three products of 16 bytes: the first ones, those 16 behind or the last, those 32 before the end or the first
//   more    four products of 16 bytes a turn, each of which goes into its next one; then the end as above
//
// The last 16 bytes, or the two numbers, are multiplied with what came before, and the halves of that product with the length.
public static unsafe partial class Block
{
    // The first 64 bits behind the point of the square roots of 2, 3, 5, 7 and 11.
    private const ulong Root2 = 0x6A09_E667_F3BC_C908, Root3 = 0xBB67_AE85_84CA_A73B, Root5 = 0x3C6E_F372_FE94_F82B,
        Root7 = 0xA54F_F53A_5F1D_36F1, Root11 = 0x510E_527F_ADE6_82D1;

    private const int HashedAtOnce = 64;

    /// <summary>
    /// A hash of 64 bits, each of which depends on each bit of the block, its length and the seed. It is the same on every machine and in
    /// every version: it may be kept. It is no signature: who knows the seed can make blocks of one hash. Hash what strangers send under a
    /// random seed.
    /// </summary>
    /// <param name="source">The block.</param>
    /// <param name="length">How many bytes it has.</param>
    /// <param name="seed">Chooses one of 2^64 hashes.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="length"/> is negative.</exception>
    /// <inheritdoc cref="IsZero(byte*, nint)" path="/remarks"/>
    public static ulong Hash(byte* source, nint length, ulong seed = 0)
    {
        if (length < 0) Throw.NegativeLength(length);
        return Hash(ref *source, length, seed);
    }

    /// <inheritdoc cref="Hash(byte*, nint, ulong)"/>
    public static ulong Hash(ReadOnlySpan<byte> source, ulong seed = 0) =>
        Hash(ref MemoryMarshal.GetReference(source), source.Length, seed);

    private static ulong Hash(ref byte source, nint length, ulong seed)
    {
        // A factor of zero would take what stands in the other one away: without a root, keys that end in zeros had one hash under seed 0.
        ulong hash = seed ^ Root5, first, last;
        if (length > 16)
        {
            ref byte from = ref source;
            nint left = length;
            if (length > HashedAtOnce)
            {
                ulong second = hash, third = hash, fourth = hash;
                for (; left > HashedAtOnce; left -= HashedAtOnce, from = ref Unsafe.Add(ref from, HashedAtOnce))
                {
                    hash = Pair(ref from, 0, Root3, hash);
                    second = Pair(ref from, 16, Root7, second);
                    third = Pair(ref from, 32, Root11, third);
                    fourth = Pair(ref from, 48, Root2, fourth);
                }
                hash ^= second ^ third ^ fourth;
                // What is left may be shorter than 17 bytes: the end is taken as 17 to 64 that reach back into what was hashed.
                left = Math.Max(left, 17);
                from = ref Unsafe.Add(ref source, length - left);
            }
            hash = Pair(ref from, 0, Root3, hash) ^ Pair(ref from, Math.Min(16, left - 16), Root7, hash)
                ^ Pair(ref from, Math.Max(0, left - 32), Root11, hash);
            first = Load8(ref from, left - 16);
            last = Load8(ref from, left - 8);
        }
        else if (length >= 4)
        {
            // From 8 bytes on both halves of a number lie side by side; of fewer, both numbers have the same halves in another order.
            nint half = (length >> 3) << 2;
            first = (ulong)Load4(ref source, 0) << 32 | Load4(ref source, half);
            last = (ulong)Load4(ref source, length - 4) << 32 | Load4(ref source, length - 4 - half);
        }
        else
        {
            first = length == 0 ? 0 : ThreeBytes(ref source, length);
            last = 0;
        }
        ulong high = Math.BigMul(first ^ Root3, last ^ hash, out ulong low);
        return Fold(low ^ Root2 ^ (ulong)length, high ^ Root7);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Pair(ref byte from, nint at, ulong root, ulong before) =>
        Fold(Load8(ref from, at) ^ root, Load8(ref from, at + 8) ^ before);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Fold(ulong left, ulong right)
    {
        ulong high = Math.BigMul(left, right, out ulong low);
        return low ^ high;
    }
}

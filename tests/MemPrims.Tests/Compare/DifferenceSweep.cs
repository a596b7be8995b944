using System.Diagnostics.CodeAnalysis;

namespace MemPrims.Tests;

// Pairs of blocks of every length 0–1100, equal or with their first difference at every position, at several alignments. From one case to
// the next a byte or two change, so that the millions of cases take a second.
internal static unsafe class DifferenceSweep
{
    public const int Longest = 1100;

    // A signed comparison, a carry between bytes or a lost bit shows in one of these.
    private static readonly (byte Left, byte Right)[] s_pairs =
        [(0x7F, 0x80), (0x80, 0x7F), (0x00, 0xFF), (0xFF, 0x00), (0x00, 0x01), (0x80, 0x00), (0x41, 0x61), (0xFF, 0xFE)];

    // Past a multiple of 4096: the last ones come close to the end of a page, where kernels take another path.
    private static readonly (int Left, int Right)[] s_offsets =
        LongRuns.Of([(29, 63), (4085, 3), (4095, 4064)],
            new[] { (0, 0), (1, 0), (0, 1), (29, 63), (32, 57), (4085, 3), (5, 4070), (4095, 4064) });

    // `position` is the length, and `difference` 0, where the blocks are equal.
    public delegate bool Check(byte* left, byte* right, nint length, nint position, int difference);

    public static void Run(string subject, Check holds)
    {
        foreach ((int leftOffset, int rightOffset) in s_offsets)
        {
            using AlignedMemory leftMemory = new(4096 + Longest + 64), rightMemory = new(4096 + Longest + 64);
            byte* left = leftMemory.Start + leftOffset, right = rightMemory.Start + rightOffset;
            for (int length = 0; length <= Longest; length++)
            {
                MakeEqual(left, right, length);
                if (!holds(left, right, length, length, 0)) Fail(subject, left, right, length, length, "equal");
                OneDifference(subject, holds, left, right, length);
                LaterBytesContradict(subject, holds, left, right, length);
            }
        }
    }

    private static void OneDifference(string subject, Check holds, byte* left, byte* right, int length)
    {
        for (int position = 0; position < length; position++)
        {
            (byte Left, byte Right) before = (left[position], right[position]), now = s_pairs[(position + length) % s_pairs.Length];
            (left[position], right[position]) = now;
            if (!holds(left, right, length, position, now.Left - now.Right)) Fail(subject, left, right, length, position,
                "one difference");
            (left[position], right[position]) = before;
        }
    }

    // From the end to the start: each difference stays, turned round, behind the ones that come after it.
    private static void LaterBytesContradict(string subject, Check holds, byte* left, byte* right, int length)
    {
        for (int position = length - 1; position >= 0; position--)
        {
            (byte Left, byte Right) now = s_pairs[(position >> 3) + length & 1];
            (left[position], right[position]) = now;
            if (!holds(left, right, length, position, now.Left - now.Right)) Fail(subject, left, right, length, position,
                "later bytes contradict");
            (left[position], right[position]) = (now.Right, now.Left);
        }
    }

    // Equal within the length; before and after it they differ, so that a look outside is seen.
    private static void MakeEqual(byte* left, byte* right, int length)
    {
        Random random = new(length);
        random.NextBytes(new Span<byte>(left, Longest + 64));
        random.NextBytes(new Span<byte>(right, Longest + 64));
        new Span<byte>(left, length).CopyTo(new Span<byte>(right, length));
        for (int i = length; i < Longest + 64; i++) right[i] = (byte)~left[i];
    }

    [DoesNotReturn]
    private static void Fail(string subject, byte* left, byte* right, int length, int position, string kind) =>
        Assert.Fail(
            $"{subject}: length {length}, first difference at {position} ({kind}), "
            + $"left at {(nint)left % 4096} and right at {(nint)right % 4096} past a multiple of 4096");
}

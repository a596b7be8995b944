namespace MemPrims.Buffers;

/// <summary>
/// Where segments' arrays come from and go back to: pinned, so that appenders keep plain pointers, in sizes of powers of two from 4 KiB to 1 MiB.
/// A list keeps its arrays while it lives, so this is asked once per segment and a lock is cheap enough. Each size keeps at most 16 MiB;
/// what comes back beyond that, and what is larger than 1 MiB, is left to the garbage collector.
///
/// Each array is longer than its capacity by <see cref="Slack"/> bytes that nobody is given: a bound that was too small by less than that is
/// told as an error before it has damaged anything.
/// </summary>
internal static class SegmentPool
{
    public const int Slack = 256;
    public const int MinCapacity = 1 << MinShift, MaxCapacity = 1 << MaxShift;

    /// <summary>The largest capacity that an array can have.</summary>
    public static int Largest => Array.MaxLength - Slack;

    private const int MinShift = 12, MaxShift = 20, KeptBytes = 16 << 20;

    private static readonly Stack<byte[]>[] s_kept = [.. Enumerable.Range(MinShift, MaxShift - MinShift + 1).Select(_ => new Stack<byte[]>())];

    /// <summary>An array of that capacity at least; its bytes are whatever they are.</summary>
    public static byte[] Rent(int capacity)
    {
        if (capacity > MaxCapacity) return Allocate(capacity);
        int shift = Math.Max(MinShift, 32 - int.LeadingZeroCount(capacity - 1));
        Stack<byte[]> kept = s_kept[shift - MinShift];
        lock (kept)
            if (kept.TryPop(out byte[]? array)) return array;
        return Allocate(1 << shift);
    }

    /// <summary>Takes an array back. The caller must have dropped it: a segment gives up its ownership in the same step.</summary>
    public static void Return(byte[] array)
    {
        int capacity = array.Length - Slack;
        if (capacity > MaxCapacity) return;
        Stack<byte[]> kept = s_kept[int.Log2(capacity) - MinShift];
        lock (kept)
            if (kept.Count < KeptBytes / capacity) kept.Push(array);
    }

    private static byte[] Allocate(int capacity) => GC.AllocateUninitializedArray<byte>(capacity + Slack, pinned: true);
}

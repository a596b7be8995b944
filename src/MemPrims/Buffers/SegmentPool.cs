namespace MemPrims.Buffers;

/// <summary>
/// Where segments' arrays come from and go back to: pinned, so that appenders keep plain pointers, in sizes of powers of two from 4 KiB
/// to 1 MiB. A list keeps its arrays while it lives, so this is asked once per segment and a lock is cheap enough. Each size keeps at
/// most 16 MiB; what comes back beyond that, and what is larger than 1 MiB, is left to the garbage collector. So is, at every full
/// collection, what nobody asked for since the one before: a burst does not hold its memory for ever.
///
/// Each array is longer than its capacity by <see cref="Slack"/> bytes that nobody is given: a bound that was too small by less than that
/// is told as an error before it has damaged anything.
/// </summary>
internal static class SegmentPool
{
    public const int Slack = 256;
    public const int MinCapacity = 1 << MinShift, MaxCapacity = 1 << MaxShift;

    /// <summary>The largest capacity that an array can have.</summary>
    public static int Largest => Array.MaxLength - Slack;

    private const int MinShift = 12, MaxShift = 20, KeptBytes = 16 << 20;

    private static readonly Shelf[] s_kept = [.. Enumerable.Range(MinShift, MaxShift - MinShift + 1).Select(_ => new Shelf())];

    static SegmentPool() => _ = new FullCollection();

    /// <summary>An array of that capacity at least; its bytes are whatever they are.</summary>
    public static byte[] Rent(int capacity)
    {
        if (capacity > MaxCapacity) return Allocate(capacity);
        int shift = Math.Max(MinShift, 32 - int.LeadingZeroCount(capacity - 1));
        return s_kept[shift - MinShift].Take() ?? Allocate(1 << shift);
    }

    /// <summary>Takes an array back. The caller must have dropped it: a segment gives up its ownership in the same step.</summary>
    public static void Return(byte[] array)
    {
        int capacity = array.Length - Slack;
        if (capacity > MaxCapacity) return;
        s_kept[int.Log2(capacity) - MinShift].Put(array, KeptBytes / capacity);
    }

    /// <summary>Drops what nobody asked for since the last call.</summary>
    internal static void DropIdle()
    {
        foreach (Shelf shelf in s_kept) shelf.DropIdle();
    }

    /// <summary>How many bytes wait here.</summary>
    internal static long IdleBytes => s_kept.Sum(shelf => shelf.Bytes);

    private static byte[] Allocate(int capacity) => GC.AllocateUninitializedArray<byte>(capacity + Slack, pinned: true);

    // The arrays of one size. As many as were there all the time since the last look are idle.
    private sealed class Shelf
    {
        private readonly Stack<byte[]> _arrays = new();
        private int _idle;

        public long Bytes
        {
            get { lock (_arrays) return _arrays.Sum(array => (long)array.Length); }
        }

        public byte[]? Take()
        {
            lock (_arrays)
            {
                _arrays.TryPop(out byte[]? array);
                _idle = Math.Min(_idle, _arrays.Count);
                return array;
            }
        }

        public void Put(byte[] array, int most)
        {
            lock (_arrays)
                if (_arrays.Count < most) _arrays.Push(array);
        }

        public void DropIdle()
        {
            lock (_arrays)
            {
                for (; _idle > 0; _idle--) _arrays.Pop();
                _arrays.TrimExcess();
                _idle = _arrays.Count;
            }
        }
    }

    // An object that nobody refers to: the collector finalizes it, and again after each collection of the generation that it has grown
    // into, the last one.
    private sealed class FullCollection
    {
        ~FullCollection()
        {
            DropIdle();
            if (!Environment.HasShutdownStarted) GC.ReRegisterForFinalize(this);
        }
    }
}

namespace MemPrims.Buffers;

// The arrays of the segments. They are pinned, so that appenders can keep plain pointers, and their sizes are powers of two from 4 KiB to
// 1 MiB. A list keeps its arrays while it lives, so the pool is asked once per segment, and a lock is cheap enough. The pool keeps at most
// 16 MiB of each size. The garbage collector gets the rest, and all arrays above 1 MiB. At every full collection it also gets the arrays
// that nobody asked for since the one before, so the memory of a burst is not kept for ever.
//
// Each array has Slack bytes more than its capacity, and nobody is given these. If a value writes more than its bound by less than that,
// the error is found before anything is damaged.
internal static class SegmentPool
{
    public const int Slack = 256, MaxCapacity = 1 << MaxShift;

    // The largest capacity that an array can have.
    public static int Largest => Array.MaxLength - Slack;

    private const int MinShift = 12, MaxShift = 20, KeptBytes = 16 << 20;

    private static readonly Shelf[] s_kept = MakeShelves();

    static SegmentPool() => _ = new FullCollection();

    // An array of at least that capacity. Its content is arbitrary.
    public static byte[] Rent(int capacity)
    {
        if (capacity > MaxCapacity) return Allocate(capacity);
        int shift = Math.Max(MinShift, 32 - int.LeadingZeroCount(capacity - 1));
        return s_kept[shift - MinShift].Take() ?? Allocate(1 << shift);
    }

    // Takes an array back. The caller must no longer use it.
    public static void Return(byte[] array)
    {
        int capacity = array.Length - Slack;
        if (capacity > MaxCapacity) return;
        s_kept[int.Log2(capacity) - MinShift].Put(array, KeptBytes / capacity);
    }

    // Drops what nobody asked for since the last call.
    internal static void DropIdle()
    {
        foreach (Shelf shelf in s_kept) shelf.DropIdle();
    }

    // How many bytes the pool holds now.
    internal static long IdleBytes => s_kept.Sum(shelf => shelf.Bytes);

    // No query: the pool is made when a process writes its first bytes, and a query takes 1.5 ms to compile.
    private static Shelf[] MakeShelves()
    {
        Shelf[] shelves = new Shelf[MaxShift - MinShift + 1];
        for (int i = 0; i < shelves.Length; i++) shelves[i] = new();
        return shelves;
    }

    private static byte[] Allocate(int capacity) => GC.AllocateUninitializedArray<byte>(capacity + Slack, pinned: true);

    // The arrays of one size. _idle is how many of them were here all the time since the last full collection.
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

    // Nobody refers to this object, so the garbage collector finalizes it. It then registers itself again. After two collections it has
    // reached the oldest generation, so its finalizer runs after each full collection.
    private sealed class FullCollection
    {
        ~FullCollection()
        {
            DropIdle();
            if (!Environment.HasShutdownStarted) GC.ReRegisterForFinalize(this);
        }
    }
}

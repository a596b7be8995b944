namespace MemPrims.Records.Reading;

// Who in this process holds which byte of which file: pins and writers, for the message of a writer that waited for one. A commit waits
// for pins of others. A pin of the code that commits would never end while that waits, so that one is an error at once.
internal static class HeldLocks
{
    private static readonly OrderedLock s_lock = new(LockOrder.Leaf);
    private static readonly HashSet<Entry> s_entries = [];

    // The code that runs on this thread and has taken pins. It is forgotten when other code comes to run here: an await, a task. A pin
    // that is held over an await would otherwise pass for one of whatever its thread does meanwhile.
    [ThreadStatic]
    private static object? t_code;
    private static readonly AsyncLocal<Entry?> s_newest = new(static change =>
    {
        if (change.ThreadContextChanged) t_code = null;
    });

    internal sealed class Entry(ulong file, LockByte which, Pin? pin, object? code) : Holder
    {
        private readonly WeakReference<Pin>? _pin = pin is null ? null : new(pin);

        // Whether nobody refers to the pin any more: its finalizer is about to give it back.
        public bool IsLost => _pin?.TryGetTarget(out _) == false;

        public bool IsOf(object other) => code == other;

        public bool Holds(ulong otherFile, LockByte other) => file == otherFile && which == other;
    }

    // What runs on this thread, for OfCode; null where it has taken no pin.
    public static object? RunningCode => t_code;

    public static Entry Add(ulong file, LockByte which, Pin? pin = null)
    {
        Entry entry = new(file, which, pin, pin is null ? null : t_code ??= new());
        // Each pin is another value, so that a return from an asynchronous method that took one is a change.
        if (pin is not null) s_newest.Value = entry;
        using (s_lock.Enter()) s_entries.Add(entry);
        return entry;
    }

    public static void Remove(Entry entry)
    {
        using (s_lock.Enter()) s_entries.Remove(entry);
    }

    // A pin of any of this code; null when there is none.
    public static Holder? OfCode(ulong file, LockByte which, IReadOnlyList<object> code)
    {
        using (s_lock.Enter()) return s_entries.FirstOrDefault(entry => entry.Holds(file, which) && code.Any(entry.IsOf));
    }

    // Whether there are pins to which nobody refers. They are found by a collection.
    public static bool HasLost(ulong file, LockByte which)
    {
        using (s_lock.Enter()) return s_entries.Any(entry => entry.Holds(file, which) && entry.IsLost);
    }

    // All of this process in words; null when there are none.
    public static string? Describe(ulong file, LockByte which)
    {
        using (s_lock.Enter())
        {
            string[] holders = [.. s_entries.Where(entry => entry.Holds(file, which)).Select(entry => $"by {entry}")];
            return holders.Length == 0 ? null : string.Join(", ", holders);
        }
    }
}

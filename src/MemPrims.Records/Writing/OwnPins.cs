using System.Diagnostics;
using MemPrims.Records.Storage;

namespace MemPrims.Records.Writing;

/// <summary>Who took a pin or began a transaction, for the message of a writer that waited for it.</summary>
internal readonly struct Holder()
{
    private readonly string? _name = System.Threading.Thread.CurrentThread.Name;
    private readonly long _since = Stopwatch.GetTimestamp();

    public int Thread { get; } = Environment.CurrentManagedThreadId;

    public TimeSpan Age => Stopwatch.GetElapsedTime(_since);

    public override string ToString() =>
        $"thread {Thread}{(_name is null ? "" : $" (\"{_name}\")")} {Age.TotalSeconds:0.0} seconds ago";
}

/// <summary>
/// The pins that this process holds, by file. A commit waits for pins of other threads and processes. A pin of the committing thread
/// itself would never end while that thread waits, so that one is an error at once.
/// </summary>
internal static class OwnPins
{
    private static readonly List<Entry> s_pins = [];

    /// <summary>One pin. It does not refer to the pin itself, whose finalizer takes it out of the list.</summary>
    internal sealed record Entry(ulong File, LockByte Parity, Holder Holder);

    public static Entry Add(ulong file, LockByte parity)
    {
        Entry entry = new(file, parity, new());
        lock (s_pins) s_pins.Add(entry);
        return entry;
    }

    public static void Remove(Entry entry)
    {
        lock (s_pins) s_pins.RemoveAll(other => ReferenceEquals(other, entry));
    }

    /// <summary>A pin that one of these threads took; null when there is none.</summary>
    public static Holder? OfThreads(ulong file, LockByte parity, IReadOnlyList<int> threads)
    {
        lock (s_pins)
        {
            foreach (Entry pin in s_pins)
                if (pin.File == file && pin.Parity == parity && threads.Contains(pin.Holder.Thread)) return pin.Holder;
            return null;
        }
    }

    /// <summary>The pins of this process in words; null when it has none.</summary>
    public static string? Describe(ulong file, LockByte parity)
    {
        lock (s_pins)
        {
            string[] holders = [.. s_pins.Where(pin => pin.File == file && pin.Parity == parity).Select(pin => $"by {pin.Holder}")];
            return holders.Length == 0 ? null : string.Join(", ", holders);
        }
    }
}

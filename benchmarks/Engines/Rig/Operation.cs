using System.Diagnostics;

namespace Rig;

/// <summary>
/// An operation of a copy: its name, how many it does at once, what they have to find, itself, and what comes before and is not timed.
/// A copy that finds less cannot look fast.
/// </summary>
internal sealed class Operation((string Name, int Count, long Expected, Func<long> Run, Action? Before) row)
{
    public string Name => row.Name;

    /// <summary>ns an operation.</summary>
    public double Time()
    {
        row.Before?.Invoke();
        long from = Stopwatch.GetTimestamp(), found = row.Run();
        double ns = Stopwatch.GetElapsedTime(from).TotalNanoseconds / row.Count;
        return found == row.Expected ? ns : throw new InvalidOperationException($"{Name}: {found} of {row.Expected} found");
    }
}

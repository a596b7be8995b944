using System.Numerics;

namespace DocumentStore.Tests;

/// <summary>
/// Whether what clients have seen of one value can have happened in some order, each operation at one moment between its start and its
/// end. It is Wing and Gong's search, which remembers where it has been. Threads: one.
/// </summary>
internal static class History
{
    /// <param name="Value">What was written, or what was read; null for nothing there.</param>
    /// <param name="IsWrite">Or a read.</param>
    /// <param name="Start">When the client asked.</param>
    /// <param name="End">When it had the answer; <see cref="long.MaxValue"/> for never: a write may have happened, or not.</param>
    public readonly record struct Operation(string? Value, bool IsWrite, long Start, long End);

    public static bool IsLinearisable(IEnumerable<Operation> history)
    {
        // A read without an answer has told nobody anything.
        Operation[] all = [.. history.Where(static one => one.IsWrite || one.End < long.MaxValue).OrderBy(static one => one.Start)];
        Stack<(BigInteger Done, int First, string? Value)> open = new([(BigInteger.Zero, 0, null)]);
        HashSet<(BigInteger, string?)> seen = [];
        while (open.TryPop(out (BigInteger Done, int First, string? Value) at))
        {
            int first = at.First;
            while (first < all.Length && IsDone(first)) first++;
            long end = long.MaxValue;
            // One may come next where none that is left has ended before it starts.
            for (int i = first; i < all.Length && all[i].Start <= end; i++)
            {
                if (!IsDone(i)) end = Math.Min(end, all[i].End);
            }
            if (end == long.MaxValue) return true;
            for (int i = first; i < all.Length && all[i].Start <= end; i++)
            {
                if (IsDone(i) || (!all[i].IsWrite && all[i].Value != at.Value)) continue;
                BigInteger done = at.Done | (BigInteger.One << i);
                string? value = all[i].IsWrite ? all[i].Value : at.Value;
                if (seen.Add((done, value))) open.Push((done, first, value));
            }

            bool IsDone(int i) => !((at.Done >> i) & BigInteger.One).IsZero;
        }
        return false;
    }
}

using static DocumentStore.Tests.History;

namespace DocumentStore.Tests;

public class HistoryTests
{
    [Fact]
    public void Known_histories_are_told()
    {
        Assert.True(IsLinearisable([]));
        Assert.True(IsLinearisable([Write("a", 0, 9), Read(null, 1, 2), Read("a", 3, 4)]));
        Assert.True(IsLinearisable([Write("a", 0, 9), Write("b", 0, 9), Read("b", 1, 2), Read("a", 3, 4)]));
        Assert.True(IsLinearisable([Write("a", 0, long.MaxValue), Read(null, 1, 2), Read("a", 3, 4)]));
        // Stale, lost, from nowhere, there and gone, and two readers of two orders.
        Assert.False(IsLinearisable([Write("a", 0, 1), Write("b", 2, 3), Read("a", 4, 5)]));
        Assert.False(IsLinearisable([Write("a", 0, 1), Read(null, 2, 3)]));
        Assert.False(IsLinearisable([Write("a", 0, 1), Read("b", 2, 3)]));
        Assert.False(IsLinearisable([Write("a", 0, long.MaxValue), Read("a", 1, 2), Read(null, 3, 4)]));
        Assert.False(IsLinearisable([Write("a", 0, 9), Write("b", 0, 9), Read("a", 10, 11), Read("b", 12, 13)]));
    }

    /// <summary>On small histories the answer is that of trying all orders.</summary>
    [Fact]
    public void It_answers_as_all_orders_do()
    {
        Random random = new(3);
        int linearisable = 0;
        const int rounds = 3000;
        for (int round = 0; round < rounds; round++)
        {
            Operation[] history = new Operation[random.Next(1, 6)];
            foreach (ref Operation one in history.AsSpan())
            {
                int start = random.Next(20);
                string? value = random.Next(3) is > 0 and int number ? $"{number}" : null;
                bool isWrite = random.Next(2) == 0;
                long end = random.Next(5) == 0 ? long.MaxValue : start + random.Next(1, 12);
                one = new(isWrite ? value ?? "0" : value, isWrite, start, end);
            }
            bool expected = HasOrder(history, [], null);
            Assert.Equal(expected, IsLinearisable(history));
            if (expected) linearisable++;
        }
        Assert.InRange(linearisable, rounds / 10, rounds * 9 / 10);
    }

    private static bool HasOrder(Operation[] all, List<Operation> order, string? value)
    {
        List<Operation> left = [.. all];
        foreach (Operation one in order) left.Remove(one);
        if (left.TrueForAll(static one => one.End == long.MaxValue)) return true;
        foreach (Operation next in left)
        {
            if (left.Exists(other => other.End < next.Start)) continue;
            if (!next.IsWrite && next.End < long.MaxValue && next.Value != value) continue;
            if (HasOrder(all, [.. order, next], next.IsWrite ? next.Value : value)) return true;
        }
        return false;
    }

    private static Operation Write(string value, long start, long end) => new(value, true, start, end);

    private static Operation Read(string? value, long start, long end) => new(value, false, start, end);
}

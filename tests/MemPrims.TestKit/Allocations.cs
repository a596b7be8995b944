namespace MemPrims.TestKit;

// What calls allocate on this thread, once they are warm.
public static class Allocations
{
    private const int Calls = 1000, Rounds = 4;

    // The members of which every round of 1,000 calls allocated, and how much the best of them did. A first call may load types, and a
    // round may meet the runtime at compiling the member anew; a member that allocates by itself does so in all of them. (Assert.True
    // allocates nothing; Assert.Equal does.)
    public static IEnumerable<string> Of(IEnumerable<(string Member, Action Call)> hot)
    {
        foreach ((string member, Action call) in hot)
        {
            long least = long.MaxValue;
            for (int round = 0; round < Rounds && least > 0; round++)
            {
                for (int i = 0; round == 0 && i < Calls / 10; i++) call();
                long before = GC.GetAllocatedBytesForCurrentThread();
                for (int i = 0; i < Calls; i++) call();
                least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
            }
            if (least > 0) yield return $"{member}: {least} bytes in {Calls} calls";
        }
    }
}

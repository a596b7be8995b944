namespace MemPrims.Records;

// 64 random bits that nobody foresees, of the operating system. By way of a Guid: the class for it loads OpenSSL, which takes the first
// file of a process 4 ms or more. Six bits of a Guid are constant, and lie opposite random ones.
internal static unsafe class RandomId
{
    public static ulong New()
    {
        Guid id = Guid.NewGuid();
        ulong* halves = (ulong*)&id;
        return halves[0] ^ halves[1];
    }
}

using System.Text.RegularExpressions;

namespace MemPrims.Tests;

/// <summary>
/// What publishes is a volatile write, and what is read by others' leave begins with a volatile read. A barrier stands only where these do
/// not reach, in the methods counted here, each of which says why: .NET's arm64 compiler pairs plain loads or stores of one base across a
/// barrier, and no test on x64 sees it.
/// </summary>
internal static partial class OrderRules
{
    private static readonly Dictionary<string, int> s_barriers = new()
    {
        // The odd number before the change; the last look after the reads.
        ["MemPrims/Pages/TreeHeader.cs"] = 2,
        ["MemPrims/Pages/SortedCursor.cs"] = 1,
        ["MemPrims/Copy/CopyStream.cs"] = 1,
        ["MemPrims.Records/Reading/FileState.cs"] = 1,
        ["MemPrims.Records/Format/Meta.cs"] = 1,
        // Before and after the bytes, between which is a call.
        ["MemPrims.Records/Storage/InPlaceStores.cs"] = 2,
        // Of all processors; after a look at a map that may be taken away, before that at IsOpen.
        ["MemPrims.Records/Writing/WriteBatch.cs"] = 2,
    };

    /// <param name="path">Counted from src.</param>
    /// <param name="text">The source.</param>
    public static IEnumerable<string> Violations(string path, string text)
    {
        int barriers = Barrier().Count(text), expected = s_barriers.GetValueOrDefault(path);
        if (barriers != expected)
            yield return $"{path} has {barriers} memory barriers, and OrderRules knows {expected}: use Volatile.Write and Volatile.Read.";
    }

    [GeneratedRegex(@"\bVolatile\.(?:Read|Write)Barrier\(|\b(?:Interlocked|Thread)\.MemoryBarrier(?:ProcessWide)?\(")]
    private static partial Regex Barrier();
}

using System.ComponentModel;

namespace MemPrims.Sets;

/// <summary>What the compiler makes sets by: <c>IdSet set = [1, 5, 9];</c></summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class IdSetBuilder
{
    /// <summary>Builds a set of ids in any order, repeated or not.</summary>
    public static IdSet Create(ReadOnlySpan<uint> ids) => IdSet.From(ids);

    /// <summary>Builds a set of ids in any order, repeated or not.</summary>
    public static IdSet64 Create(ReadOnlySpan<ulong> ids) => IdSet64.From(ids);
}

namespace MemPrims.Pages;

/// <summary>The size of a tree.</summary>
public readonly struct SortedTreeStatistics
{
    /// <summary>From the top to the leaves; 0 where there is no tree yet.</summary>
    public int Levels { get; internal init; }

    /// <summary>All pages of the tree, its own header among them.</summary>
    public long Pages { get; internal init; }

    /// <summary>Pages of entries.</summary>
    public long LeafPages { get; internal init; }

    /// <summary>Pages of large values.</summary>
    public long OverflowPages { get; internal init; }

    /// <summary>The part of leaves and branches that is in use, from 0 to 1.</summary>
    public double Fill { get; internal init; }
}
